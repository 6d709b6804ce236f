/** Holds the service to what the load remembers: everything acknowledged is there, once, and nothing else. */
import assert from 'node:assert/strict';
import type { Load, Request, Session } from './load.ts';

/** What a database holds of the load. */
export type Kept = {
  /** The idempotency keys of the stored answers. */
  readonly keys: readonly string[];
  readonly payments: ReadonlyArray<{
    readonly reference: string;
    readonly checkout: string;
    readonly amount: number;
  }>;
  readonly sessions: number;
};

/** Asks again what had no answer, twice: it happens once. Says how much of it had happened before the crash. */
export async function repeatUnanswered(load: Load, url: string): Promise<number> {
  let before = 0;
  await Promise.all(
    load.unanswered().map(async (request) => {
      const answer = await load.send(url, request);
      assert.ok(answer, `no answer to ${request.kind} after the restart`);
      load.acknowledge(request, answer);
      if (answer.replayed) before++;
      await checkReplay(load, url, request);
    }),
  );
  return before;
}

/** A success is answered again byte for byte. A refusal was not kept, and may have become another. */
export async function checkReplay(load: Load, url: string, request: Request): Promise<void> {
  if (request.answer?.status === 409) return;
  const again = await load.send(url, request);
  assert.deepEqual(again, { ...request.answer, replayed: true });
}

/** The ledger and the list of answers hold what was acknowledged, and at most what is still unanswered beyond it. */
export function checkLedger(load: Load, { keys, payments, sessions }: Kept, open: readonly Request[]): void {
  const done = load.requests.filter(({ answer }) => answer !== null && answer.status < 300);
  const maybe = new Set(open.map((request) => request.key));
  const stored = new Set(keys);
  for (const request of done) assert.ok(stored.delete(request.key), `the answer to ${request.key} is lost`);
  for (const left of stored) assert.ok(maybe.has(left), `${left} was refused, and yet has an answer`);

  const ledger = new Map(
    payments.map(({ reference, checkout, amount }) => [reference, `${checkout} ${amount}`]),
  );
  assert.equal(ledger.size, payments.length, 'a payment is booked twice');
  for (const { kind, body, session, amount } of done) {
    if (kind !== 'pay') continue;
    const reference = JSON.parse(body).payment_id;
    assert.equal(ledger.get(reference), `${session?.id} ${amount}`, `payment ${reference}`);
    ledger.delete(reference);
  }
  const openPayments = new Set(open.map(({ kind, body }) => kind === 'pay' && JSON.parse(body).payment_id));
  for (const left of ledger.keys()) assert.ok(openPayments.has(left), `${left} was never acknowledged`);
  const unseen = open.filter(({ key, session }) => session === null && stored.has(key)).length;
  assert.equal(sessions, load.sessions.length + unseen);
}

export async function checkSessions(load: Load, url: string, sessions = load.sessions): Promise<void> {
  const left = [...sessions];
  const checker = async () => {
    for (let next = left.pop(); next; next = left.pop()) await checkSession(load, url, next);
  };
  await Promise.all(Array.from({ length: 16 }, checker));
}

/** Everything acknowledged of a session is there, once, and nothing else: each change made one version. */
async function checkSession({ authorization }: Load, url: string, { id, changes }: Session): Promise<void> {
  const response = await fetch(`${url}/v3/checkout/${id}`, { headers: { authorization } });
  assert.equal(response.status, 200, `session ${id}`);
  const { data } = JSON.parse(await response.text());
  const inOrder = changes.toSorted((a, b) => versionOf(a) - versionOf(b));
  assert.deepEqual(
    inOrder.map(versionOf),
    inOrder.map((_change, index) => index + 1),
    `the changes of ${id} made other versions`,
  );
  assert.equal(response.headers.get('etag'), `"${changes.length}"`, `session ${id} changed unasked`);
  assert.deepEqual(data, JSON.parse(inOrder.at(-1)?.answer?.text ?? '').data);

  const bodies = inOrder.map(({ body }) => JSON.parse(body));
  assert.deepEqual(data.metadata, Object.assign({}, ...bodies.map(({ metadata }) => metadata ?? {})));
  const [item] = bodies.findLast(({ items }) => items !== undefined).items;
  assert.equal(data.amount, item.quantity * item.unit_price);
  assert.equal(data.transaction_description, `${item.quantity} x ${item.name}`);
  assert.equal(
    data.amount_paid,
    changes.reduce((sum, { amount }) => sum + amount, 0),
  );
  if (changes.some(({ kind }) => kind === 'expire')) assert.equal(data.status, 'expired');
}

function versionOf({ answer }: Request): number {
  return answer?.version ?? 0;
}
