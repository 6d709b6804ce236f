/** Two people at once: what either of them does is done to what they have seen alone, and the second is told what changed. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { awaitTransfer, configure, entered, imported } from '../api/bank.ts';
import { createEndpoint } from '../api/endpoint.ts';
import { createSession, type Data, pay, succeeded } from '../api/shop.ts';
import { refundsAreHeardOf } from '../api/subjects.ts';
import { formIn, type Page, textOf, type Visitor } from '../support/dashboard.ts';
import { startService } from '../support/service.ts';
import { visitorsOf } from './roles.ts';

const service = await startService({ after });
const { call } = service;
const HERE = '/dashboard/1/test';
let owner: Visitor;
let finance: Visitor;

before(async () => {
  await configure(service);
  ({ owner, finance } = await visitorsOf(service));
});

const fetched = async (path: string): Promise<Data> => succeeded(await call('GET', path));
/** The same screen, as each of two people sees it. */
const seenByBoth = async (path: string) => ({
  first: await owner.get(HERE + path),
  second: await finance.get(HERE + path),
});

suite('an entry of the inbox', () => {
  let amount = 30_000;
  const stray = () => entered(service, { amount: ++amount });
  const entryOf = ({ id }: Data) => fetched(`/v3/bank_entry/${id}`);
  const CHANGED =
    /The entry has changed meanwhile: see what it is now\. What you have decided was not carried out\./;

  for (const [action, reason, told] of [
    ['ignore', 'Interest.', 'The entry is ignored.'],
    ['send_back', 'We know of no such order.', 'The money goes back with the next payment file.'],
  ] as const)
    test(`of which somebody has booked a part is not decided about as a whole: ${action}`, async () => {
      const entry = await stray();
      const { first, second } = await seenByBoth(`/bank/entries/${entry.id}`);
      const { id } = await createSession(service, { amount: 1000 });
      const part = { 'parts/0/payin': id, 'parts/0/amount': '10' };
      assert.equal((await owner.submit(first, '/assign', part)).status, 303);
      const late = await finance.submit(second, `/${action}`, { [`${action}_reason`]: reason });
      assert.equal(late.status, 422);
      assert.match(textOf(late), CHANGED);
      assert.match(textOf(late), /A part of it is booked\. The rest is left\..*What was done.*assign/);
      const { status, sent_back: sentBack } = await entryOf(entry);
      assert.deepEqual([status, sentBack], ['open', null]);
      assert.equal(formIn(late, `/${action}`).fields[`${action}_reason`], reason);
      const again = await finance.follow(finance.submit(late, `/${action}`));
      assert.ok(textOf(again).includes(told), textOf(again));
    });

  test('that goes back with a file for the bank is not taken back by who has seen it in none', async () => {
    const entry = await stray();
    succeeded(await call('POST', `/v3/bank_entry/${entry.id}/send_back`));
    const { second } = await seenByBoth(`/bank/entries/${entry.id}`);
    const body = { receiving_account: 'eur' };
    succeeded(await call('POST', '/v3/payment_file', { body }), 201);
    const late = await finance.submit(second, '/reopen', { reopen_reason: 'It was an order.' });
    assert.equal(late.status, 422);
    assert.match(textOf(late), CHANGED);
    assert.match(textOf(late), /What was done.*filed/);
    assert.equal((await entryOf(entry)).sent_back.status, 'pending');
    assert.equal((await finance.submit(late, '/reopen')).status, 303, 'once it is seen, it counts');
  });
});

