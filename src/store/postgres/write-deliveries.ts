/** Deliveries by their ordering keys, and their results. */
import type { DeliveryResult } from '../../webhooks/delivery.ts';
import type { Writes } from '../store.ts';
import type { AnyRow } from '../tables.ts';
import type { Statements } from './statements.ts';

type OnRows = Statements['onRows'];

/**
 * The lock of the subject is held by whoever changes what an ordering key has pending, so that no two transactions
 * decide about the same key at the same time.
 */
export function deliveryStatements({ onRows }: Statements, all: readonly Writes[]): PromiseLike<unknown>[] {
  const results = all.flatMap(({ deliveryResults = [] }) => deliveryResults);
  const resends = all.flatMap((writes) => writes.resends ?? []);
  const retried = results.filter(({ state }) => state === 'pending');
  const ended = orderingKeysOf([...results.filter(({ state }) => state !== 'pending'), ...resends]);
  return [
    ...insertDeliveries(onRows, newDeliveries(all)),
    ...roundsOf(results).flatMap((round) => finish(onRows, round.map(resultRow))),
    ...reopen(
      onRows,
      resends.map(({ id }) => ({ id })),
    ),
    ...demote(onRows, orderingKeysOf([...retried, ...resends])),
    ...promote(onRows, ended),
    ...makeDueNow(
      onRows,
      all.flatMap(({ dueNow = [] }) => dueNow),
    ),
  ];
}

/** A statement changes a row once, so that the results of a delivery that was sent twice are written in turn. */
function roundsOf(results: readonly DeliveryResult[]): DeliveryResult[][] {
  const rounds: DeliveryResult[][] = [];
  const seen = new Map<string, number>();
  for (const result of results) {
    const round = seen.get(result.id) ?? 0;
    seen.set(result.id, round + 1);
    const others = rounds[round];
    if (others) others.push(result);
    else rounds.push([result]);
  }
  return rounds;
}

function resultRow({
  id,
  lease,
  round,
  at,
  state,
  dueAt,
  httpStatus,
  error,
  attempt,
}: DeliveryResult): AnyRow {
  return {
    id,
    lease,
    round,
    at,
    state,
    due_at: dueAt,
    status: httpStatus,
    error,
    duration_ms: attempt?.durationMs ?? null,
    answer: attempt?.answer ?? null,
    body_hash: attempt?.bodyHash ?? null,
  };
}

type OrderingKey = { readonly receiver: string; readonly subject: string; readonly at: number };

/** Each once. */
function orderingKeysOf(all: readonly OrderingKey[]): AnyRow[] {
  const keys = new Map(
    all.map(({ receiver, subject, at }) => [`${receiver}\n${subject}`, { receiver, subject, at }]),
  );
  return [...keys.values()];
}

/** Only the first new delivery of an ordering key can be its head. */
function newDeliveries(all: readonly Writes[]): AnyRow[] {
  const keys = new Set<string>();
  return all
    .flatMap((writes) => writes.deliveries ?? [])
    .map(({ createdAt, ...row }) => {
      const key = `${row.receiver}\n${row.subject}`;
      const first = !keys.has(key);
      keys.add(key);
      return { ...row, created_at: createdAt, first };
    });
}

function insertDeliveries(onRows: OnRows, rows: readonly AnyRow[]) {
  return onRows(
    rows,
    `id text, event text, subject text, sequence integer, receiver text, url text, created_at bigint, first boolean`,
    (r) => `INSERT INTO delivery
        (account, live, id, event, subject, sequence, receiver, url, created_at, state, attempts, round_start, due_at)
      SELECT $1::bigint, $2::boolean, r.id, r.event, r.subject, r.sequence, r.receiver, r.url, r.created_at, 'pending', 0,
        0, CASE WHEN r.first AND NOT EXISTS (
          SELECT 1 FROM delivery AS earlier
          WHERE earlier.account = $1 AND earlier.live = $2 AND earlier.receiver = r.receiver
            AND earlier.subject = r.subject AND earlier.state = 'pending'
        ) THEN r.created_at END
      FROM ${r}`,
  );
}

/**
 * A result ends the lease that it was made under. One that comes after that has run out counts as an attempt as well,
 * but whoever has the delivery now will say what becomes of it; unless it has arrived after all. Of one that was sent
 * again by hand meanwhile only an arrival is the end.
 */
