/**
 * A session's amounts, wherever they appear, for a client that writes every currency with two decimals: paid
 * by card and by bank transfer, and refunded in part.
 */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { readPdf } from '../../documents/read-pdf.ts';
import { shownForm } from '../../support/pay-form.ts';
import { startService } from '../../support/service.ts';
import { startStripe } from '../../support/stripe-stand-in.ts';
import { configure, entered, imported, receiving, startTransfer } from '../bank.ts';
import { startReceiver } from '../receiver.ts';
import { createSession, type Data, fetchSession, succeeded, until } from '../shop.ts';

const stripe = await startStripe({ after });
const service = await startService(
  { after },
  {
    env: stripe.settings,
  },
);
const { call, url } = service;

/** `refund` is a part of it in hundredths; the others are how it reads, in minor units, and to the provider. */
const rows = [
  {
    currency: 'JPY',
    price: 240_000,
    shown: '¥2,400',
    minor: 2400,
    charged: 2400,
    refund: 80_000,
    given: '¥800',
  },
  { currency: 'USD', price: 1999, shown: '$19.99', minor: 1999, charged: 1999, refund: 600, given: '$6.00' },
  {
    currency: 'KWD',
    price: 513,
    shown: 'KWD 5.130',
    minor: 5130,
    charged: 5130,
    refund: 171,
    given: 'KWD 1.710',
  },
] as const;

await configure(service, {
  compatibility: 'v3',
  receivingAccounts: rows.map(({ currency }, index) =>
    receiving({
      id: currency.toLowerCase(),
      currency,
      account_number: `12345678${index}`,
      bic: 'BYLADEM1001',
    }),
  ),
});

const text = async (address: string) => {
  const answer = await fetch(address, { headers: { 'accept-language': 'en-US' } });
  return (await answer.text()).replaceAll('\u00a0', ' ');
};

async function receiptOf(session: Data): Promise<string> {
  const { pages } = await readPdf(
    Buffer.from(await (await fetch(`${session.url}/receipt.pdf?lang=en`)).arrayBuffer()),
  );
  return pages
    .flatMap(({ texts }) => texts.map((each) => each.text))
    .join(' ')
    .replaceAll('\u00a0', ' ');
}

for (const { currency, price, shown, minor, charged, refund, given } of rows) {
  const pays: Record<string, (session: Data) => Promise<unknown>> = {
    async card({ url: page }) {
      const body = new URLSearchParams({ method: 'card', ...(await shownForm(page)) });
      const begun = await fetch(`${page}/pay`, { method: 'POST', redirect: 'manual', body });
      const next = new URL(begun.headers.get('location') ?? '', page).href;
      await fetch(next, { redirect: 'manual' });
      const { books } = stripe;
      const [open] = [...books.test.sessions.values()].slice(-1);
      assert.ok(open);
      assert.deepEqual([open.amount_total, open.currency], [charged, currency.toLowerCase()]);
      books.test.pay(open.id);
      const event = books.test.events.at(-1);
      assert.ok(event);
      assert.equal(await stripe.deliver(event, `${url}/notices/stripe`), 200);
    },
    async 'bank transfer'(session) {
      const method = `local_bank_transfer_${currency.toLowerCase()}`;
      const { reference } = await startTransfer(service, session, method);
      const index = rows.findIndex((each) => each.currency === currency);
      const counts = await imported(service, [{ amount: minor, reference }], {
        account: `12345678${index}`,
        currency,
      });
      assert.deepEqual([counts.new, counts.settled], [1, 1]);
    },
  };

  suite(`${shown}, sent as ${price}`, () => {
    for (const [how, paid] of Object.entries(pays)) {
      test(`is that everywhere, paid by ${how}`, async (t) => {
        const receiver = await startReceiver(t);
        const session = await createSession(service, {
          invoice_currency: currency,
          amount: undefined,
          items: [{ name: 'Tea', quantity: 1, unit_price: price }],
          webhook_url: receiver.url,
        });
        assert.equal(session.amount, price);
        assert.ok((await text(session.url)).includes(shown), 'on the page');

        await paid(session);
        await until(async () => (await fetchSession(service, session.id)).payment_status === 'paid');
        assert.equal((await fetchSession(service, session.id)).amount_paid, price);
        assert.ok((await text(session.url)).includes(shown), 'on the page of what was paid');
        assert.ok((await receiptOf(session)).includes(shown), 'on the receipt');

        const back = succeeded(
          await call('POST', '/v3/refund', { body: { payin: session.id, amount: refund, currency } }),
          201,
        );
        assert.equal(back.amount, refund);
        if (how === 'card') {
          await until(
            async () => succeeded(await call('GET', `/v3/refund/${back.id}`)).status === 'succeeded',
          );
          assert.equal([...stripe.books.test.refunds.values()].at(-1)?.amount, (minor * refund) / price);
        } else {
          succeeded(await call('POST', `/v3/refund/${back.id}/settle`, { body: { status: 'succeeded' } }));
        }
        assert.ok((await text(session.url)).includes(given), 'on the page of what was refunded');
        const payin = succeeded(await call('GET', `/v3/payin/${session.id}`));
        assert.deepEqual([payin.amount_paid, payin.amount_refunded], [price, refund]);
        assert.ok(payin.status_description.includes('Refunded'));

        // Events for v3 clients: paid, payin, attempt, refund.
        const told = (await receiver.received(4)).map(({ event }) => [event.type, event.data.amount]);
        assert.deepEqual(told.sort(), [
          ['checkout.paid', price],
          ['payin.succeeded', price],
          ['payment_attempt.succeeded', price],
          ['refund.succeeded', refund],
        ]);
      });
    }
  });
}

test('a refusal tells what is left of a transfer with the digits of its currency', async () => {
  const [, , { currency, price, minor }] = rows;
  const { id } = await entered(service, { amount: minor }, { account: '123456782', currency });
  const { id: payin } = await createSession(service, { invoice_currency: currency, amount: price });
  const body = { parts: [{ payin, amount: price + 1 }] };
  const { status, json } = await call('POST', `/v3/bank_entry/${id}/assign`, { body });
  assert.deepEqual([status, json.errors[0].message], [400, 'parts must add up to at most 5.130 KWD.']);
});
