/** Requests that arrive in one moment, however many, and those of others among them. */
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createArrivals } from '../../src/http/arrivals.ts';
import type { Credentials, Principal } from '../../src/http/auth.ts';

/** Every header that begins so is a known key, of the account that its number says. */
const KNOWN = /^known (\d+)/;

const auth = {
  recall({ headers: { authorization = '' } }: Credentials): Principal | undefined {
    const account = Number(KNOWN.exec(authorization)?.[1] ?? 0);
    const tenant = { account, mode: 'test' } as const;
    return account > 0
      ? { tenant, keyId: '', permissions: [], operations: [], compatibility: 'strict' }
      : undefined;
  },
};

const from = (name: string, authorization: string, remoteAddress = '192.0.2.1', destroyed = false) =>
  ({ headers: { authorization, name }, socket: { remoteAddress, destroyed } }) as unknown as IncomingMessage;

const many = (count: number, authorization: (index: number) => string, remoteAddress?: string) =>
  Array.from({ length: count }, (_, index) => from(`${index}`, authorization(index), remoteAddress));

/** Names of the requests by the turn in which they begin, when all arrive in one. */
async function turnsOf(t: TestContext, requests: readonly IncomingMessage[]): Promise<string[][]> {
  // A machine that stands still takes none of a turn.
  t.mock.method(performance, 'now', () => 0);
  const { arrive } = createArrivals(auth);
  const turns: string[][] = [[]];
  for (const each of requests) arrive(each, () => turns.at(-1)?.push(String(each.headers.name)));
  for (let turn = 0; turn < 40; turn++) {
    turns.push([]);
    await nextTurn();
  }
  return turns;
}

for (const [who, of] of [
  ['a tenant, with all of its keys', (index: number) => `known 1 ${index}`],
  ['somebody whose keys are unknown', (index: number) => `unknown ${index}`],
] as const)
  test(`few requests of ${who} begin in a turn, and another's in the next`, async (t) => {
    const turns = await turnsOf(t, [
      ...many(500, of),
      from('other', 'known 2'),
      from('payer', '', '192.0.2.2'),
    ]);
    assert.equal(turns[0]?.length, 32);
    const soon = turns.slice(1, 3).flat();
    assert.ok(soon.includes('other') && soon.includes('payer'));
    assert.ok(turns.every((begun) => begun.length <= 32));
    assert.equal(turns.flat().length, 502);
  });

test('a tenant waits no longer for any number of addresses', async (t) => {
  const addresses = Array.from({ length: 500 }, (_, index) =>
    from('payer', '', `198.51.${index >> 8}.${index & 255}`),
  );
  const turns = await turnsOf(t, [...addresses, from('tenant', 'known 2')]);
  assert.ok(turns.slice(0, 3).flat().includes('tenant'));
  assert.equal(turns.flat().length, 501);
});

test('an address waits no longer for any number of tenants', async (t) => {
  const tenants = many(500, (index) => `known ${index + 1}`);
  const turns = await turnsOf(t, [...tenants, from('payer', '')]);
  assert.ok(turns.slice(0, 3).flat().includes('payer'));
});

test('a request whose client has left is not begun', async (t) => {
  const gone = from('gone', 'known 1', '192.0.2.1', true);
  assert.deepEqual((await turnsOf(t, [gone, from('there', 'known 1')])).flat(), ['there']);
});

test('a request is not late because the thread stood still, only because others were before it', async (t) => {
  let clock = 1000;
  t.mock.method(performance, 'now', () => clock);
  const { arrive, waitedMs, lateMs } = createArrivals(auth);
  async function lastOf(count: number, takesMs: number): Promise<IncomingMessage> {
    const requests = many(count, () => 'known 1');
    for (const each of requests)
      arrive(each, () => {
        clock += takesMs;
      });
    if (takesMs === 0) clock += 10_000;
    for (let turn = 0; turn < count; turn++) await nextTurn();
    return requests.at(-1) as IncomingMessage;
  }
  const stopped = await lastOf(100, 0);
  assert.deepEqual([waitedMs(stopped), lateMs(stopped)], [10_000, 50]);
  const behind = await lastOf(100, 10);
  assert.deepEqual([waitedMs(behind), lateMs(behind)], [980, 980]);
  // On a machine with too much to do twenty changes take as long.
  const few = await lastOf(20, 30);
  assert.deepEqual([waitedMs(few), lateMs(few)], [540, 0]);
});

test('a request says how long it has waited for its turn, one that begins at once 0', async (t) => {
  let clock = 1000;
  t.mock.method(performance, 'now', () => clock);
  const { arrive, waitedMs } = createArrivals(auth);
  const requests = many(33, () => 'known 1');
  for (const each of requests) arrive(each, () => {});
  clock += 7;
  await nextTurn();
  assert.deepEqual(
    [requests[0], requests.at(-1)].map((each) => waitedMs(each as IncomingMessage)),
    [0, 7],
  );
});