suite('a form that comes again for a mistake', () => {
  test('ignores no rest that its visitor was not told of', async () => {
    const entry = await entered(service, { amount: 40_001 });
    const { second } = await seenByBoth(`/bank/entries/${entry.id}`);
    const { id } = await createSession(service, { amount: 1000 });
    const parts = [{ payin: id, amount: 1000 }];
    succeeded(await call('POST', `/v3/bank_entry/${entry.id}/assign`, { body: { parts } }));
    const wrong = await finance.submit(second, '/ignore', { ignore_reason: '' });
    assert.match(textOf(wrong), /reason is required/);
    const late = await finance.submit(wrong, '/ignore', { ignore_reason: 'Interest.' });
    assert.equal(late.status, 422);
    assert.match(textOf(late), /The entry has changed meanwhile/);
    assert.equal((await fetched(`/v3/bank_entry/${entry.id}`)).status, 'open');
    assert.equal((await finance.submit(late, '/ignore')).status, 303, 'once it is seen, it counts');
  });

  for (const [what, fields] of [
    ['an amount that is none', { 'parts/0/amount': 'x' }],
    ['rows that were asked for', { more: 'yes' }],
  ] as const)
    test(`assigns no more than was seen as left: ${what}`, async () => {
      const entry = await entered(service, { amount: 50_000 });
      const { second } = await seenByBoth(`/bank/entries/${entry.id}`);
      const [first, other] = [
        await createSession(service, { amount: 1000 }),
        await createSession(service, { amount: 50_000 }),
      ];
      const parts = [{ payin: first.id, amount: 1000 }];
      succeeded(await call('POST', `/v3/bank_entry/${entry.id}/assign`, { body: { parts } }));
      const part = { 'parts/0/payin': other.id };
      const again = await finance.submit(second, '/assign', { ...part, ...fields });
      const { left } = formIn(again, '/assign').fields;
      const late = await finance.submit(again, '/assign', { ...part, 'parts/0/amount': '' });
      assert.deepEqual([left, late.status], ['50000', 400]);
      assert.match(textOf(late), /Somebody has booked a part of it meanwhile/);
      assert.equal((await fetched(`/v3/bank_entry/${entry.id}`)).amount_unassigned, 49_000);
      assert.equal((await finance.submit(late, '/assign')).status, 303, 'once it is seen, it counts');
    });

  test('gives back no other money than was seen as left', async () => {
    const { id } = await createSession(service, { amount: 3200 });
    await pay(service, id);
    const { second } = await seenByBoth(`/sessions/${id}/refund`);
    succeeded(await call('POST', '/v3/refund', { body: { payin: id, amount: 1000 } }), 201);
    const wrong = await finance.submit(second, '/refund', { amount: 'x' });
    assert.equal(wrong.status, 400);
    const late = await finance.submit(wrong, '/refund', { amount: '' });
    assert.match(textOf(late), /what can go back has become €22\.00/);
    assert.equal((await fetched(`/v3/payin/${id}`)).refunds.length, 1);
    assert.equal((await finance.submit(late, '/refund')).status, 303, 'once it is seen, it counts');
  });

  test('settles no refund that somebody else has put into a file or settled', async () => {
    const { id, reference } = await awaitTransfer(service);
    await imported(service, [{ amount: 2500, reference }]);
    const body = { payin: id, amount: 200 };
    const refund: Data = succeeded(await call('POST', '/v3/refund', { body }), 201);
    const { first, second } = await seenByBoth(`/refunds/${refund.id}`);
    succeeded(await call('POST', '/v3/payment_file', { body: { receiving_account: 'eur' } }), 201);
    const wrong = await finance.submit(second, '/settle', { status: '', reason: 'Not so.' });
    assert.match(textOf(wrong), /Choose what became of it\./);
    const late = await finance.submit(wrong, '/settle', { status: 'failed' });
    assert.match(textOf(late), /The refund has changed meanwhile: .*bfl_/);
    assert.equal((await fetched(`/v3/refund/${refund.id}`)).status, 'pending');
    assert.equal((await finance.submit(late, '/settle')).status, 303, 'once it is seen, it counts');
    const over = await owner.submit(first, '/settle', { status: '' });
    assert.equal(over.status, 422);
    assert.match(textOf(over), /The refund has changed meanwhile: see what it is now\./);
    assert.doesNotMatch(textOf(over), /Choose what became of it/, 'there is nothing to choose any more');
  });

  test('makes no secret in the place of one that its visitor was not told of', async () => {
    const day = { overlap_seconds: '86400' };
    const endpoint = await createEndpoint(service);
    const ways = [
      { path: `${HERE}/settings`, form: '/webhook-secret', rotate: '/v3/webhook_secret/rotate' },
      {
        path: `${HERE}/webhooks/endpoints/${endpoint.id}`,
        form: '/secret',
        rotate: `/v3/webhook_endpoint/${endpoint.id}/rotate_secret`,
      },
    ];
    for (const { path, form, rotate } of ways) {
      const seen = await owner.get(path);
      succeeded(await call('POST', rotate, { body: { overlap_seconds: 3600 } }));
      const wrong = await owner.submit(seen, form, { overlap_seconds: 'x' });
      assert.equal(wrong.status, 422);
      const late = await owner.submit(wrong, form, day);
      assert.match(textOf(late), /Somebody has (made a new secret|changed the endpoint) meanwhile/);
      assert.match(textOf(await owner.submit(late, form, day)), /whsec_/, 'once it is seen, it counts');
    }
  });

  test('ends a secret when it was asked to, and makes one alone in an outage', async () => {
    const endpoint = await createEndpoint(service);
    const ways = [
      { path: `${HERE}/settings`, form: '/webhook-secret', shown: '/v3/webhook_secret' },
      {
        path: `${HERE}/webhooks/endpoints/${endpoint.id}`,
        form: '/secret',
        shown: `/v3/webhook_endpoint/${endpoint.id}`,
      },
    ];
    for (const { path, form, shown } of ways) {
      const [first, second] = [await owner.get(path), await owner.get(path)];
      const now = { overlap_seconds: '0' };
      assert.match(textOf(await owner.submit(first, form, now)), /whsec_/);
      const late = await owner.submit(second, form, now);
      assert.equal(late.status, 422);
      assert.equal(formIn(late, form).fields.overlap_seconds, '0');
      const release = await service.database.lock();
      const tried = await owner.submit(late, form).finally(release);
      assert.equal(tried.status, 503);
      assert.deepEqual(formIn(tried, form).fields, formIn(late, form).fields);
      assert.match(textOf(await owner.submit(tried, form)), /whsec_/);
      assert.equal((await fetched(shown)).previous_secret_expires_at, null, 'it has ended');
    }
  });
});

