/** The receipt and the invoice as files, and the page that shows whether a receipt is true. */

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import { tenantName } from '../../src/checkout/tenant.ts';
import { receiptPdf } from '../../src/documents/render-queue.ts';
import { localeOf } from '../../src/i18n/locale.ts';
import { displayReference } from '../../src/methods/bank/references.ts';
import { fileOf } from '../../src/pages/files.ts';
import { createSession, pay } from '../api/shop.ts';
import { receiptOf } from '../documents/build.ts';
import { lettersOf, packed, readPdf, render } from '../documents/read-pdf.ts';
import { account, DE_IBAN } from '../methods/bank/build.ts';
import { png } from '../support/image.ts';
import { readCode } from '../support/read-code.ts';
import { startService } from '../support/service.ts';
import { chooseMethod } from './states.ts';
import { openTill, type Session, type Till, textIn } from './till.ts';

const TRANSFER = 'local_bank_transfer_eur';
const business = { addressLines: ['1 Roast Lane', 'Leith'], taxId: 'GB123', email: 'till@acme.example' };

let till: Till;
before(async () => {
  till = await openTill();
  await till.configure({ business, receivingAccounts: [account({ iban: DE_IBAN })] });
});
after(() => till.close());

/** Takes a while to be drawn. */
const longReceipt = receiptOf({
  items: Array.from({ length: 100 }, (_, index) => ({
    name: `${index} ${'lorem ipsum '.repeat(20)}`,
    quantity: 1,
    unitPrice: 100,
  })),
});

const payer = { customer_details: { name: 'Ada Lovelace', email: 'ada@example.com' } };

async function paidSession(fields: object = {}): Promise<Session> {
  const session = await till.session({ ...payer, reference_id: 'order 7/2030', ...fields });
  await till.pay(session.id);
  return till.fetch(session.id);
}

/** The answer when the document is made, which takes a busy machine several requests. */
async function made(url: string, init: RequestInit = {}): Promise<Response> {
  for (;;) {
    const answer = await fetch(url, init);
    if (answer.headers.get('refresh') === null) return answer;
  }
}

async function fileAt(url: string): Promise<{ headers: Headers; bytes: Buffer; letters: string }> {
  const answer = await made(url);
  assert.equal(answer.status, 200, url);
  const bytes = Buffer.from(await answer.arrayBuffer());
  return { headers: answer.headers, bytes, letters: lettersOf((await readPdf(bytes)).pages) };
}

suite('the receipt', () => {
  test('is a PDF that browsers show and nobody keeps', async () => {
    const session = await paidSession();
    assert.deepEqual(session.transaction_documents, [{ type: 'receipt', url: `${session.url}/receipt.pdf` }]);
    const { headers, letters } = await fileAt(`${session.url}/receipt.pdf`);
    assert.equal(headers.get('content-type'), 'application/pdf');
    assert.equal(headers.get('content-disposition'), 'inline; filename="receipt-order-7-2030.pdf"');
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal(headers.get('x-robots-tag'), 'noindex');
    assert.doesNotMatch(
      headers.get('content-security-policy') ?? '',
      /src/,
      'it would break the viewers of browsers',
    );
    for (const part of [
      'Receipt',
      'Acme Coffee',
      '1 Roast Lane',
      'GB123',
      'Ada Lovelace',
      'Canvas bag',
      '€42.50',
    ]) {
      assert.ok(letters.includes(packed(part)), part);
    }
  });

  test('is in the language of the page, and follows what changes', async () => {
    const session = await paidSession();
    const url = `${session.url}/receipt.pdf`;
    const first = await fileAt(`${url}?lang=de`);
    assert.ok(first.letters.includes(packed('Zahlungsbeleg')));
    assert.ok(first.bytes.equals((await fileAt(`${url}?lang=de`)).bytes));
    assert.ok((await fileAt(url)).letters.includes('Receipt'));
    await till.api('POST', '/refund', { payin: session.id, amount: 1_234 });
    await till.until(`${session.url}/receipt`, /Refunded.*€12\.34/s);
    assert.ok((await fileAt(url)).letters.includes('€12.34'));
    await till.configure({
      business: { ...business, taxId: 'GB456' },
      receivingAccounts: [account({ iban: DE_IBAN })],
    });
    assert.ok((await fileAt(url)).letters.includes('GB456'));
  });

  test('is not there before money is, and for nobody else', async () => {
    const session = await till.session();
    const none = await fetch(`${session.url}/receipt.pdf`);
    assert.equal(none.status, 404);
    assert.match(await none.text(), /There is no receipt yet/);
    assert.equal((await fetch(`${till.base}/transaction/unknown/receipt.pdf`)).status, 404);
    const [one, other] = [await paidSession(), await paidSession()];
    const mixed = one.url.slice(0, -26) + other.url.slice(-26);
    assert.equal((await fetch(`${mixed}/receipt.pdf`)).status, 404);
  });

  test('is one click away from the page', async () => {
    const session = await paidSession();
    const page = await till.page();
    for (const [address, query] of [
      [session.url, ''],
      [`${session.url}/receipt`, ''],
      [`${session.url}?lang=fr`, '?lang=fr'],
    ] as const) {
      await page.goto(address);
      const link = page.getByRole('link', { name: 'PDF' });
      assert.equal(
        new URL((await link.getAttribute('href')) ?? '', session.url).href,
        `${session.url}/receipt.pdf${query}`,
      );
    }
  });
});

