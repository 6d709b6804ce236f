/** Deliveries by their ordering keys, and their results. */
import type { StatementSync } from 'node:sqlite';
import type { Tenant } from '../../checkout/tenant.ts';
import { hashOfBody } from '../redact.ts';
import type { Writes } from '../store.ts';
import { liveOf } from './rows.ts';

/** The first pending delivery of an ordering key. An event can go to two addresses of one receiver, in the order of their ids. */
const head = `
  SELECT id FROM delivery
  WHERE account = ?1 AND live = ?2 AND receiver = ?3 AND subject = ?4 AND state = 'pending'
  ORDER BY sequence, id LIMIT 1`;

/** Whether a result decides: of one that was sent again by hand meanwhile only an arrival does. */
const ofRound = "(?8 IS NULL OR round_start = ?8 OR ?4 = 'delivered')";

export function deliveryWriter(prepare: (sql: string) => StatementSync) {
  const insert = prepare(
    `INSERT INTO delivery
       (account, live, receiver, subject, id, event, sequence, url, created_at, state, attempts, round_start, due_at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 'pending', 0, 0,
       CASE WHEN EXISTS (${head}) THEN NULL ELSE ?9 END)`,
  );
  const finish = prepare(
    `UPDATE delivery SET state = CASE WHEN ${ofRound} THEN ?4 ELSE state END,
       due_at = CASE WHEN ${ofRound} THEN ?5 ELSE due_at END, last_status = ?6, last_error = ?7
     WHERE account = ?1 AND live = ?2 AND id = ?3 AND (state = 'pending' OR ?4 = 'delivered')`,
  );
  const count = prepare(
    `UPDATE delivery SET attempts = attempts + 1, tried_at = ?4
     WHERE account = ?1 AND live = ?2 AND id = ?3 RETURNING attempts`,
  );
  const bodyOf = prepare(
    `SELECT body FROM event WHERE account = ?1 AND live = ?2 AND id = (
       SELECT event FROM delivery WHERE delivery.account = ?1 AND delivery.live = ?2 AND delivery.id = ?3)`,
  );
  const insertAttempt = prepare(
    `INSERT INTO delivery_attempt (account, live, delivery, number, at, duration_ms, status, error, answer)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const resend = prepare(
    `UPDATE delivery SET state = 'pending', due_at = NULL, round_start = attempts
     WHERE account = ? AND live = ? AND id = ?`,
  );
  const promote = prepare(
    `UPDATE delivery SET due_at = ?5 WHERE account = ?1 AND live = ?2 AND id = (${head}) AND due_at IS NULL`,
  );
  // Those that are due although an earlier one is on its way again.
  const demote = prepare(
    `UPDATE delivery SET due_at = NULL
     WHERE account = ?1 AND live = ?2 AND receiver = ?3 AND subject = ?4 AND state = 'pending'
       AND due_at IS NOT NULL AND id <> (${head})`,
  );
  const makeDueNow = prepare(
    `UPDATE delivery SET due_at = ?4, round_start = min(attempts, round_start + 1)
     WHERE account = ?1 AND live = ?2 AND receiver = ?3 AND due_at > ?4`,
  );

  return (tenant: Tenant, writes: Writes): void => {
    const tenantKey = [tenant.account, liveOf(tenant)] as const;
    for (const { id, event, subject, sequence, receiver, url, createdAt } of writes.deliveries ?? []) {
      insert.run(...tenantKey, receiver, subject, id, event, sequence, url, createdAt);
    }
    for (const result of writes.deliveryResults ?? []) {
      const { id, receiver, subject, at, state, dueAt, httpStatus, error, attempt, round } = result;
      const made = attempt ? count.get(...tenantKey, id, at) : undefined;
      if (attempt && made) {
        const { durationMs, bodyHash } = attempt;
        const isSame =
          attempt.answer !== '' && hashOfBody(bodyOf.get(...tenantKey, id)?.body as string) === bodyHash;
        const answer = isSame ? attempt.answer : '';
        insertAttempt.run(
          ...tenantKey,
          id,
          made.attempts as number,
          at,
          durationMs,
          httpStatus,
          error,
          answer,
        );
      }
      // What has been brought to its end stays there, unless it was given up and has arrived after all.
      if (finish.run(...tenantKey, id, state, dueAt, httpStatus, error, round).changes === 0) continue;
      if (state === 'pending') demote.run(...tenantKey, receiver, subject);
      else promote.run(...tenantKey, receiver, subject, at);
    }
    for (const { id } of writes.resends ?? []) resend.run(...tenantKey, id);
    const keys = new Map(writes.resends?.map((each) => [`${each.receiver}\n${each.subject}`, each]));
    for (const { receiver, subject, at } of keys.values()) {
      demote.run(...tenantKey, receiver, subject);
      promote.run(...tenantKey, receiver, subject, at);
    }
    for (const { receiver, at } of writes.dueNow ?? []) makeDueNow.run(...tenantKey, receiver, at);
  };
}
