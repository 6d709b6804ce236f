/** Whether everything in a database adds up, asked of the tables themselves. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';

/** Each selects what must not exist. */
const contradictions: Readonly<Record<string, string>> = {
  'positions of events have a gap': `
    SELECT account, live, count(*) AS events, min(position) AS first, max(position) AS last FROM event
    GROUP BY account, live HAVING count(*) <> max(position) OR min(position) <> 1`,
  'a session has other events than it counts': `
    SELECT checkout.id, event_count, count(event.id) AS events, max(sequence) AS last
    FROM checkout LEFT JOIN event ON event.checkout = checkout.id
    GROUP BY checkout.id
    HAVING count(event.id) <> event_count OR max(sequence) <> event_count OR count(DISTINCT sequence) <> event_count`,
  'a session has other versions than its events tell of': `
    SELECT checkout.id, checkout.version FROM checkout JOIN event ON event.checkout = checkout.id
    GROUP BY checkout.id
    HAVING count(DISTINCT json_extract(body, '$.version')) <> checkout.version
        OR max(json_extract(body, '$.version')) <> checkout.version`,
  'a session does not point to its newest event': `
    SELECT checkout.id, last_event, max(position) AS newest
    FROM checkout JOIN event ON event.checkout = checkout.id
    GROUP BY checkout.id HAVING max(position) <> last_event`,
  'an event does not point to the one before it': `
    SELECT * FROM (SELECT position, previous,
      lag(position, 1, 0) OVER (PARTITION BY account, live, checkout ORDER BY sequence) AS expected FROM event)
    WHERE previous <> expected`,
  'an event belongs to no session': `
    SELECT id FROM event WHERE checkout NOT IN (SELECT id FROM checkout)`,
  'a change has no line of audit, or several': `
    SELECT checkout.id, checkout.version, count(audit.subject) AS lines
    FROM checkout LEFT JOIN audit ON audit.subject = checkout.id
    GROUP BY checkout.id
    HAVING count(audit.subject) <> checkout.version OR count(DISTINCT audit.version) <> checkout.version`,
  'what is paid is not the sum of the ledger': `
    SELECT checkout.id, amount_paid, sum(payment.amount) AS ledger
    FROM checkout LEFT JOIN payment ON payment.checkout = checkout.id
    GROUP BY checkout.id HAVING coalesce(sum(payment.amount), 0) <> amount_paid`,
  'a payment belongs to no session': `
    SELECT reference FROM payment WHERE checkout NOT IN (SELECT id FROM checkout)`,
  'an attempt is not found, or an attempt that is found is none': `
    SELECT checkout.id, json_array_length(data, '$.attempts') AS attempts, count(payment_attempt.id) AS rows
    FROM checkout LEFT JOIN payment_attempt ON payment_attempt.checkout = checkout.id
    GROUP BY checkout.id HAVING count(payment_attempt.id) <> json_array_length(data, '$.attempts')`,
  'a column says something else than the session': `
    SELECT id FROM checkout
    WHERE amount <> json_extract(data, '$.amount') OR status <> json_extract(data, '$.lifecycle.state')
       OR partially_paid <> (amount_paid > 0 AND amount_paid < amount) OR paid_in_excess <> (amount_paid > amount)`,
  'the index of metadata says something else than the session': `
    SELECT checkout.id FROM checkout
    WHERE (SELECT count(*) FROM checkout_metadata WHERE checkout_metadata.checkout = checkout.id)
       <> (SELECT count(*) FROM json_each(checkout.data, '$.metadata'))`,
  'an event has no delivery although somebody waits for it, or several, or one to elsewhere': `
    SELECT event.id, webhook, count(delivery.id) AS deliveries
    FROM (SELECT id, json_extract(data, '$.webhookUrl') AS webhook FROM checkout) AS waiting
    JOIN event ON event.checkout = waiting.id LEFT JOIN delivery ON delivery.event = event.id
    GROUP BY event.id
    HAVING count(delivery.id) <> (webhook <> '') OR max(delivery.url) <> webhook`,
  'two customers have one address': `
    SELECT email FROM customer GROUP BY account, live, email HAVING email IS NOT NULL AND count(*) > 1`,
  'a session is of a customer who does not exist': `
    SELECT id FROM checkout WHERE customer IS NOT NULL AND customer NOT IN (SELECT id FROM customer)`,
};

export type Books = ReturnType<typeof openBooks>;

export function openBooks(path: string) {
  const database = new DatabaseSync(path, { readOnly: true });
  const all = (sql: string, ...values: string[]) => database.prepare(sql).all(...values);
  const digestOfEvents = (last: number): string =>
    hash(
      'sha256',
      JSON.stringify(all(`SELECT position, id, body FROM event WHERE position <= ${last} ORDER BY position`)),
    );

  return {
    all,
    one: (sql: string, ...values: string[]) => Object.values(all(sql, ...values)[0] ?? {})[0],
    close: () => database.close(),
    digestOfEvents,

    /** Fails with the rows that contradict each other. */
    check(): void {
      assert.deepEqual(all('PRAGMA integrity_check').map(Object.values), [['ok']]);
      assert.deepEqual(all('PRAGMA foreign_key_check'), []);
      for (const [what, sql] of Object.entries(contradictions)) {
        const rows = all(`SELECT * FROM (${sql}) LIMIT 5`);
        assert.equal(rows.length, 0, `${what}: ${JSON.stringify(rows)}`);
      }
    },
  };
}