suite('documents of an account with a logo', () => {
  test('have it from the moment that it is set, and no longer than that', async () => {
    const session = await paidSession();
    const url = `${session.url}/receipt.pdf`;
    const without = (await fileAt(url)).bytes;
    const sizeIn = (bytes: Buffer) => / Width (\d+)/.exec(bytes.toString('latin1').replaceAll('/', ' '))?.[1];
    assert.equal(sizeIn(without), undefined);
    await till.api('PUT', '/logo', png({ width: 320, height: 96 }));
    assert.equal(sizeIn((await fileAt(url)).bytes), '320');
    await till.api('PUT', '/logo', png({ width: 200, height: 96 }));
    assert.equal(sizeIn((await fileAt(url)).bytes), '200');
    await till.ask('DELETE', '/logo');
    assert.ok((await fileAt(url)).bytes.equals(without));
  });
});

suite('the invoice', () => {
  test('says how to transfer for as long as that is waited for', async () => {
    const session = await till.session({ ...payer, payment_methods: [TRANSFER, 'card'] });
    assert.equal((await fetch(`${session.url}/invoice.pdf`)).status, 404);
    await chooseMethod(session, TRANSFER);
    const waiting = await till.fetch(session.id);
    assert.deepEqual(waiting.transaction_documents, [{ type: 'invoice', url: `${session.url}/invoice.pdf` }]);
    const [attempt] = waiting.payment_attempts as ReadonlyArray<{
      payment_method_details: { reference: string };
    }>;
    const reference = attempt?.payment_method_details.reference ?? '';
    const { headers, letters } = await fileAt(`${session.url}/invoice.pdf?lang=de`);
    assert.match(headers.get('content-disposition') ?? '', /^inline; filename="invoice-[\w.-]+\.pdf"$/);
    for (const part of [
      'Rechnung',
      'Empfänger',
      'DE89 3704 0044 0532 0130 00',
      displayReference(reference),
      '42,50',
    ]) {
      assert.ok(letters.includes(packed(part)), part);
    }
    await till.pay(session.id);
    const answer = await fetch(`${session.url}/invoice.pdf?lang=de`, { redirect: 'manual' });
    assert.equal(answer.status, 303);
    assert.equal(new URL(answer.headers.get('location') ?? '', session.url).href, `${session.url}?lang=de`);
    const { transaction_documents } = await till.fetch(session.id);
    assert.deepEqual(transaction_documents, [{ type: 'receipt', url: `${session.url}/receipt.pdf` }]);
  });
});

suite('the documents of one session', () => {
  test('are as many as there are ways to write it, and not one for each name of a region', async () => {
    const { url } = await paidSession();
    const bytesFor = async (language: string) => {
      const answer = await made(`${url}/receipt.pdf`, { headers: { 'accept-language': language } });
      assert.equal(answer.status, 200, language);
      return Buffer.from(await answer.arrayBuffer());
    };
    const german = await bytesFor('de');
    assert.ok(!german.equals(await bytesFor('de-CH')), 'the Swiss write amounts in their own way');
    const regions = ['AA', 'AB', 'QX', 'ZZ', 'US', 'DE'].map((region) => bytesFor(`de-${region}`));
    // All at once, which more than two different documents could not be.
    for (const bytes of await Promise.all(regions)) assert.equal(bytes.length, german.length);
  });

  test('are refused without a fuss where two are under way, which they are not once their payer is gone', async (context) => {
    const lines: string[] = [];
    const logger = pino({ level: 'info' }, { write: (text: string) => lines.push(text) });
    const service = await startService(context, { logger });
    const { id, url } = await createSession(service);
    await pay(service, id);
    const askFor = (language: string, signal: AbortSignal) =>
      fetch(`${url}/receipt.pdf?lang=${language}`, { signal });
    const [others, payer] = [new AbortController(), new AbortController()];
    context.after(() => others.abort());
    const tenant = { account: service.account.number, mode: 'test' } as const;
    const queue = Array.from({ length: 20 }, () =>
      receiptPdf(longReceipt, { tenant: tenantName(tenant), unwanted: others.signal }),
    );
    // Nothing of this session is drawn behind the queue: the first answer of three is that of the third to come.
    const asked = ['de', 'fr', 'it'].map((language) => askFor(language, payer.signal));
    const refused = await Promise.race(asked);
    assert.equal(refused.status, 503);
    assert.equal(refused.headers.get('retry-after'), '5');
    assert.match(await refused.text(), /<h1>(?:Etwas|Une erreur|Qualcosa)/);
    const [entry, ...more] = lines.map((text) => JSON.parse(text)).filter(({ level }) => level > 30);
    assert.deepEqual([entry?.level, entry?.err, typeof entry?.request_id], [40, undefined, 'string']);
    assert.deepEqual(more, []);

    payer.abort();
    await Promise.allSettled(asked);
    // The next one is begun as soon as the service has noticed that, while the queue still stands.
    const { store } = service.service;
    const checkout = await store.checkouts.fetch(tenant, id);
    assert.ok(checkout);
    const locale = localeOf(undefined, 'es');
    const place = { path: '', offers: [], missing: [], leavesPage: false, isChoosing: false, now: 0 };
    const visit = { checkout, account: service.account, payee: service.account.name, locale, ...place };
    const begins = () =>
      fileOf(visit, 'receipt', { checkoutUrl: url, store }, new AbortController().signal).catch(
        (error) => error,
      );
    // One that is refused says so at once; the service has its turn before the next.
    while ((await Promise.race([begins(), nextTurn('begun')])) !== 'begun') await nextTurn();
    others.abort();
    await Promise.allSettled(queue);
    assert.equal((await made(`${url}/receipt.pdf?lang=es`)).status, 200);
    const warnings = lines.filter((text) => JSON.parse(text).level > 30);
    assert.equal(warnings.length, 1, 'that a payer has left is nobody’s business');
  });
});

