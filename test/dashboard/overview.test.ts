/** The overview: what waits for a person, sums of a period, and the first hour of an account. */
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { StoreUnavailable } from '../../src/store/errors.ts';
import { awaitTransfer, configure, entries, imported } from '../api/bank.ts';
import { createEndpoint, deliveries, updateEndpoint } from '../api/endpoint.ts';
import { startReceiver } from '../api/receiver.ts';
import { advance, createSession, now, pay, succeeded, until } from '../api/shop.ts';
import { type Page, signedInVisitor, textOf, type Visitor } from '../support/dashboard.ts';
import { freshTestDatabase } from '../support/database.ts';
import { startService, type TestService } from '../support/service.ts';

const TEST = '/dashboard/1/test/overview';
const LIVE = '/dashboard/1/live/overview';
const DAY_SECONDS = 86_400;
/** As far as a test clock goes at once. */
const YEAR_MS = 365 * DAY_SECONDS * 1000;
/** Noon of a day in the middle of a month. */
const START = Date.UTC(2035, 4, 15, 12);

/** A service whose clock of test mode has come to that time, and who is signed in. */
async function begun(t: TestContext) {
  const service = await startService(t);
  const { visitor } = await signedInVisitor(service);
  for (let left = START - (await now(service)); left > 0; left -= YEAR_MS)
    await advance(service, Math.ceil(Math.min(left, YEAR_MS) / 1000));
  return { service, visitor };
}

/** The items that wait, as texts with their links. */
function waitingIn({ html }: Page): ReadonlyArray<readonly [text: string, href: string | null]> {
  const [, list = ''] = /<ul class="waiting">([\s\S]*?)<\/ul>/.exec(html) ?? [];
  return [...list.matchAll(/<li>([\s\S]*?)<\/li>/g)].map(([, item = '']) => [
    item.replaceAll(/<[^>]*>/g, '').trim(),
    /href="([^"]*)"/.exec(item)?.[1] ?? null,
  ]);
}

/** Rows of the table with this label, as texts. */
function rowsOf({ html }: Page, label: string): string[][] {
  const [, body = ''] =
    new RegExp(`aria-label="${label}"[\\s\\S]*?<tbody>([\\s\\S]*?)</tbody>`).exec(html) ?? [];
  return [...body.matchAll(/<tr>([\s\S]*?)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/<td[^>]*>([\s\S]*?)<\/td>/g)].map(([, cell = '']) => cell.replaceAll(/<[^>]*>/g, '')),
  );
}

async function shown(visitor: Visitor, path: string, status = 200): Promise<Page> {
  const page = await visitor.get(path);
  assert.equal(page.status, status, textOf(page));
  return page;
}

async function paidSession(service: TestService, amount: number, paid = amount) {
  const session = await createSession(service, { invoice_currency: 'EUR', amount });
  await pay(service, session.id, { amount: paid });
  return session;
}

test('the dashboard begins with it', async (t) => {
  const { visitor } = await begun(t);
  assert.equal((await visitor.get('/dashboard')).location, LIVE);
});

