/** Requests that race each other: whatever the order, the books add up and nothing happens twice. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Answer, startService } from '../support/service.ts';
import { createSession, type Data, feed, fetchSession, order, pay, succeeded } from './shop.ts';

const service = await startService({ after });
const { call } = service;

const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status);
const count = (values: readonly unknown[], value: unknown) => values.filter((each) => each === value).length;

/** Cursor behind all events so far. */
const newest = async (): Promise<string> => (await call('GET', '/v3/event?after=latest')).json.next_cursor;

/** The events of one session out of the feed, or what it has of them behind a cursor: in order, none missing, one version a change. */
async function history(id: string, after?: string): Promise<Data[]> {
  const events = (await feed(service, after)).filter(({ data }) => data.id === id || data.payin === id);
  assert.deepEqual(
    events.map(({ sequence }) => sequence),
    events.map((_, index) => index + 1),
  );
  const versions = [...new Set(events.map(({ version }) => version))];
  assert.deepEqual(
    versions,
    versions.map((_, index) => index + 1),
  );
  return events;
}

test('100 rounds of paying twice, expiring and updating at once', async () => {
  const outcomes = new Set<string>();
  for (let round = 0; round < 100; round++) {
    const before = await newest();
    const { id } = await createSession(service);
    const paid = Promise.withResolvers<void>();
    // A payment is two changes, and an expiry one: only one that begins later can come too late.
    const late = round % 5 === 4;
    const requests: Record<string, () => Promise<Answer>> = {
      pay: () => call('POST', `/v3/test_helpers/checkout/${id}/pay`),
      async expire() {
        if (late) await paid.promise;
        return call('POST', `/v3/checkout/${id}/expire`);
      },
      update: () => call('PUT', `/v3/checkout/${id}`, { body: { items: order.items } }),
      async payAgain() {
        const answer = await call('POST', `/v3/test_helpers/checkout/${id}/pay`);
        paid.resolve();
        return answer;
      },
    };
    // Another one begins in each round.
    const names = Object.keys(requests);
    const turn = [...names.slice(round % 4), ...names.slice(0, round % 4)];
    const done = await Promise.all(turn.map(async (name) => [name, await requests[name]?.()] as const));
    const { pay, payAgain, expire, update } = Object.fromEntries(done) as Record<string, Answer>;
    assert.ok(pay && payAgain && expire && update);

    const session = await fetchSession(service, id);
    const types = (await history(id, before)).map(({ type }) => type);
    assert.deepEqual(statuses([pay, payAgain]).sort(), [200, 409], 'one of the two has paid');
    assert.equal(session.amount, update.status === 200 ? 3200 : 2500);
    assert.equal(session.amount_paid, session.amount);
    assert.equal(session.payment_status, 'paid');
    assert.equal(session.status, expire.status === 200 ? 'expired' : 'completed');
    assert.equal(count(types, 'checkout.paid'), 1);
    assert.equal(count(types, 'checkout.expired'), expire.status === 200 ? 1 : 0);
    assert.equal(count(types, 'checkout.updated'), update.status === 200 ? 1 : 0);
    assert.equal(count(types, 'payment_attempt.succeeded'), 1);
    outcomes.add(session.status);
  }
  assert.deepEqual([...outcomes].sort(), ['completed', 'expired'], 'both ways were seen');
});

test('of 20 updates with If-Match exactly one wins', async () => {
  for (let round = 0; round < 5; round++) {
    const { id } = await createSession(service);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        call('PUT', `/v3/checkout/${id}`, { body: { metadata: { n } }, headers: { 'if-match': '"1"' } }),
      ),
    );
    assert.deepEqual(statuses(answers).sort(), [200, ...Array(19).fill(412)]);
    const winner = answers.findIndex(({ status }) => status === 200);
    assert.deepEqual((await fetchSession(service, id)).metadata, { n: winner });
    assert.equal((await history(id)).length, 2);
  }
});