test('a payer whose document takes long is told that it is being made, and gets it a moment later', async (context) => {
  const service = await startService(context, { documentWaitMs: 1 });
  const session = await createSession(service);
  await pay(service, session.id);
  const early = await fetch(`${session.url}/receipt.pdf?lang=de`);
  assert.equal(early.status, 503);
  assert.deepEqual([early.headers.get('retry-after'), early.headers.get('refresh')], ['3', '3']);
  assert.match(await early.text(), /<h1>Das Dokument wird erstellt/);
  const { status, headers } = await made(`${session.url}/receipt.pdf?lang=de`);
  assert.deepEqual([status, headers.get('content-type')], [200, 'application/pdf']);
});

suite('the code on the receipt', () => {
  async function codeOf(session: Session): Promise<string> {
    const { bytes } = await fileAt(`${session.url}/receipt.pdf`);
    const [first] = await render(bytes, { part: [0, 1] });
    return first ? readCode(first) : assert.fail('the receipt has no page');
  }

  test('leads to a page that says what was paid, and not by whom', async () => {
    const session = await paidSession();
    await till.api('POST', '/refund', { payin: session.id, amount: 500 });
    await till.until(`${session.url}/receipt`, /Refunded.*€5\.00/s);
    const url = await codeOf(session);
    assert.match(url, /\/receipt\/\w+$/);
    const page = await till.page();
    await page.goto(url);
    const text = await textIn(page, 'body');
    for (const part of [
      'This receipt is genuine',
      'Acme Coffee',
      'order 7/2030',
      '€42.50',
      '€5.00',
      'Test mode',
    ]) {
      assert.ok(text.includes(part), part);
    }
    const source = await page.content();
    for (const part of ['Ada', 'ada@example.com', 'Canvas bag', session.url])
      assert.ok(!source.includes(part), part);
    await page.goto(`${url}?lang=de`);
    assert.match(await textIn(page, 'main'), /Dieser Beleg ist echt/);
  });

  test('opens nothing else, and no other code opens anything', async () => {
    const [session, other] = [await paidSession(), await paidSession()];
    const [url, otherUrl] = [await codeOf(session), await codeOf(other)];
    const code = url.slice(url.lastIndexOf('/') + 1);
    const token = session.url.slice(session.url.lastIndexOf('/') + 1);
    for (const part of ['', '/receipt', '/receipt.pdf', '/events']) {
      assert.equal((await fetch(`${till.base}/transaction/${code}${part}`)).status, 404);
    }
    const unpaid = await till.session();
    const bodies = new Set<string>();
    for (const wrong of [
      token,
      code.slice(0, -26) + otherUrl.slice(-26),
      code.slice(0, -1) + (code.endsWith('0') ? '1' : '0'),
      code.replace('t', 'v'),
      unpaid.url.slice(unpaid.url.lastIndexOf('/') + 1),
      'x',
      '%00',
    ]) {
      const answer = await fetch(`${till.base}/receipt/${wrong}`);
      assert.equal(answer.status, 404, wrong);
      const body = await answer.text();
      assert.match(body, /This receipt is not known here/);
      bodies.add(body);
    }
    assert.equal(bodies.size, 1, 'nothing tells one wrong code from another');
  });
});