suite('what waits for a person', () => {
  test('is told with its number and the way to it, until it is done', async (t) => {
    const { service, visitor } = await begun(t);
    await configure(service);
    const { id, reference } = await awaitTransfer(service);
    assert.match(textOf(await shown(visitor, TEST)), /Nothing waits for a person/);

    await imported(service, [
      { amount: 2500, reference },
      { amount: 1200, reference: 'nobody knows it' },
    ]);
    succeeded(await service.call('POST', '/v3/refund', { body: { payin: id, amount: 100 } }), 201);
    await paidSession(service, 2000, 2100);
    await paidSession(service, 2000, 2200);
    await createEndpoint(service, { url: 'http://127.0.0.1:9/', status: 'disabled' });
    const sessions = '/dashboard/1/test/sessions';
    const webhooks = '/dashboard/1/test/webhooks';
    assert.deepEqual(waitingIn(await shown(visitor, TEST)), [
      ['1 bank entry fits no session', '/dashboard/1/test/bank'],
      ['2 sessions are paid in excess, and nothing goes back', `${sessions}?paid_in_excess=true`],
      ['1 refund by transfer waits to be paid out or settled', '/dashboard/1/test/movements?type=refund'],
      ['1 endpoint is disabled', webhooks],
    ]);
    const [excess] = waitingIn(await shown(visitor, TEST)).filter(([text]) => text.includes('excess'));
    assert.equal((textOf(await visitor.get(excess?.[1] ?? '')).match(/excess/g) ?? []).length >= 2, true);

    const [entry] = await entries(service, '&status=open');
    succeeded(
      await service.call('POST', `/v3/bank_entry/${entry.id}/ignore`, { body: { reason: 'Interest' } }),
    );
    assert.equal(waitingIn(await shown(visitor, TEST)).length, 3);
  });

  test('has failed webhooks behind one click', async (t) => {
    const { service, visitor } = await begun(t);
    const receiver = await startReceiver(t, () => 500);
    const { id } = await createEndpoint(service, { url: receiver.url });
    await createSession(service);
    await until(async () => (await deliveries(service))[0]?.attempts === 1);
    await updateEndpoint(service, id, { status: 'disabled' });
    await until(async () => (await deliveries(service, '&status=failed')).length === 1);
    const page = await shown(visitor, TEST);
    const failed = waitingIn(page).find(([text]) => text === '1 webhook was given up');
    assert.match(textOf(await shown(visitor, failed?.[1] ?? '')), /failed/);
    assert.deepEqual(rowsOf(page, 'webhooks'), [
      ['delivered', '0'],
      ['pending', '0'],
      ['failed', '1'],
    ]);
  });

  test('leads nobody where they may not go', async (t) => {
    const database = await freshTestDatabase();
    const service = await startService(t, { database });
    const secrets = { secret_key: 'sk_test_1', webhook_secret: 'whsec_1' };
    succeeded(await service.call('PUT', '/v3/rail_credentials/stripe', { body: secrets }), 201);
    await service.stop();
    const again = await startService(t, { database, env: { CREDENTIALS_KEY: '11'.repeat(32) } });
    t.after(database.remove);
    await createSession(again);
    const text = '1 set of credentials cannot be opened with the key of this service: enter them again';
    const { visitor: owner } = await signedInVisitor(again, { email: 'other-owner@example.com' });
    assert.deepEqual(waitingIn(await shown(owner, TEST)), [[text, '/dashboard/1/test/settings']]);
    const { visitor: support } = await signedInVisitor(again, {
      role: 'support',
      email: 'support@example.com',
    });
    assert.deepEqual(waitingIn(await shown(support, TEST)), []);
  });

  test('has a currency of live sessions that no method takes any more', async (t) => {
    const { service, visitor } = await begun(t);
    const { authorization } = await service.createKey({ mode: 'live' });
    const body = { invoice_currency: 'EUR', amount: 100 };
    succeeded(await service.call('POST', '/v3/checkout', { body, headers: { authorization } }), 201);
    assert.deepEqual(waitingIn(await shown(visitor, LIVE)), []);
    await configure(service, { receivingAccounts: [] }, { mode: 'live' });
    const text = 'No payment method for EUR is set up: sessions in it are refused';
    assert.deepEqual(waitingIn(await shown(visitor, LIVE)), [[text, '/dashboard/1/live/settings']]);
    const { visitor: support } = await signedInVisitor(service, {
      role: 'support',
      email: 'support@example.com',
    });
    assert.deepEqual(waitingIn(await shown(support, LIVE)), [[text, null]]);
  });
});

