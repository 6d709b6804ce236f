/** Holds the service to what the load remembers: everything acknowledged is there, once, and nothing else. */
import assert from 'node:assert/strict';
import type { Data } from '../api/shop.ts';
import { failAtOnce, type Report } from './findings.ts';
import type { Load, Request, Session } from './load.ts';

/** The stored effects of the load. */
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

/**
 * The ledger and the list of answers hold what was acknowledged, and at most what is still unanswered beyond it: of that
 * all or nothing.
 */
export function checkLedger(
  load: Load,
  { keys, payments, sessions }: Kept,
  open: readonly Request[],
  report: Report = failAtOnce,
): void {
  const done = load.requests.filter(({ answer }) => answer !== null && answer.status < 300);
  const maybe = new Set(open.map((request) => request.key));
  const stored = new Set(keys);
  const ledger = new Map(
    payments.map(({ reference, checkout, amount }) => [reference, `${checkout} ${amount}`]),
  );
  if (ledger.size !== payments.length) report('doubled', 'a payment is booked twice');
  for (const request of open) {
    if (request.kind !== 'pay' || stored.has(request.key) === ledger.has(referenceOf(request))) continue;
    report('half_applied', `${request.key}: the payment without its answer, or the other way round`);
  }
  for (const request of done) if (!stored.delete(request.key)) report('lost', `the answer to ${request.key}`);
  for (const left of stored)
    if (!maybe.has(left)) report('half_applied', `${left} was refused, and yet has an answer`);

  for (const request of done) {
    if (request.kind !== 'pay') continue;
    const reference = referenceOf(request);
    const booked = ledger.get(reference);
    if (booked !== `${request.session?.id} ${request.amount}`)
      report('lost', `payment ${reference} is booked as ${booked}`);
    ledger.delete(reference);
  }
  const openPayments = new Set(open.map((request) => request.kind === 'pay' && referenceOf(request)));
  for (const left of ledger.keys())
    if (!openPayments.has(left)) report('doubled', `${left} was never acknowledged`);
  const unseen = open.filter(({ key, session }) => session === null && stored.has(key)).length;
  const expected = load.sessions.length + unseen;
  if (sessions !== expected)
    report(sessions < expected ? 'lost' : 'doubled', `${sessions} sessions, not ${expected}`);
}

const referenceOf = ({ body }: Request): string => JSON.parse(body).payment_id;

export async function checkSessions(
  load: Load,
  url: string,
  sessions = load.sessions,
  report: Report = failAtOnce,
): Promise<void> {
  const left = [...sessions];
  const checker = async () => {
    for (let next = left.pop(); next; next = left.pop()) await checkSession(load, url, next, report);
  };
  await Promise.all(Array.from({ length: 16 }, checker));
}

/**
 * Checks that a session holds every acknowledged change once, and nothing else: each change made one version.
 */
async function checkSession(
  { authorization }: Load,
  url: string,
  session: Session,
  report: Report,
): Promise<void> {
  const { id, changes } = session;
  const response = await fetch(`${url}/v3/checkout/${id}`, { headers: { authorization } });
  if (response.status === 404) {
    report('lost', `session ${id}`);
    return;
  }
  assert.equal(response.status, 200, `session ${id}`);
  const { data } = JSON.parse(await response.text());
  const version = Number(response.headers.get('etag')?.slice(1, -1));
  if (version !== changes.length) {
    const finding = version < changes.length ? 'lost' : 'doubled';
    report(finding, `session ${id} has version ${version} behind ${changes.length} changes`);
    return;
  }
  try {
    compareSession(session, data);
  } catch (error) {
    report('half_applied', `session ${id}: ${(error as Error).message}`);
  }
}

function compareSession({ id, changes }: Session, data: Data): void {
  const inOrder = changes.toSorted((a, b) => versionOf(a) - versionOf(b));
  assert.deepEqual(
    inOrder.map(versionOf),
    inOrder.map((_change, index) => index + 1),
    `the changes of ${id} made other versions`,
  );
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
