/** Deliveries by their ordering keys, and their results. */
import type { DeliveryResult } from '../../webhooks/delivery.ts';
import type { Writes } from '../store.ts';
import type { AnyRow } from '../tables.ts';
import { ofTenant, type RowsStatement, type Statements } from './statements.ts';

/**
 * The lock of the subject is held by whoever changes what an ordering key has pending, so that no two transactions
 * decide about the same key at the same time.
 */
export function deliveryStatements({ run }: Statements, all: readonly Writes[]): PromiseLike<unknown>[] {
  const results = all.flatMap(({ deliveryResults = [] }) => deliveryResults);
  const resends = all.flatMap((writes) => writes.resends ?? []);
  const retried = results.filter(({ state }) => state === 'pending');
  const ended = results.filter(({ state }) => state !== 'pending');
  const reopened = resends.map(({ id }) => ({ id }));
  const dueNow = all.flatMap((writes) => writes.dueNow ?? []);
  return [
    ...run(insert, newDeliveries(all)),
    ...roundsOf(results).flatMap((round) => run(finish, round)),
    ...run(reopen, reopened),
    ...run(demote, orderingKeysOf([...retried, ...resends])),
    ...run(promote, orderingKeysOf([...ended, ...resends])),
    ...run(makeDueNow, dueNow),
  ];
}

/** A statement changes a row once, so that the results of a delivery that was sent twice are written in turn. */
function roundsOf(results: readonly DeliveryResult[]): AnyRow[][] {
  const rounds: AnyRow[][] = [];
  const seen = new Map<string, number>();
  for (const { attempt, ...result } of results) {
    const round = seen.get(result.id) ?? 0;
    seen.set(result.id, round + 1);
    rounds[round] ??= [];
    rounds[round].push({ ...result, ...attempt });
  }
  return rounds;
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
    .map((delivery) => {
      const { size } = keys;
      return { ...delivery, first: keys.add(`${delivery.receiver}\n${delivery.subject}`).size > size };
    });
}

const insert: RowsStatement = {
  columns: `id text, event text, subject text, sequence integer, receiver text, url text, "createdAt" bigint, first boolean`,
  text: (r) => `INSERT INTO delivery
      (account, live, id, event, subject, sequence, receiver, url, created_at, state, attempts, round_start, due_at)
    SELECT $1::bigint, $2::boolean, r.id, r.event, r.subject, r.sequence, r.receiver, r.url, r."createdAt", 'pending',
      0, 0, CASE WHEN r.first AND NOT EXISTS (
        SELECT 1 FROM delivery AS earlier
        WHERE ${ofTenant('earlier')} AND earlier.receiver = r.receiver
          AND earlier.subject = r.subject AND earlier.state = 'pending'
      ) THEN r."createdAt" END
    FROM ${r}`,
};

const counts = `(delivery.state = 'pending' AND (r.lease IS NULL OR delivery.leased_until = r.lease) OR r.state = 'delivered')`;
const decides = `(${counts} AND (r.round IS NULL OR delivery.round_start = r.round OR r.state = 'delivered'))`;

/**
 * A result ends the lease that it was made under. One that comes after that has run out counts as an attempt as well,
 * but whoever has the delivery now will say what becomes of it; unless it has arrived after all. Of one that was sent
 * again by hand meanwhile only an arrival is the end.
 */
const finish: RowsStatement = {
  columns: `id text, lease bigint, round integer, at bigint, state text, "dueAt" bigint, "httpStatus" integer,
    error text, "durationMs" integer, answer text, "bodyHash" text`,
  text: (r) => `WITH finished AS (
      UPDATE delivery SET
        attempts = attempts + (r.answer IS NOT NULL)::integer,
        tried_at = CASE WHEN r.answer IS NULL THEN tried_at ELSE r.at END,
        state = CASE WHEN ${decides} THEN r.state ELSE delivery.state END,
        due_at = CASE WHEN ${decides} THEN r."dueAt" ELSE delivery.due_at END,
        leased_until = CASE WHEN ${counts} THEN NULL ELSE leased_until END,
        last_status = CASE WHEN ${counts} THEN r."httpStatus" ELSE last_status END,
        last_error = CASE WHEN ${counts} THEN r.error ELSE last_error END
      FROM ${r} WHERE ${ofTenant('delivery')} AND delivery.id = r.id
      RETURNING delivery.id, event, attempts, r.at, r."durationMs", r."httpStatus", r.error, r.answer, r."bodyHash"
    )
    INSERT INTO delivery_attempt (account, live, delivery, number, at, duration_ms, status, error, answer)
    SELECT $1::bigint, $2::boolean, id, attempts, at, "durationMs", "httpStatus", error,
      CASE WHEN answer <> '' AND "bodyHash" = (
        SELECT encode(sha256(convert_to(event.body, 'UTF8')), 'hex') FROM event
        WHERE ${ofTenant('event')} AND event.id = finished.event
      ) THEN answer ELSE '' END
    FROM finished
    WHERE answer IS NOT NULL`,
};

/** Whoever sends it now still does; what comes of that counts as well. */
const reopen: RowsStatement = {
  columns: 'id text',
  text: (r) => `UPDATE delivery SET state = 'pending', due_at = NULL, round_start = attempts
    FROM ${r} WHERE ${ofTenant('delivery')} AND delivery.id = r.id`,
};

const orderingKey = 'receiver text, subject text, at bigint';

/** Those that are due although an earlier one of their ordering key is on its way again. */
const demote: RowsStatement = {
  columns: orderingKey,
  text: (r) => `UPDATE delivery SET due_at = NULL FROM ${r}
    WHERE ${ofTenant('delivery')} AND delivery.receiver = r.receiver AND delivery.subject = r.subject
      AND delivery.state = 'pending' AND delivery.due_at IS NOT NULL AND EXISTS (
        SELECT 1 FROM delivery AS earlier
        WHERE ${ofTenant('earlier')} AND earlier.receiver = r.receiver
          AND earlier.subject = r.subject AND earlier.state = 'pending'
          AND (earlier.sequence, earlier.id) < (delivery.sequence, delivery.id))`,
};

/** The first that waits of an ordering key, if none is due there. */
const promote: RowsStatement = {
  columns: orderingKey,
  text: (r) => `UPDATE delivery SET due_at = head.at FROM (
      SELECT first.id, r.at FROM ${r} CROSS JOIN LATERAL (
        SELECT id FROM delivery AS waiting
        WHERE ${ofTenant('waiting')} AND waiting.receiver = r.receiver
          AND waiting.subject = r.subject AND waiting.state = 'pending'
        ORDER BY sequence, id LIMIT 1
      ) AS first
    ) AS head
    WHERE ${ofTenant('delivery')} AND delivery.id = head.id AND delivery.due_at IS NULL`,
};

const makeDueNow: RowsStatement = {
  columns: 'receiver text, at bigint',
  text: (r) => `UPDATE delivery SET due_at = r.at, round_start = least(attempts, round_start + 1) FROM ${r}
    WHERE ${ofTenant('delivery')} AND delivery.receiver = r.receiver AND delivery.due_at > r.at`,
};
