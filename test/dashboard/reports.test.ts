/** Reports in the dashboard: sums of a time, the rows behind each, and files for bookkeepers. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { MAX_BOOKINGS } from '../../src/accounting/datev.ts';
import { daysIn } from '../../src/accounting/movement.ts';
import { periodsAt } from '../../src/dashboard/money/periods.ts';
import { StoreUnavailable } from '../../src/store/errors.ts';
import { advance, createSession, type Data, now, pay, succeeded } from '../api/shop.ts';
import { refundsAreHeardOf } from '../api/subjects.ts';
import { createTill } from '../cli/db/money.ts';
import { type Page, signedInVisitor, textOf, type Visitor } from '../support/dashboard.ts';
import { startService, type TestService } from '../support/service.ts';

const ends: Array<() => Promise<void>> = [];
let till: TestService;
let visitor: Visitor;

const REPORTS = '/dashboard/1/test/reports';
const EXPORT = `${REPORTS}/export`;
/** A time that the tests are in. */
const ALWAYS = 'from=2020-01-01&before=2100-01-01';

before(async () => {
  till = await startService({ after: (hook) => ends.push(hook) });
  ({ visitor } = await signedInVisitor(till, { role: 'read_only' }));
});
after(async () => {
  for (const end of ends) await end();
});