function finish(onRows: OnRows, rows: readonly AnyRow[]) {
  const counts = `(delivery.state = 'pending' AND (r.lease IS NULL OR delivery.leased_until = r.lease) OR r.state = 'delivered')`;
  const decides = `(${counts} AND (r.round IS NULL OR delivery.round_start = r.round OR r.state = 'delivered'))`;
  return onRows(
    rows,
    `id text, lease bigint, round integer, at bigint, state text, due_at bigint, status integer, error text, duration_ms integer,
     answer text, body_hash text`,
    (r) => `WITH finished AS (
        UPDATE delivery SET
          attempts = attempts + (r.answer IS NOT NULL)::integer,
          tried_at = CASE WHEN r.answer IS NULL THEN tried_at ELSE r.at END,
          state = CASE WHEN ${decides} THEN r.state ELSE delivery.state END,
          due_at = CASE WHEN ${decides} THEN r.due_at ELSE delivery.due_at END,
          leased_until = CASE WHEN ${counts} THEN NULL ELSE leased_until END,
          last_status = CASE WHEN ${counts} THEN r.status ELSE last_status END,
          last_error = CASE WHEN ${counts} THEN r.error ELSE last_error END
        FROM ${r} WHERE delivery.account = $1 AND delivery.live = $2 AND delivery.id = r.id
        RETURNING delivery.id, event, attempts, r.at, r.duration_ms, r.status, r.error, r.answer, r.body_hash
      )
      INSERT INTO delivery_attempt (account, live, delivery, number, at, duration_ms, status, error, answer)
      SELECT $1::bigint, $2::boolean, id, attempts, at, duration_ms, status, error,
        CASE WHEN answer <> '' AND body_hash = (
          SELECT encode(sha256(convert_to(event.body, 'UTF8')), 'hex') FROM event
          WHERE event.account = $1 AND event.live = $2 AND event.id = finished.event
        ) THEN answer ELSE '' END
      FROM finished
      WHERE answer IS NOT NULL`,
  );
}

/** Whoever sends it now still does; what comes of that counts as well. */
function reopen(onRows: OnRows, rows: readonly AnyRow[]) {
  return onRows(
    rows,
    'id text',
    (r) => `UPDATE delivery SET state = 'pending', due_at = NULL, round_start = attempts
            FROM ${r} WHERE delivery.account = $1 AND delivery.live = $2 AND delivery.id = r.id`,
  );
}

const orderingKeyColumns = 'receiver text, subject text, at bigint';

/** Those that are due although an earlier one of their ordering key is on its way again. */
function demote(onRows: OnRows, rows: readonly AnyRow[]) {
  return onRows(
    rows,
    orderingKeyColumns,
    (r) => `UPDATE delivery SET due_at = NULL FROM ${r}
            WHERE delivery.account = $1 AND delivery.live = $2 AND delivery.receiver = r.receiver
              AND delivery.subject = r.subject AND delivery.state = 'pending' AND delivery.due_at IS NOT NULL
              AND EXISTS (
                SELECT 1 FROM delivery AS earlier
                WHERE earlier.account = $1 AND earlier.live = $2 AND earlier.receiver = r.receiver
                  AND earlier.subject = r.subject AND earlier.state = 'pending'
                  AND (earlier.sequence, earlier.id) < (delivery.sequence, delivery.id))`,
  );
}

/** The first that waits of an ordering key, if none is due there. */
function promote(onRows: OnRows, rows: readonly AnyRow[]) {
  return onRows(
    rows,
    orderingKeyColumns,
    (r) => `UPDATE delivery SET due_at = head.at FROM (
              SELECT first.id, r.at FROM ${r} CROSS JOIN LATERAL (
                SELECT id FROM delivery AS waiting
                WHERE waiting.account = $1 AND waiting.live = $2 AND waiting.receiver = r.receiver
                  AND waiting.subject = r.subject AND waiting.state = 'pending'
                ORDER BY sequence, id LIMIT 1
              ) AS first
            ) AS head
            WHERE delivery.account = $1 AND delivery.live = $2 AND delivery.id = head.id
              AND delivery.due_at IS NULL`,
  );
}

function makeDueNow(onRows: OnRows, rows: readonly AnyRow[]) {
  return onRows(
    rows,
    'receiver text, at bigint',
    (r) => `UPDATE delivery SET due_at = r.at, round_start = least(attempts, round_start + 1) FROM ${r}
            WHERE delivery.account = $1 AND delivery.live = $2 AND delivery.receiver = r.receiver
              AND delivery.due_at > r.at`,
  );
}