suite('a form whose answer was lost', () => {
  /** The form is accepted, but nobody hears of it; the next try is in an outage. What that try answers is given. */
  async function lost(form: Page, action: string, fields: Record<string, string>): Promise<Page> {
    assert.equal((await finance.submit(form, action, fields)).status, 303);
    const release = await service.database.lock();
    const tried = await finance.submit(form, action, fields).finally(release);
    assert.equal(tried.status, 503);
    return tried;
  }

  test('refunds once, however often it is tried', async () => {
    const { id } = await createSession(service, { amount: 3200 });
    await pay(service, id);
    const form = await finance.get(`${HERE}/sessions/${id}/refund`);
    const tried = await lost(form, '/refund', { amount: '10' });
    assert.equal((await finance.submit(tried, '/refund')).status, 303);
    const refunds: Data[] = (await fetched(`/v3/payin/${id}`)).refunds;
    assert.deepEqual(
      refunds.map((each) => each.amount),
      [1000],
    );
  });

  test('assigns once, however often it is tried', async () => {
    const entry = await entered(service, { amount: 60_000 });
    const { id } = await createSession(service, { amount: 1000 });
    const form = await finance.get(`${HERE}/bank/entries/${entry.id}`);
    const tried = await lost(form, '/assign', { 'parts/0/payin': id, 'parts/0/amount': '10' });
    assert.equal((await finance.submit(tried, '/assign')).status, 303);
    assert.equal((await fetched(`/v3/bank_entry/${entry.id}`)).amount_unassigned, 59_000);
  });

  test('makes one payment file, and the payments that came since are left for the next', async () => {
    const refunded = async (amount: number): Promise<Data> => {
      const { id, reference } = await awaitTransfer(service);
      await imported(service, [{ amount: 2500, reference }]);
      return succeeded(await call('POST', '/v3/refund', { body: { payin: id, amount } }), 201);
    };
    await refunded(410);
    await refundsAreHeardOf(service);
    const form = await finance.get(`${HERE}/payment-files`);
    const made = await finance.submit(form, '/payment-files');
    assert.equal(made.status, 303);
    const since = await refunded(420);
    await refundsAreHeardOf(service);
    const release = await service.database.lock();
    const tried = await finance.submit(form, '/payment-files').finally(release);
    assert.equal(tried.status, 503);
    const again = await finance.submit(tried, '/payment-files');
    assert.deepEqual([again.status, again.location], [303, made.location]);
    assert.equal((await fetched(`/v3/refund/${since.id}`)).payment_file, '');
  });
});

