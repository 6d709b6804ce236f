/** Two people at once: what either of them does is done to what they have seen alone, and the second is told what changed. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { awaitTransfer, configure, entered, imported } from '../api/bank.ts';
import { createSession, type Data, pay, succeeded } from '../api/shop.ts';
import { refundsAreHeardOf } from '../api/subjects.ts';
import { formIn, textOf, type Visitor } from '../support/dashboard.ts';
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