suite('the sums of a period', () => {
  test('are those of its days, in a table under each plot', async (t) => {
    const { service, visitor } = await begun(t);
    await paidSession(service, 1000);
    await advance(service, DAY_SECONDS);
    await paidSession(service, 2000, 500);
    const full = await createSession(service, { invoice_currency: 'EUR', amount: 3000 });
    await advance(service, 600);
    await pay(service, full.id);
    succeeded(await service.call('POST', '/v3/refund', { body: { payin: full.id, amount: 700 } }), 201);
    await createSession(service, { invoice_currency: 'JPY', amount: 100 });

    const page = await shown(visitor, `${TEST}?period=7d&currency=EUR`);
    const volume = rowsOf(page, 'volume');
    assert.deepEqual(
      volume.map(([day]) => day),
      ['10', '11', '12', '13', '14', '15', '16'].map((day) => `2035-05-${day}`),
    );
    assert.deepEqual(volume.slice(-3), [
      ['2035-05-14', '0', '€0.00', '€0.00', '€0.00', '€0.00'],
      ['2035-05-15', '1', '€10.00', '€0.00', '€0.00', '€0.00'],
      ['2035-05-16', '2', '€35.00', '€7.00', '€0.00', '€0.00'],
    ]);
    assert.deepEqual(rowsOf(page, 'sessions and paid rate').slice(-3), [
      ['2035-05-14', '0', '0', '–', '0', '0'],
      ['2035-05-15', '1', '1', '100.0 %', '0', '0'],
      ['2035-05-16', '2', '1', '50.0 %', '1', '0'],
    ]);
    assert.deepEqual(rowsOf(page, 'time to pay').slice(0, 3), [
      ['≤ 1 min', '1'],
      ['≤ 10 min', '0'],
      ['≤ 1 h', '1'],
    ]);
    const text = textOf(page);
    assert.match(text, /Received\s*€45\.00 in 3 payments/);
    assert.match(text, /Paid of them\s*66\.7 %\s*, 2/);
    assert.match(text, /Nine of ten within\s*10 min/);

    // Each plot says what it is, and no style stands in it.
    const plots = [...page.html.matchAll(/<svg[\s\S]*?<\/svg>/g)].map(([plot]) => plot);
    assert.equal(plots.length, 5);
    for (const plot of plots) {
      assert.match(
        plot,
        /role="img" aria-labelledby="(\S+)-title \1-summary">\s*<title id="\1-title">[^<]+<\/title><desc id="\1-summary">[^<]+<\/desc>/,
      );
      assert.doesNotMatch(plot, /style|NaN|undefined/);
    }
    const bars = (plots[0]?.match(/class="bar"[^>]*height="([\d.]+)"/g) ?? []).map((each) =>
      Number(/height="([\d.]+)"/.exec(each)?.[1]),
    );
    assert.equal(bars.length, 2);
    assert.ok(Math.abs((bars[1] ?? 0) / (bars[0] ?? 1) - 3.5) < 0.01, String(bars));
  });

  test('are of the currency of the newest session, and of another one that is chosen', async (t) => {
    const { service, visitor } = await begun(t);
    await paidSession(service, 1000);
    await createSession(service, { invoice_currency: 'JPY', amount: 100 });
    const page = await shown(visitor, TEST);
    assert.match(page.html, /currency=JPY" aria-current="true">JPY/);
    assert.match(textOf(page), /Received\s*¥0 in 0/);
    const [, href = ''] = /href="([^"]*currency=EUR)"/.exec(page.html) ?? [];
    assert.match(textOf(await shown(visitor, href.replaceAll('&amp;', '&'))), /Received\s*€10\.00 in 1/);
  });

  test('are of a currency in any letters, which is marked, with one that no session is in', async (t) => {
    const { service, visitor } = await begun(t);
    await paidSession(service, 1000);
    await createSession(service, { invoice_currency: 'JPY', amount: 100 });
    for (const [asked, current] of [
      ['eur', 'EUR'],
      ['usd', 'USD'],
    ]) {
      const { html } = await shown(visitor, `${TEST}?currency=${asked}`);
      const [, ways = ''] = /<nav class="row" aria-label="Currency">([\s\S]*?)<\/nav>/.exec(html) ?? [];
      assert.deepEqual(
        [...ways.matchAll(/aria-current="true">(\w+)/g)].map(([, each]) => each),
        [current],
      );
    }
  });

  test('that cannot be read now say so, and are read again at once', async (t) => {
    const { service, visitor } = await begun(t);
    await paidSession(service, 1000);
    const { totals } = service.service.store;
    const away = t.mock.method(totals, 'movements', async () => {
      throw new StoreUnavailable('away');
    });
    const page = await shown(visitor, TEST);
    assert.match(textOf(page), /The sums of this period took too long/);
    away.mock.restore();
    assert.match(textOf(await shown(visitor, TEST)), /Received\s*€10\.00 in 1/);
  });

  test('have weeks or months where there are many days', async (t) => {
    const { service, visitor } = await begun(t);
    await paidSession(service, 1000);
    const months = rowsOf(await shown(visitor, `${TEST}?period=12m`), 'volume');
    assert.deepEqual(
      [months.length, months[0]?.[0], months.at(-1)],
      [12, '2034-06', ['2035-05', '1', '€10.00', '€0.00', '€0.00', '€0.00']],
    );
    const weeks = rowsOf(await shown(visitor, `${TEST}?period=90d`), 'volume');
    assert.equal(weeks.length, 14);
    // The first day, and then Mondays.
    assert.deepEqual(
      [weeks[0]?.[0], weeks[1]?.[0], weeks.at(-1)?.[0]],
      ['2035-02-15', '2035-02-19', '2035-05-14'],
    );
    assert.equal(rowsOf(await shown(visitor, TEST), 'volume').length, 30);
  });

  test('of no such period or currency are refused in words, with the work that waits all the same', async (t) => {
    const { service, visitor } = await begun(t);
    await paidSession(service, 1000, 1100);
    const period = await shown(visitor, `${TEST}?period=constructor`, 422);
    assert.match(textOf(period), /There is no such period/);
    assert.equal(waitingIn(period).length, 1);
    assert.match(textOf(await shown(visitor, `${TEST}?currency=%22%3E%3Cb%3E`, 422)), /currency/);
  });

  test('that are too large to be told say so, beside the work that waits', async (t) => {
    const { service, visitor } = await begun(t);
    await paidSession(service, 1000, 1100);
    for (let index = 0; index < 10; index++) {
      const session = await createSession(service, { invoice_currency: 'JPY', amount: 999_999_999_999_999 });
      await pay(service, session.id);
    }
    const page = await shown(visitor, TEST);
    assert.match(textOf(page), /must be later: a sum exceeds 9007199254740991/);
    assert.equal(waitingIn(page).length, 1);
    assert.match(textOf(await shown(visitor, `${TEST}?currency=eur`)), /Received\s*€11\.00 in 1/);
  });

  test('are shown in the order of the clock of test mode', async (t) => {
    const { service, visitor } = await begun(t);
    await createSession(service);
    await advance(service, 40 * DAY_SECONDS);
    const rows = rowsOf(await shown(visitor, TEST), 'volume');
    assert.equal(rows.at(-1)?.[0], '2035-06-24');
    const live = await service.createKey({ mode: 'live' });
    const headers = { authorization: live.authorization };
    const body = { invoice_currency: 'EUR', amount: 100 };
    succeeded(await service.call('POST', '/v3/checkout', { body, headers }), 201);
    const today = new Date().toISOString().slice(0, 10);
    assert.equal(rowsOf(await shown(visitor, LIVE), 'volume').at(-1)?.[0], today);
  });
});

