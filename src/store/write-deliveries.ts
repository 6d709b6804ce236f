/** Deliveries by their ordering keys, and their results: which statements, on which rows, for both databases. */
import type { DeliveryResult, DeliveryRow } from '../webhooks/delivery.ts';
import type { Dialect } from './sql.ts';
import { ofTenant, onRows, type RowsStatement } from './statements.ts';
import type { Writes } from './store.ts';
import type { AnyRow } from './tables.ts';

/**
 * Changes of deliveries by units, in order. On PostgreSQL the lock of the subject is held by whoever changes what an ordering
 * key has pending, so that no two transactions decide about the same key at the same time.
 */
export function deliveryWrites(
  all: readonly Writes[],
): ReadonlyArray<readonly [RowsStatement, readonly AnyRow[]]> {
  const added = newDeliveries(all);
  // Most changes do no more.
  if (!all.some(changesDeliveries)) return added.length === 0 ? [] : [[insert, added]];
  const results = all.flatMap(({ deliveryResults = [] }) => deliveryResults);
  const resends = all.flatMap((writes) => writes.resends ?? []);
  const retried = results.filter(({ state }) => state === 'pending');
  const ended = results.filter(({ state }) => state !== 'pending');
  return [
    [insert, added],
    ...roundsOf(results).flatMap((round) => [
      [finish, round] as const,
      [log, round.filter(isAttempt)] as const,
    ]),
    [reopen, resends.map(({ id }) => ({ id }))],
    [demote, orderingKeysOf([...retried, ...resends])],
    [promote, orderingKeysOf([...ended, ...resends])],
    [makeDueNow, all.flatMap(({ dueNow = [] }) => dueNow)],
  ];
}

/** True if known deliveries change, or may come to be others' turn. */
export function changesDeliveries({ deliveryResults, resends, dueNow }: Writes): boolean {
  return Boolean(deliveryResults?.length || resends?.length || dueNow?.length);
}

/** A statement changes a row once, so that the results of a delivery that was sent twice are written in turn. */
function roundsOf(results: readonly DeliveryResult[]): AnyRow[][] {
  const rounds: AnyRow[][] = [];
  const seen = new Map<string, number>();
  for (const { attempt, ...result } of results) {
    const round = seen.get(result.id) ?? 0;
    seen.set(result.id, round + 1);
    rounds[round] ??= [];
    rounds[round].push({ ...result, ...(attempt ?? { answer: null }) });
  }
  return rounds;
}

const isAttempt = ({ answer }: AnyRow): boolean => answer !== null;

type OrderingKey = { readonly receiver: string; readonly subject: string; readonly at: number };

/** The ordering keys, each once. */
function orderingKeysOf(all: readonly OrderingKey[]): AnyRow[] {
  const keys = new Map(
    all.map(({ receiver, subject, at }) => [`${receiver}\n${subject}`, { receiver, subject, at }]),
  );
  return [...keys.values()];
}

/** Only the first new delivery of an ordering key can be its head. */
function newDeliveries(all: readonly Writes[]): AnyRow[] {
  const added = all.flatMap(({ deliveries = [] }): readonly DeliveryRow[] => deliveries);
  const keys = new Set<string>();
  return added.map((delivery) => {
    const { size } = keys;
    return { ...delivery, first: keys.add(`${delivery.receiver}\n${delivery.subject}`).size > size };
  });
}

type OfKey = Readonly<Record<'receiver' | 'subject', string>>;

/** Condition for the deliveries that are pending of the ordering key that a row names. */
const pendingIn = (
  table: string,
  r: OfKey,
): string => `${ofTenant(table)} AND ${table}.receiver = ${r.receiver}
  AND ${table}.subject = ${r.subject} AND ${table}.state = 'pending'`;

const insert = onRows(
  'id text, event text, subject text, sequence integer, receiver text, url text, createdAt bigint, first boolean',
  ({ r, values }) => {
    // For an EXISTS, PostgreSQL may read all that is pending of the tenant once, instead of looking for each row.
    const earlier = `(SELECT 1 FROM delivery AS earlier WHERE ${pendingIn('earlier', r)} LIMIT 1)`;
    const dueAt = `CASE WHEN ${r.first} AND ${earlier} IS NULL THEN ${r.createdAt} END`;
    const own = [r.id, r.event, r.subject, r.sequence, r.receiver, r.url, r.createdAt];
    return `INSERT INTO delivery
      (account, live, id, event, subject, sequence, receiver, url, created_at, state, attempts, round_start, due_at)
      ${values([...own, `'pending', 0, 0`, dueAt])}`;
  },
);

/**
 * A result ends the lease that it was made under. One that comes after that has run out counts as an attempt as well,
 * but whoever has the delivery now will say what becomes of it; unless it has arrived after all. Of one that was sent
 * again by hand meanwhile only an arrival is the end.
 */