const hrefs = ({ html }: Page): string[] =>
  [...html.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'));

/** Cells of the row of a table in which a cell has this text. */
function rowWith({ html }: Page, label: string, text: string): string[] {
  const [, table = ''] = new RegExp(`aria-label="${label}"[^>]*>([\\s\\S]*?)</table>`).exec(html) ?? [];
  const rows = table.split('</tr>').map((row) => row.split('</td>').map((html) => textOf({ html })));
  return rows.find((row) => row.some((cell) => cell.includes(text))) ?? assert.fail(`no ${text} in ${label}`);
}

test('time goes by the clock of test mode', async (t) => {
  const service = await startService(t);
  const { visitor } = await signedInVisitor(service, { role: 'read_only' });
  await advance(service, 300 * 86_400);
  const { id } = await createSession(service, { reference_id: 'later', amount: 700 });
  await pay(service, id);
  const page = await visitor.get(REPORTS);
  assert.match(textOf(page), /€7\.00/, 'this month is that of the clock');
  const [month] = periodsAt(await now(service), daysIn('UTC'));
  assert.match(page.html, new RegExp(`name="from"[^>]* value="${month.from}"`));
  assert.ok(hrefs(page).some((href) => href.endsWith(`from=${month.from}&before=${month.before}`)));
  const ofx = await visitor.get(`${EXPORT}?format=ofx&currency=EUR`);
  assert.match(ofx.html, new RegExp(`<DTSERVER>${month.from.slice(0, 7).replace('-', '')}`));
});

test('a time without anything is empty in words, and begins with this month', async () => {
  const page = await visitor.get(REPORTS);
  assert.equal(page.status, 200);
  assert.match(textOf(page), /No money has moved in this time\. .* No session was created in this time\./);
  const [month] = periodsAt(Date.now(), daysIn('UTC'));
  assert.match(page.html, new RegExp(`name="from"[^>]* value="${month.from}"`));
  for (const { name, from, before } of periodsAt(Date.now(), daysIn('UTC')))
    assert.ok(
      hrefs(page).some((href) => href.endsWith(`from=${from}&before=${before}`)),
      name,
    );
});

test('periods are those of the calendar, over the year as well', () => {
  const days = periodsAt(Date.UTC(2030, 1, 28, 23), daysIn('UTC')).map(
    ({ name, from, before }) => `${name} ${from} ${before}`,
  );
  assert.deepEqual(days, [
    'This month 2030-02-01 2030-03-01',
    'Last month 2030-01-01 2030-02-01',
    'This quarter 2030-01-01 2030-04-01',
    'Last quarter 2029-10-01 2030-01-01',
    'This year 2030-01-01 2031-01-01',
    'Last year 2029-01-01 2030-01-01',
  ]);
  const [, last] = periodsAt(Date.UTC(2030, 0, 1), daysIn('UTC'));
  assert.deepEqual([last?.from, last?.before], ['2029-12-01', '2030-01-01']);
  const [berlin] = periodsAt(Date.UTC(2030, 0, 31, 23, 30), daysIn('Europe/Berlin'));
  assert.equal(berlin.from, '2030-02-01', 'the month of the day in the zone');
});

suite('a report', () => {
  let euros: Data;
  before(async () => {
    euros = await createSession(till, { reference_id: 'euro', amount: 4250, invoice_currency: 'EUR' });
    await pay(till, euros.id);
    const tenant = { account: till.account.number, mode: 'test' } as const;
    await createTill(till.service.store, tenant, Date.now()).learnFee(euros.id, 59, 'EUR');
    succeeded(await till.call('POST', '/v3/refund', { body: { payin: euros.id, amount: 250 } }), 201);
    await refundsAreHeardOf(till);
    const yen = await createSession(till, { reference_id: 'yen', amount: 300, invoice_currency: 'JPY' });
    await pay(till, yen.id, { amount: 400 });
    await createSession(till, { reference_id: 'open', amount: 100, invoice_currency: 'EUR' });
  });

  test('has sums by currency, which are never added to one another', async () => {
    const page = await visitor.get(`${REPORTS}?${ALWAYS}`);
    const [, received, late, refunded, reversed, left, fees] = rowWith(
      page,
      'Money by time and currency',
      '€42.50',
    );
    assert.deepEqual(
      [received, late, refunded, reversed, left, fees],
      ['€42.50 1', '€0.00', '€2.50 1', '€0.00', '€40.00', '€0.59 of 1'],
    );
    assert.equal(rowWith(page, 'Money by time and currency', '¥400')[5], '¥400');
    assert.deepEqual(rowWith(page, 'Sessions by the time of their creation', 'EUR').slice(2, 8), [
      ...['2', '1', '€1.00 1', '1', '0', '0'],
    ]);
    assert.equal(rowWith(page, 'Sessions by the time of their creation', 'JPY')[8], '¥100 1');
    assert.deepEqual(rowWith(page, 'Money by rail', '€42.50').slice(1), [
      ...['sandbox', '€42.50 1', '€0.00', '€2.50 1', '€0.00', '€40.00', '€0.59 of 1', ''],
    ]);
  });

  test('is a file of CSV as well', async () => {
    const links = hrefs(await visitor.get(`${REPORTS}?${ALWAYS}&currency=EUR`));
    const csv = await visitor.get(links.find((each) => each.includes('reports.csv')) ?? '');
    assert.match(
      csv.headers.get('content-disposition') ?? '',
      /filename="totals-1-test-2020-01-01-2099-12-31\.csv"/,
    );
    const [names = '', row = '', ...others] = csv.html.trimEnd().split('\r\n');
    assert.deepEqual(others, []);
    assert.match(names, /^from,to,currency,received,received_count,late,/);
    assert.match(
      row,
      /^\S+Z,\S+Z,EUR,42\.50,1,0\.00,0,2\.50,1,0\.00,0,0\.59 EUR,1\.00,1,0\.00,0,2,1,1,0,0,0$/,
    );
    assert.equal((await visitor.get(`${REPORTS}.csv?from=x&before=y`)).status, 422);
    const rails = await visitor.get(links.find((each) => each.includes('reports/rails.csv')) ?? '');
    assert.match(
      rails.headers.get('content-disposition') ?? '',
      /filename="totals-by-rail-1-test-2020-01-01-2099-12-31\.csv"/,
    );
    const [railNames = '', railRow = '', ...further] = rails.html.trimEnd().split('\r\n');
    assert.deepEqual(further, []);
    assert.match(railNames, /^from,to,currency,rail,received,/);
    assert.match(railRow, /^\S+Z,\S+Z,EUR,sandbox,42\.50,1,0\.00,0,2\.50,1,0\.00,0,0\.59 EUR$/);
  });

  test('leads from each number to the rows behind it', async () => {
    const links = hrefs(await visitor.get(`${REPORTS}?${ALWAYS}&currency=EUR`));
    const rows = async (part: string) => {
      const href = links.find((each) => each.includes(part));
      assert.ok(href, part);
      const { html } = await visitor.get(href);
      return [...html.matchAll(/<a data-row href="[^"]*">([^<]*)<\/a>/g)].map(([, reference]) => reference);
    };
    assert.deepEqual(await rows('movements?type=payment&currency=EUR&from=2020-01-01&before=2100-01-01'), [
      'euro',
    ]);
    assert.deepEqual(await rows('movements?type=refund'), ['euro']);
    assert.deepEqual(await rows('sessions?invoice_currency=EUR'), ['open', 'euro']);
    assert.deepEqual(await rows('sessions?status=active'), ['open']);
    assert.deepEqual(await rows('sessions?status=active&amount%5Bgte%5D=0.01'), ['open']);
    assert.deepEqual(await rows('before=2100-01-01&rail=sandbox'), ['euro']);
    const yen = hrefs(await visitor.get(`${REPORTS}?${ALWAYS}`)).find((each) =>
      each.includes('paid_in_excess'),
    );
    assert.match(textOf(await visitor.get(yen ?? '')), /yen/);
  });

  test('is divided into months of a time zone, with its days, and says what an interval needs', async () => {
    const query = 'from=2025-01-01&before=2035-01-01&interval=month';
    const page = await visitor.get(`${REPORTS}?${query}&currency=EUR&time_zone=Europe/Berlin`);
    const month = daysIn('Europe/Berlin')(new Date().toISOString()).slice(0, 7);
    for (const label of ['Money by time and currency', 'Sessions by the time of their creation'])
      assert.match(
        rowWith(page, label, month)[0] ?? '',
        new RegExp(`^${month}-01 – ${month}-(28|29|30|31)$`),
      );
    assert.match(page.html, /<th[^>]*>Days \(Europe\/Berlin\)<\/th>/);
    const wrong = await visitor.get(`${REPORTS}?${query}`);
    assert.equal(wrong.status, 422);
    assert.match(wrong.html, /id="field-currency-wrong"/);
  });

  for (const [query, field] of [
    ['from=2030-02-30&before=2030-03-01', 'from'],
    ['from=2026-01-01&before=2026-13-01', 'before'],
    ['from=2025-01-01&before=2035-01-01&currency=EUR&interval=day', 'interval'],
    ['from=yesterday&before=2030-03-01', 'from'],
    ['from=2030-03-01&before=', 'before'],
    ['from=2030-03-01&before=2030-03-01', 'before'],
    [`${ALWAYS}&time_zone=Mars/Base`, 'time_zone'],
    [`${ALWAYS}&currency=gold`, 'currency'],
  ] as const) {
    test(`that is asked for wrongly says so beside its field: ${query}`, async () => {
      const page = await visitor.get(`${REPORTS}?${query}`);
      assert.equal(page.status, 422);
      assert.match(page.html, new RegExp(`id="field-${field}-wrong"`));
      assert.doesNotMatch(page.html, /created_at\[/, 'the words are those of the screen');
    });
  }

  suite('is exported', () => {
    const today = new Date().toISOString().slice(0, 4);
    const year = `from=${today}-01-01&before=${Number(today) + 1}-01-01`;

    test('as a journal of hledger, and as CSV of all currencies', async () => {
      const journal = await visitor.get(`${EXPORT}?${ALWAYS}&format=hledger&hledger.income_account=Sales`);
      assert.match(
        journal.headers.get('content-disposition') ?? '',
        /filename="1-test-2020-01-01-2099-12-31\.journal"/,
      );
      assert.match(
        journal.html,
        /\) euro\n.*\n {4}assets:opentill:sandbox {2}42\.50 EUR\n {4}Sales {2}-42\.50 EUR\n {4}expenses:fees {2}0\.59 EUR/,
      );
      assert.match(journal.html, / 400 JPY\n/);
      const csv = await visitor.get(`${EXPORT}?${ALWAYS}&format=csv&currency=jpy`);
      assert.deepEqual(csv.html.trimEnd().split('\r\n').length, 2);
    });

    test('as a statement of OFX in one currency', async () => {
      const ofx = await visitor.get(`${EXPORT}?${ALWAYS}&format=ofx&currency=EUR`);
      assert.equal(ofx.headers.get('content-type'), 'application/x-ofx');
      assert.match(ofx.html, /<BALAMT>39\.41\r\n/);
      const without = await visitor.get(`${EXPORT}?${ALWAYS}&format=ofx`);
      assert.equal(without.status, 422);
      assert.match(
        without.html,
        /id="field-currency-wrong">This must be given: a statement is in one currency\./,
      );
    });

    test('as bookings of DATEV in its encoding, of one fiscal year', async () => {
      const numbers = 'format=datev&currency=EUR&datev.consultant=1001&datev.client=7';
      const response = await fetch(`${till.url}${EXPORT}?${year}&${numbers}`, {
        headers: { cookie: visitor.cookie(), 'sec-fetch-site': 'same-origin' },
      });
      const bytes = Buffer.from(await response.arrayBuffer());
      assert.match(response.headers.get('content-disposition') ?? '', /filename="EXTF_1-test-/);
      assert.ok(bytes.includes(Buffer.from('"R\xfcckzahlung sandbox rfd_', 'latin1')));
      assert.match(bytes.toString('latin1'), /\r\n42,50;"S";"EUR";;;;1360;10000;/);
      const long = await visitor.get(`${EXPORT}?${ALWAYS}&${numbers}&datev.money_account=x`);
      assert.equal(long.status, 422);
      for (const name of ['money_account', 'year_begin'])
        assert.match(long.html, new RegExp(`id="field-datev\\.${name}-wrong"`));
      assert.match(long.html, /name="datev\.client"[^>]* value="7"/, 'what was typed stays');
      const monthly = await visitor.get(`${EXPORT}?${ALWAYS}&${numbers}&interval=month`);
      assert.match(monthly.html, /<option value="month" selected>/, 'and the interval as well');
      const form = monthly.html.slice(monthly.html.indexOf('action="/dashboard/1/test/reports/export"'));
      assert.match(form, /<input type="hidden" name="interval" value="month">/);
    });

    test('as bookings of DATEV for the whole time where its months are shown, and not if their sums are refused', async (t) => {
      const numbers = 'format=datev&currency=EUR&datev.consultant=1001&datev.client=7';
      const { totals } = till.service.store;
      const { movements } = totals;
      const sums = t.mock.method(totals, 'movements', async (...given: Parameters<typeof movements>) => {
        const [, { intervals }] = given;
        const found = await movements.apply(totals, given);
        // Less than what one file may have in each interval, and a booking too much in all of them.
        const count = intervals.length > 1 ? 30_000 : MAX_BOOKINGS + 1;
        return found.map((each) => (each.of === 'all' ? { ...each, count } : each));
      });
      const long = await visitor.get(`${EXPORT}?${year}&${numbers}&interval=month`);
      assert.equal(long.status, 422);
      assert.match(long.html, /id="field-format-wrong">One file of DATEV has at most 99999 bookings/);
      sums.mock.mockImplementation(async () => {
        throw new StoreUnavailable('the database is away');
      });
      const refused = await visitor.get(`${EXPORT}?${year}&${numbers}`);
      assert.deepEqual([refused.status, refused.headers.get('content-disposition')], [503, null]);
    });

    test('as bookings of DATEV with what there was when it began, and not with what comes meanwhile', async (t) => {
      const numbers = 'format=datev&currency=EUR&datev.consultant=1001&datev.client=7';
      const { totals, movements } = till.service.store;
      const { movements: sums } = totals;
      const bookings = (file: string) => file.trimEnd().split('\r\n').slice(2);
      const before = bookings((await visitor.get(`${EXPORT}?${year}&${numbers}`)).html);
      let comes = async () => {
        comes = async () => {};
        await advance(till, 1);
        const late = await createSession(till, { reference_id: 'meanwhile', amount: 900 });
        await pay(till, late.id);
      };
      // As many as a file may have, of what there was.
      const room = MAX_BOOKINGS - before.length;
      t.mock.method(totals, 'movements', async (...given: Parameters<typeof sums>) => {
        await comes();
        const found = await sums.apply(totals, given);
        return found.map((each) => (each.of === 'all' ? { ...each, count: each.count + room } : each));
      });
      const page = await visitor.get(`${EXPORT}?${year}&${numbers}`);
      assert.equal(page.status, 200);
      assert.deepEqual(bookings(page.html), before);
      const payin = { currency: 'EUR', type: 'payment' } as const;
      const tenant = { account: till.account.number, mode: 'test' } as const;
      const [newest] = (await movements.list(tenant, payin, { limit: 1 })).rows;
      assert.equal(newest?.referenceId, 'meanwhile', 'the payment has come');
      // The next file has it, and would be too long.
      const next = await visitor.get(`${EXPORT}?${year}&${numbers}`);
      assert.match(next.html, /id="field-format-wrong">One file of DATEV has at most/);
    });

    test('in no other format, and not for a wrong time', async () => {
      const other = await visitor.get(`${EXPORT}?${ALWAYS}&format=pdf`);
      assert.match(other.html, /id="field-format-wrong"/);
      assert.equal((await visitor.get(`${EXPORT}?from=x&before=y&format=csv`)).status, 422);
      const backwards = await visitor.get(`${EXPORT}?from=2030-03-01&before=2030-01-01&format=csv`);
      assert.equal(backwards.status, 422);
    });
  });
});