test('an update and an expiry with If-Match: one of them wins', async () => {
  const headers = { 'if-match': '"1"' };
  for (let round = 0; round < 10; round++) {
    const { id } = await createSession(service);
    const update = () => call('PUT', `/v3/checkout/${id}`, { body: { metadata: { a: 1 } }, headers });
    const expire = () => call('POST', `/v3/checkout/${id}/expire`, { headers });
    const turn = round % 2 === 0 ? [update, expire] : [expire, update];
    assert.deepEqual(statuses(await Promise.all(turn.map((each) => each()))).sort(), [200, 412]);
  }
});

test('an update for several versions is made at any of them, and at no other', async () => {
  const { id } = await createSession(service);
  const update = async (n: number, ifMatch: string) => {
    const options = { body: { metadata: { n } }, headers: { 'if-match': ifMatch } };
    return (await call('PUT', `/v3/checkout/${id}`, options)).status;
  };
  assert.equal(await update(0, '"2", "3"'), 412, 'the first version is not meant');
  assert.equal(await update(1, '"1", "2"'), 200);
  assert.equal(await update(2, '"other","1" ,"2"'), 200);
  for (const stale of ['"1", "2"', '"1", W/"3"', '"9", 3']) assert.equal(await update(3, stale), 412, stale);
  assert.deepEqual((await fetchSession(service, id)).metadata, { n: 2 });
  const headers = { 'if-match': '"2", "3"' };
  assert.equal((await call('POST', `/v3/checkout/${id}/expire`, { headers })).status, 200);
});

test('an update of any version is made', async () => {
  const { id } = await createSession(service);
  const headers = { 'if-match': '*' };
  for (const n of [1, 2])
    succeeded(await call('PUT', `/v3/checkout/${id}`, { body: { metadata: { n } }, headers }));
  assert.deepEqual((await fetchSession(service, id)).metadata, { n: 2 });
});

test('50 payments of a part at once are all booked', async () => {
  const { id } = await createSession(service, { amount: 5000 });
  await Promise.all(Array.from({ length: 50 }, () => pay(service, id, { amount: 100 })));
  const session = await fetchSession(service, id);
  assert.deepEqual([session.status, session.amount_paid, session.paid_in_excess], ['completed', 5000, false]);
  assert.equal(session.payment_attempts.length, 50);
  const types = (await history(id)).map(({ type }) => type);
  assert.equal(count(types, 'payment_attempt.succeeded'), 50);
  assert.equal(count(types, 'checkout.paid'), 1);
});

test('one payment that is reported 30 times at once is booked once', async () => {
  const [one, two] = [await createSession(service), await createSession(service)];
  const body = { amount: 1000, payment_id: 'bank-1' };
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, n) =>
      call('POST', `/v3/test_helpers/checkout/${n % 2 === 0 ? one.id : two.id}/pay`, { body }),
    ),
  );
  assert.deepEqual([count(statuses(answers), 200), count(statuses(answers), 409)], [15, 15]);
  const paid = (await Promise.all([one, two].map(({ id }) => fetchSession(service, id)))).map(
    ({ amount_paid }) => amount_paid,
  );
  assert.deepEqual(paid.sort(), [0, 1000]);
});

test('metadata that many write at once keeps every key', async () => {
  const { id } = await createSession(service);
  const names = Array.from({ length: 40 }, (_, n) => `k${n}`);
  await Promise.all(
    names.map((name) => call('PUT', `/v3/checkout/${id}`, { body: { metadata: { [name]: true } } })),
  );
  const session = await fetchSession(service, id);
  assert.deepEqual(session.metadata, Object.fromEntries(names.map((name) => [name, true])));
  assert.equal((await history(id)).length, 41);
});

test('moves of a clock at once each show what the clock shows after them', async () => {
  const body = { seconds: 3600 };
  const moves = Array.from({ length: 4 }, () => call('POST', '/v3/test_helpers/clock/advance', { body }));
  const answers = await Promise.all(moves);
  const shown = answers.map(({ json }) => Date.parse(json.data.now)).sort((a, b) => a - b);
  for (const [index, ms] of shown.slice(1).entries()) assert.ok(ms - (shown[index] as number) >= 3_600_000);
});