const finish = onRows(
  `id text, lease bigint, round integer, at bigint, state text, dueAt bigint, httpStatus integer, error text,
   answer text`,
  ({ r, clause, dialect }) => {
    const hasArrived = `${r.state} = 'delivered'`;
    // On SQLite nobody else can have taken it: leases are in memory there.
    const isHeld = dialect === 'sqlite' ? 'true' : `(${r.lease} IS NULL OR leased_until = ${r.lease})`;
    const counts = `((delivery.state = 'pending' AND ${isHeld}) OR ${hasArrived})`;
    const decides = `(${counts} AND (${r.round} IS NULL OR round_start = ${r.round} OR ${hasArrived}))`;
    const lease =
      dialect === 'sqlite' ? '' : `leased_until = CASE WHEN ${counts} THEN NULL ELSE leased_until END,`;
    return `UPDATE delivery SET ${lease}
        attempts = attempts + CASE WHEN ${r.answer} IS NULL THEN 0 ELSE 1 END,
        tried_at = CASE WHEN ${r.answer} IS NULL THEN tried_at ELSE ${r.at} END,
        state = CASE WHEN ${decides} THEN ${r.state} ELSE delivery.state END,
        due_at = CASE WHEN ${decides} THEN ${r.dueAt} ELSE due_at END,
        last_status = CASE WHEN ${counts} THEN ${r.httpStatus} ELSE last_status END,
        last_error = CASE WHEN ${counts} THEN ${r.error} ELSE last_error END
      ${clause('FROM')} WHERE ${ofTenant('delivery')} AND delivery.id = ${r.id}`;
  },
);

/** The hash of what receivers of the event would get now. */
const bodyHash: Readonly<Record<Dialect, string>> = {
  sqlite: 'hash_of_body(event.body)',
  postgres: `encode(sha256(convert_to(event.body, 'UTF8')), 'hex')`,
};

/** An attempt. The answer is kept only while the event has the body that was sent. */
const log = onRows(
  'id text, at bigint, durationMs integer, httpStatus integer, error text, answer text, bodyHash text',
  ({ r, clause, dialect }) => `INSERT INTO delivery_attempt
      (account, live, delivery, number, at, duration_ms, status, error, answer)
    SELECT delivery.account, delivery.live, delivery.id, attempts, ${r.at}, ${r.durationMs}, ${r.httpStatus}, ${r.error},
      CASE WHEN ${r.answer} <> '' AND ${r.bodyHash} = (
        SELECT ${bodyHash[dialect]} FROM event WHERE ${ofTenant('event')} AND event.id = delivery.event
      ) THEN ${r.answer} ELSE '' END
    ${clause('FROM', 'delivery')} WHERE ${ofTenant('delivery')} AND delivery.id = ${r.id}`,
);

/** Makes deliveries pending again. One that is on its way still is; what comes of that counts as well. */
const reopen = onRows(
  'id text',
  ({ r, clause }) => `UPDATE delivery SET state = 'pending', due_at = NULL, round_start = attempts
    ${clause('FROM')} WHERE ${ofTenant('delivery')} AND delivery.id = ${r.id}`,
);

/** The first that is pending. An event can go to two addresses of one receiver, in the order of their ids. */
const headOf = (r: OfKey): string =>
  `(SELECT head.id FROM delivery AS head WHERE ${pendingIn('head', r)} ORDER BY sequence, id LIMIT 1)`;

/** Defers deliveries that are due although an earlier one of their ordering key is on its way again. */
const demote = onRows('receiver text, subject text', ({ r, clause, dialect }) => {
  // By itself SQLite would go through all deliveries of the tenant.
  const index = dialect === 'sqlite' ? 'INDEXED BY delivery_ordering' : '';
  return `UPDATE delivery ${index} SET due_at = NULL
    ${clause('FROM')} WHERE ${pendingIn('delivery', r)} AND delivery.due_at IS NOT NULL AND delivery.id <> ${headOf(r)}`;
});

/** Makes the first of an ordering key due, if it is not. */
const promote = onRows(
  'receiver text, subject text, at bigint',
  ({ r, clause }) => `UPDATE delivery SET due_at = ${r.at}
    ${clause('FROM')} WHERE ${ofTenant('delivery')} AND delivery.id = ${headOf(r)} AND delivery.due_at IS NULL`,
);

const makeDueNow = onRows(
  'receiver text, at bigint',
  ({ r, clause }) => `UPDATE delivery SET due_at = ${r.at},
      round_start = CASE WHEN round_start < attempts THEN round_start + 1 ELSE attempts END
    ${clause('FROM')} WHERE ${ofTenant('delivery')} AND delivery.receiver = ${r.receiver} AND delivery.due_at > ${r.at}`,
);