suite('the first hour', () => {
  const stepsIn = ({ html }: Page) =>
    [...html.matchAll(/<li><p><strong>([^<]*)<\/strong> <span[^>]*>([^<]*)<\/span>([\s\S]*?)<\/li>/g)].map(
      ([, name, state, rest = '']) => [name, state, /href="([^"]*)"/.exec(rest)?.[1] ?? null],
    );

  test('leads an owner from nothing to a live key, and checks off what is there', async (t) => {
    const { service, visitor } = await begun(t);
    assert.deepEqual(stepsIn(await shown(visitor, LIVE)), [
      ['Say where the money goes', 'to do', '/dashboard/1/live/settings/new-receiving-account'],
      ['Take a test payment', 'to do', '/dashboard/1/test/sessions/new'],
      ['Have your shop told', 'to do', '/dashboard/1/test/webhooks/new-endpoint'],
      ['Give your shop a live key', 'to do', '/dashboard/1/live/keys'],
    ]);
    const done = async () => stepsIn(await shown(visitor, LIVE)).map(([, state]) => state === 'done');
    await paidSession(service, 1000);
    assert.deepEqual(await done(), [false, true, false, false]);
    await createEndpoint(service);
    assert.deepEqual(await done(), [false, true, true, false]);
    // It makes an account that takes transfers, too.
    const { id, authorization } = await service.createKey({ mode: 'live' });
    assert.deepEqual(await done(), [true, true, true, true]);
    succeeded(await service.call('POST', `/v3/api_key/${id}/revoke`, { headers: { authorization } }));
    assert.deepEqual(await done(), [true, true, true, false]);
    for (const [, , href] of stepsIn(await shown(visitor, LIVE)))
      if (typeof href === 'string') await shown(visitor, href);
  });

  test('is for owners, and ends with the first session', async (t) => {
    const { service, visitor } = await begun(t);
    const { visitor: other } = await signedInVisitor(service, {
      role: 'read_only',
      email: 'other@example.com',
    });
    const page = await shown(other, LIVE);
    assert.deepEqual(stepsIn(page), []);
    assert.match(textOf(page), /Nobody has been asked for money yet/);
    assert.equal(stepsIn(await shown(visitor, TEST)).length, 4);
    await createSession(service);
    assert.equal(stepsIn(await shown(visitor, TEST)).length, 0);
    assert.equal(stepsIn(await shown(visitor, LIVE)).length, 4);
  });
});
