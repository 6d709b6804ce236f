/** Movements of money in the dashboard: filters, pages, files, and refunds that people settle by hand. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { awaitTransfer, configure, imported } from '../api/bank.ts';
import { createSession, type Data, pay, succeeded } from '../api/shop.ts';
import { refundsAreHeardOf } from '../api/subjects.ts';
import { formIn, PASSWORD, type Page, signedInVisitor, textOf, type Visitor } from '../support/dashboard.ts';
import { startService, type TestService } from '../support/service.ts';

const ends: Array<() => Promise<void>> = [];
let till: TestService;
let reader: Visitor;
let finance: Visitor;
let laterMs = 0;

const LIST = '/dashboard/1/test/movements';

before(async () => {
  till = await startService({ after: (hook) => ends.push(hook) }, { realNow: () => Date.now() + laterMs });
  ({ visitor: reader } = await signedInVisitor(till, { role: 'read_only', email: 'reader@example.com' }));
  ({ visitor: finance } = await signedInVisitor(till, { role: 'finance', email: 'finance@example.com' }));
});
after(async () => {
  for (const end of ends) await end();
});

const refund = async (payin: string, amount: number): Promise<Data> =>
  succeeded(await till.call('POST', '/v3/refund', { body: { payin, amount } }), 201);

/** References of the sessions in the rows of a page. */
const references = ({ html }: Page): string[] =>
  [...html.matchAll(/<a data-row href="[^"]*">([^<]*)<\/a>/g)].map(([, reference = '']) => reference);

const hrefs = ({ html }: Page): string[] =>
  [...html.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'));

test('an account without movements says when there are some', async () => {
  const page = await reader.get(LIST);
  assert.equal(page.status, 200);
  assert.match(textOf(page), /No money has moved yet\./);
  assert.match(textOf(await reader.get(`${LIST}?type=refund`)), /No movement matches\. Show all movements/);
});

suite('movements', () => {
  let paid: Data;
  let gone: Data;
  before(async () => {
    paid = await createSession(till, { reference_id: 'euro', amount: 4250, invoice_currency: 'EUR' });
    await pay(till, paid.id);
    gone = await refund(paid.id, 250);
    const yen = await createSession(till, { reference_id: '=yen', amount: 300, invoice_currency: 'JPY' });
    await pay(till, yen.id);
    await refundsAreHeardOf(till);
  });

  test('are shown newest first, with what went back below zero, and lead to their session and refund', async () => {
    const page = await reader.get(LIST);
    assert.deepEqual(references(page), ['=yen', 'euro', 'euro']);
    for (const part of ['¥300', '-€2.50', '€42.50', 'refund succeeded', 'sandbox'])
      assert.ok(textOf(page).includes(part), `${part} in ${textOf(page)}`);
    assert.ok(hrefs(page).includes(`/dashboard/1/test/sessions/${paid.id}`));
    assert.ok(hrefs(page).includes(`/dashboard/1/test/refunds/${gone.id}`));
  });

  test('are found by each filter, which a link removes, and together', async () => {
    for (const [query, expected] of [
      ['type=refund', ['euro']],
      ['currency=jpy', ['=yen']],
      [`payin=${paid.id}`, ['euro', 'euro']],
      [`reference=${gone.id}`, ['euro']],
      ['rail=sandbox&type=payment', ['=yen', 'euro']],
      ['rail=bank', []],
      ['late=true', []],
      ['from=2100-01-01', []],
      ['before=2100-01-01', ['=yen', 'euro', 'euro']],
    ] as const) {
      assert.deepEqual(references(await reader.get(`${LIST}?${query}`)), expected, query);
    }
    const links = hrefs(await reader.get(`${LIST}?type=refund&currency=EUR`));
    assert.ok(links.includes(`${LIST}?currency=EUR`) && links.includes(`${LIST}?type=refund`));
  });

  test('that a wrong filter asks for are none, and the field says why', async () => {
    const page = await reader.get(`${LIST}?payin=x&currency=EUR`);
    assert.equal(page.status, 422);
    assert.match(page.html, /id="field-payin-wrong"/);
    assert.deepEqual(references(page), []);
    assert.equal((await reader.get(`${LIST}.csv?payin=x`)).status, 422);
  });

  test('go on behind a page, with the same filters', async () => {
    const { id } = await createSession(till, { reference_id: 'many', invoice_currency: 'USD' });
    for (let number = 0; number < 51; number++) await pay(till, id, { amount: 1 + number });
    const first = await reader.get(`${LIST}?currency=USD`);
    assert.equal(references(first).length, 50);
    const older = hrefs(first).find((href) => href.includes('after='));
    assert.ok(older?.includes('currency=USD'));
    const second = await reader.get(older ?? '');
    assert.deepEqual(references(second), ['many']);
    assert.ok(hrefs(second).includes(`${LIST}?currency=USD`));
  });

  test('are exported as CSV and JSON Lines, all that match', async () => {
    const csv = await reader.get(`${LIST}.csv?currency=JPY`);
    assert.match(csv.headers.get('content-disposition') ?? '', /filename="movements-1-test\.csv"/);
    const [names = '', row = '', ...others] = csv.html.trimEnd().split('\r\n');
    assert.deepEqual(others, []);
    assert.match(names, /^date,created_at,id,type,currency,amount,/);
    assert.match(row, /^\d{4}-\d\d-\d\d,\S+Z,mov_\w+,payment,JPY,300,,,sandbox,\w+,chk_\w+,'=yen,,false$/);
    const lines = (await reader.get(`${LIST}.jsonl?currency=USD`)).html.trimEnd().split('\n');
    assert.equal(lines.length, 51);
    assert.equal(JSON.parse(lines[0] ?? '').object, 'movement');
  });

  test('stand on the screen of their session, with rail and reference', async () => {
    const text = textOf(await reader.get(`/dashboard/1/test/sessions/${paid.id}`));
    assert.match(
      text,
      /Booked payments, refunds and reversals .* refund succeeded -€2\.50 sandbox rfd_\w+ .* payment €42\.50 sandbox/,
    );
  });
});

suite('a refund that waits for the bank', () => {
  let waiting: Data;
  before(async () => {
    await configure(till);
    const { id, reference } = await awaitTransfer(till);
    await imported(till, [{ amount: 2500, reference }]);
    waiting = await refund(id, 400);
  });
  const at = () => `/dashboard/1/test/refunds/${waiting.id}`;

  test('is shown to everybody, and settled by those who may', async () => {
    const page = await reader.get(at());
    assert.match(textOf(page), /€4\.00 .* pending .* Payment file In none yet/);
    assert.doesNotMatch(page.html, /Settle/);
    assert.equal((await reader.get('/dashboard/1/test/refunds/rfd_none')).status, 404);
  });

  test('keeps what was typed where the end is refused', async () => {
    laterMs += 11 * 60_000;
    const page = await finance.get(at());
    const unproven = await finance.submit(page, `${waiting.id}/settle`, { status: 'failed' });
    assert.match(unproven.html, /name="confirm_password"/);
    assert.equal(succeeded(await till.call('GET', `/v3/refund/${waiting.id}`)).status, 'pending');
    const fields = { status: 'gone', reason: 'Paid in cash', confirm_password: PASSWORD };
    const answer = await finance.submit(page, `${waiting.id}/settle`, fields);
    assert.equal(answer.status, 422, textOf(answer));
    const { status, reason } = formIn(await finance.get(at()), '/settle').fields;
    assert.deepEqual([status, reason], ['', ''], 'no end is chosen beforehand');
    const open = await finance.submit(await finance.get(at()), `${waiting.id}/settle`, { reason: 'Typed' });
    assert.equal(open.status, 422);
    assert.match(open.html, /id="field-status-wrong">Choose what became of it\..*value="Typed"/s);
    assert.equal(succeeded(await till.call('GET', `/v3/refund/${waiting.id}`)).status, 'pending');
    assert.match(answer.html, /value="Paid in cash"/);
    assert.match(answer.html, /id="field-status-wrong"/);
  });

  test('is settled by hand, and then no more', async () => {
    const page = await finance.get(at());
    const settled = await finance.submit(page, `${waiting.id}/settle`, {
      status: 'failed',
      reason: 'No such account',
    });
    assert.deepEqual([settled.status, settled.location], [303, `${at()}?done=refund-settled`]);
    const after = await finance.follow(settled);
    assert.match(textOf(after), /The refund is settled\. .* failed No such account/);
    assert.doesNotMatch(after.html, /<button>Settle/);
    const again = await finance.submit(page, `${waiting.id}/settle`, {
      status: 'succeeded',
      once: 'another-key-of-24-letters',
    });
    assert.equal(again.status, 422);
    assert.match(textOf(again), /The refund has already failed\./);
  });

  test('has the words of whoever settled it as a note, and not as what the bank says', async () => {
    const { id } = await refund(waiting.payin, 100);
    const path = `/dashboard/1/test/refunds/${id}`;
    const fields = { status: 'succeeded', reason: 'Paid in cash' };
    const settled = await finance.submit(await finance.get(path), `${id}/settle`, fields);
    assert.equal(settled.status, 303);
    assert.match(textOf(await finance.get(path)), /Reference or note Paid in cash/);
  });
});