suite('a refund', () => {
  test('is of the money that was seen as left, and tells what went back meanwhile', async () => {
    const { id } = await createSession(service, { amount: 3200 });
    await pay(service, id);
    const { first, second } = await seenByBoth(`/sessions/${id}/refund`);
    const one = await owner.submit(first, '/refund', { amount: '10', reason: 'It was blue.' });
    assert.equal(one.status, 303);
    const late = await finance.submit(second, '/refund', { reason: 'It was late.' });
    assert.equal(late.status, 400);
    assert.match(
      textOf(late),
      /Since you opened this form, what can go back has become €22\.00: see what came between\..*€22\.00 can go back.*It was blue\..*€10\.00/,
    );
    const refundsOf = async () => (await fetched(`/v3/payin/${id}`)).refunds;
    assert.equal((await refundsOf()).length, 1);
    assert.equal(formIn(late, '/refund').fields.reason, 'It was late.');
    assert.equal((await finance.submit(late, '/refund')).status, 303, 'once it is seen, it counts');
    const refunds: Data[] = await refundsOf();
    assert.deepEqual(
      refunds.map((each) => each.amount),
      [1000, 2200],
    );
  });
});

suite('a payment file', () => {
  const refunded = async (amount: number): Promise<Data> => {
    const { id, reference } = await awaitTransfer(service);
    await imported(service, [{ amount: 2500, reference }]);
    return succeeded(await call('POST', '/v3/refund', { body: { payin: id, amount } }), 201);
  };

  test('keeps a refund from being withdrawn by who has seen it in none', async () => {
    const refund = await refunded(300);
    const { second } = await seenByBoth(`/refunds/${refund.id}`);
    assert.match(textOf(second), /In none yet/);
    succeeded(await call('POST', '/v3/payment_file', { body: { receiving_account: 'eur' } }), 201);
    const late = await finance.submit(second, '/settle', { status: 'failed', reason: 'Not so.' });
    assert.equal(late.status, 422);
    assert.match(
      textOf(late),
      /The refund has changed meanwhile: see what it is now\. Nothing was settled\..*bfl_/,
    );
    assert.equal((await fetched(`/v3/refund/${refund.id}`)).status, 'pending');
    assert.equal((await finance.submit(late, '/settle')).status, 303, 'once it is seen, it counts');
  });

  test('has the payments that were seen and no others', async () => {
    const shown = await refunded(400);
    const { second } = await seenByBoth('/payment-files');
    assert.match(textOf(second), /eur 1 payment, €4\.00 together/);
    const further = await refunded(250);
    await refundsAreHeardOf(service);
    const late = await finance.submit(second, '/payment-files', { execute_on_eur: '2090-01-31' });
    assert.equal(late.status, 422);
    assert.match(
      textOf(late),
      /To be sent eur Other payments are to be sent by now than when you opened this page: look at their number and sum, and create the file of these\. 2 payments, €6\.50 together/,
    );
    assert.equal((await fetched(`/v3/refund/${shown.id}`)).payment_file, '');
    assert.equal(formIn(late, '/payment-files').fields.execute_on_eur, '2090-01-31');
    const made = await finance.submit(late, '/payment-files');
    assert.equal(made.status, 303);
    for (const { id } of [shown, further])
      assert.ok(made.location?.includes((await fetched(`/v3/refund/${id}`)).payment_file));
  });
});

test('a secret of webhooks that somebody has just made is not replaced by who has not seen it', async () => {
  const settings = `${HERE}/settings`;
  const [first, second] = [await owner.get(settings), await owner.get(settings)];
  const day = { overlap_seconds: '86400' };
  const made = await owner.submit(first, '/webhook-secret', day);
  assert.match(textOf(made), /The new secret of webhooks/);
  const before = await service.service.store.accounts.fetch(1);
  const late = await owner.submit(second, '/webhook-secret', day);
  assert.equal(late.status, 422);
  assert.match(textOf(late), /Somebody has made a new secret meanwhile, and yours was not made\./);
  assert.match(textOf(late), /The secret before signs until \d{4}-/);
  assert.doesNotMatch(late.html, /whsec_/);
  const after = await service.service.store.accounts.fetch(1);
  assert.deepEqual(after?.webhookSecrets, before?.webhookSecrets);
  const again = await owner.submit(late, '/webhook-secret', day);
  assert.match(textOf(again), /The new secret of webhooks/, 'once it is seen, it counts');
});
