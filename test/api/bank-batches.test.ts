/** Bookings of several transactions: banks tell of them in parts in one file, and in one sum in another. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startService, type TestService } from '../support/service.ts';
import { awaitTransfer, bankReference, configure, entries, imported, type Line } from './bank.ts';
import { createSession, type Data, fetchSession, succeeded } from './shop.ts';

const service = await startService({ after });
const { call } = service;
await configure(service);

const paid = async (id: string) => (await fetchSession(service, id)).amount_paid;
const sumOf = async (service: TestService, reference: string): Promise<Data> =>
  (await entries(service)).find((entry) => entry.bank_reference === reference);
const assign = (entry: string, payin: string) =>
  call('POST', `/v3/bank_entry/${entry}/assign`, { body: { parts: [{ payin }] } });

/** A booking of two transfers: in parts, and in one sum. */
async function booking(): Promise<{ ids: string[]; inParts: Line; inSum: Line; reference: string }> {
  const one = await awaitTransfer(service, { amount: 1100 });
  const other = await awaitTransfer(service, { amount: 2200 });
  const reference = bankReference();
  const parts = [
    { amount: 1100, reference: one.reference },
    { amount: 2200, reference: other.reference },
  ];
  const booked = { amount: 3300, bankReference: reference };
  return {
    ids: [one.id, other.id],
    inParts: { ...booked, parts },
    inSum: { ...booked, parts: [] },
    reference,
  };
}

test('the sum of a booking is recognized if its parts were there before', async () => {
  const { ids, inParts, inSum, reference } = await booking();
  const first = await imported(service, [inParts], { kind: '054' });
  assert.deepEqual([first.entries, first.new, first.settled], [2, 2, 2]);
  const sum = await sumOf(service, reference);
  const { status, amount, amount_unassigned, taken_apart_by, parts } = sum;
  assert.deepEqual(
    [status, amount, amount_unassigned, taken_apart_by, parts],
    ['done', 3300, 0, first.id, []],
  );
  const second = await imported(service, [inSum]);
  assert.deepEqual([second.entries, second.new], [1, 0]);
  for (const id of ids) assert.equal((await fetchSession(service, id)).payment_status, 'paid');
  for (const action of ['assign', 'ignore', 'send_back']) {
    const body = { assign: { parts: [{ payin: ids[0] }] }, ignore: { reason: 'x' }, send_back: {} }[action];
    assert.equal((await call('POST', `/v3/bank_entry/${sum.id}/${action}`, { body })).status, 409);
  }
});

test('the parts of a booking are recognized if another file words them differently', async () => {
  const { ids, inParts, inSum } = await booking();
  await imported(service, [inParts], { kind: '054' });
  const reworded = {
    ...inParts,
    parts: inParts.parts?.map((part) => ({ ...part, text: 'SEPA credit' })) ?? [],
  };
  const again = await imported(service, [reworded]);
  assert.deepEqual([again.entries, again.new], [2, 0]);
  assert.equal((await imported(service, [inSum])).new, 0);
  assert.deepEqual([await paid(ids[0] ?? ''), await paid(ids[1] ?? '')], [1100, 2200]);
});

test('the parts of a booking replace a sum that had no effect', async () => {
  const { ids, inParts, inSum, reference } = await booking();
  const first = await imported(service, [inSum]);
  assert.deepEqual([first.new, first.open], [1, 1]);
  const second = await imported(service, [inParts], { kind: '054' });
  assert.deepEqual([second.new, second.settled], [2, 2]);
  const sum = await sumOf(service, reference);
  assert.deepEqual([sum.status, sum.problem, sum.taken_apart_by], ['done', '', second.id]);
  assert.deepEqual([await paid(ids[0] ?? ''), await paid(ids[1] ?? '')], [1100, 2200]);
  assert.equal((await assign(sum.id, ids[0] ?? '')).status, 409);
});

test('the parts of a booking add nothing if its sum was booked or ignored', async () => {
  for (const action of ['assign', 'ignore']) {
    const { ids, inParts, inSum, reference } = await booking();
    await imported(service, [inSum]);
    const { id } = await sumOf(service, reference);
    const payin = (await createSession(service, { amount: 3300 })).id;
    const body = { assign: { parts: [{ payin }] }, ignore: { reason: 'x' } }[action];
    succeeded(await call('POST', `/v3/bank_entry/${id}/${action}`, { body }));
    const second = await imported(service, [inParts], { kind: '054' });
    assert.deepEqual([second.entries, second.new], [2, 0], action);
    assert.deepEqual([await paid(ids[0] ?? ''), await paid(ids[1] ?? '')], [0, 0], action);
  }
});

test('two bookings of one file with the same sum are two', async () => {
  const one = await booking();
  const other = await booking();
  const same = { ...other.inParts, bankReference: one.reference };
  const file = await imported(service, [one.inParts, same], { kind: '054' });
  assert.deepEqual([file.entries, file.new], [4, 4]);
  const sums = { ...one.inSum };
  assert.equal((await imported(service, [sums, sums])).new, 0);
  for (const id of [...one.ids, ...other.ids]) {
    assert.equal((await fetchSession(service, id)).payment_status, 'paid');
  }
});

test('a booking with a reference that tells nothing apart has no sum', async () => {
  const { ids, inParts } = await booking();
  const file = await imported(service, [{ ...inParts, bankReference: '0' }], { kind: '054' });
  assert.deepEqual([file.entries, file.new], [2, 2]);
  assert.deepEqual([await paid(ids[0] ?? ''), await paid(ids[1] ?? '')], [1100, 2200]);
  assert.equal((await imported(service, [{ ...inParts, bankReference: '0' }])).new, 0);
});
