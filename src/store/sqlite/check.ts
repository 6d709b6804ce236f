/** Whether a SQLite file is whole, and whether everything in it adds up. */
import type { DatabaseSync } from 'node:sqlite';
import { eventFields } from '../../events/envelope.ts';
import {
  type BrokenRow,
  type CheckListener,
  commonRules,
  limited,
  type Outcome,
  outcomeOf,
  type SqlRule,
  untoldOutcome,
} from '../check/check.ts';
import {
  type AccountRow,
  accountJudge,
  accounts,
  type BankFileRow,
  bankFileJudge,
  bankFiles,
  moneyRules,
  type NoticeRow,
  noticeJudge,
  notices,
} from '../check/money-rules.ts';
import {
  type CustomerRow,
  customerJudge,
  isYoung,
  type SessionRow,
  sessionJudge,
} from '../check/session-rules.ts';
import { type EndpointRow, endpointJudge, endpoints, webhookRules } from '../check/webhook-rules.ts';

const PROGRESS_EVERY = 1000;
/** Of the many faults that a damaged file can have, what the first ones are says enough. */
const MAX_FAULTS = 5;

/** The position up to which events of the same feed are gone. */
const startOf = (table: string) =>
  `coalesce((SELECT position FROM feed_start AS start WHERE start.account = ${table}.account AND start.live = ${table}.live), 0)`;

const rules: readonly SqlRule[] = [
  ...commonRules,
  ...webhookRules,
  ...moneyRules,
  {
    rule: 'positions of events have no gap, and begin behind those that are gone',
    sql: `
      SELECT account, live FROM event GROUP BY account, live
      HAVING min(position) <> 1 + ${startOf('event')} OR max(position) <> count(*) + ${startOf('event')}
      UNION SELECT account, live FROM feed_start WHERE position < 1`,
  },
  {
    rule: 'every session points to its newest event',
    sql: `
      SELECT id FROM checkout LEFT JOIN (
        SELECT account, live, subject, max(position) AS newest FROM event GROUP BY account, live, subject
      ) AS told ON told.account = checkout.account AND told.live = checkout.live AND told.subject = checkout.id
      WHERE last_event <> coalesce(newest, 0)
        AND NOT (newest IS NULL AND last_event BETWEEN 1 AND ${startOf('checkout')})`,
  },
  {
    // The first that is left points to one that is gone; and only sessions have a chain.
    rule: 'every event points to the one before it',
    sql: `
      SELECT id FROM (
        SELECT account, live, id, subject, sequence, position, previous,
          lag(position) OVER (PARTITION BY account, live, subject ORDER BY sequence) AS expected
        FROM event
      ) AS told WHERE previous >= position OR CASE
        WHEN subject NOT LIKE 'chk#_%' ESCAPE '#' OR sequence = 1 THEN previous <> 0
        WHEN expected IS NULL THEN previous NOT BETWEEN 1 AND ${startOf('told')}
        ELSE previous <> expected END`,
  },
  {
    rule: 'every stored answer has its event',
    sql: `
      SELECT idempotency.account, idempotency.live FROM idempotency
      LEFT JOIN event ON event.account = idempotency.account AND event.live = idempotency.live
        AND event.position = idempotency.event
      WHERE idempotency.event IS NOT NULL AND event.id IS NULL`,
  },
  {
    rule: 'no event tells of somebody who was erased',
    sql: `
      SELECT event.id FROM checkout
      LEFT JOIN customer ON customer.account = checkout.account AND customer.live = checkout.live
        AND customer.id = checkout.customer
      JOIN event ON event.account = checkout.account AND event.live = checkout.live AND event.subject = checkout.id
      WHERE checkout.customer IS NOT NULL AND customer.id IS NULL
        AND concat(json_extract(body, '$.${eventFields.data}.customer_details.name'),
                   json_extract(body, '$.${eventFields.data}.customer_details.email')) <> ''`,
  },
];

const noticesWithLedger = notices((columns) => `json_group_array(json_array(${columns}))`);

const customers = 'SELECT id, email, data FROM customer';

/** Everything of a session in one row; what is found by tables of other keys is gathered first, and then looked up. */
const sessions = () => `
  SELECT checkout.*, customer.id IS NOT NULL AS customer_known, payments, attempts, metadata,
    refunds, awaited, sent,
    coalesce(events, 0) AS events, first_sequence, last_sequence, coalesce(sequences, 0) AS sequences,
    coalesce(feed_start.position, 0) AS feed_start, coalesce(versions, 0) AS versions, oldest_version, newest_version,
    coalesce(audited, 0) AS audited, coalesce(young_events, 0) AS young_events, young_refunds
  FROM checkout
  LEFT JOIN customer ON customer.account = checkout.account AND customer.live = checkout.live
    AND customer.id = checkout.customer
  LEFT JOIN feed_start ON feed_start.account = checkout.account AND feed_start.live = checkout.live
  LEFT JOIN (
    SELECT account, live, checkout, json_group_array(json_array(rail, reference, attempt, amount, currency)) AS payments
    FROM payment GROUP BY account, live, checkout
  ) AS ledger ON ledger.account = checkout.account AND ledger.live = checkout.live AND ledger.checkout = checkout.id
  LEFT JOIN (
    SELECT account, live, checkout, json_group_array(json_array(id, rail, reference)) AS attempts
    FROM payment_attempt GROUP BY account, live, checkout
  ) AS tried ON tried.account = checkout.account AND tried.live = checkout.live AND tried.checkout = checkout.id
  LEFT JOIN (
    SELECT account, live, checkout, json_group_array(json_array(name, value)) AS metadata
    FROM checkout_metadata GROUP BY account, live, checkout
  ) AS noted ON noted.account = checkout.account AND noted.live = checkout.live AND noted.checkout = checkout.id
  LEFT JOIN (
    SELECT account, live, checkout, json_group_array(json_array(id, rail, state)) AS refunds
    FROM refund GROUP BY account, live, checkout
  ) AS refunded ON refunded.account = checkout.account AND refunded.live = checkout.live
    AND refunded.checkout = checkout.id
  LEFT JOIN (
    SELECT account, live, checkout, json_group_array(json_array(attempt, currency, amount)) AS awaited
    FROM awaited GROUP BY account, live, checkout
  ) AS expected ON expected.account = checkout.account AND expected.live = checkout.live
    AND expected.checkout = checkout.id
  LEFT JOIN (
    SELECT account, live, subject, count(*) AS events, min(sequence) AS first_sequence,
      max(sequence) AS last_sequence, count(DISTINCT sequence) AS sequences, count(DISTINCT version) AS versions,
      min(version) AS oldest_version, max(version) AS newest_version, sum(young) AS young_events,
      json_group_array(refund) FILTER (WHERE young AND refund IS NOT NULL) AS young_refunds
    -- The limit has versions and refunds taken out of the bodies before anything is sorted: bodies are many times as large.
    FROM (
      SELECT account, live, subject, sequence, ${isYoung('created_at')} AS young,
        CASE WHEN json_valid(body) THEN json_extract(body, '$.${eventFields.version}') END AS version,
        CASE WHEN type LIKE 'refund.%' AND json_valid(body) THEN json_extract(body, '$.${eventFields.data}.id') END AS refund
      FROM event LIMIT -1
    ) GROUP BY account, live, subject
  ) AS told ON told.account = checkout.account AND told.live = checkout.live AND told.subject = checkout.id
  LEFT JOIN (
    SELECT account, live, subject, count(DISTINCT version) AS audited FROM audit GROUP BY account, live, subject
  ) AS logged ON logged.account = checkout.account AND logged.live = checkout.live AND logged.subject = checkout.id
  LEFT JOIN (
    SELECT account, live, subject, json_group_array(json_array(url, receiver, young)) AS sent
    FROM (
      SELECT account, live, subject, url, receiver, sum(${isYoung('created_at')}) AS young
      FROM delivery WHERE url IS NOT NULL GROUP BY account, live, subject, url, receiver
    ) GROUP BY account, live, subject
  ) AS named ON named.account = checkout.account AND named.live = checkout.live AND named.subject = checkout.id`;

/** Looks at everything as it is at one moment, also while a service writes. */
export function checkSqlite(database: DatabaseSync, listener: CheckListener): void {
  database.exec('BEGIN');
  try {
    checkFile(database, listener);
    for (const rule of rules) {
      listener.progress(`checking that ${rule.rule}`);
      attempt(rule, listener, () => {
        listener.outcome(outcomeOf(rule, database.prepare(limited(rule)).all() as BrokenRow[]));
      });
    }
    lookAtEach<AccountRow>(database, 'account', accounts, accountJudge(), listener);
    lookAtEach<CustomerRow>(database, 'customer', customers, customerJudge(), listener);
    lookAtEach<EndpointRow>(database, 'webhook_endpoint', endpoints, endpointJudge(), listener);
    lookAtEach<SessionRow>(database, 'checkout', sessions(), sessionJudge(), listener);
    lookAtEach<NoticeRow>(database, 'notice', noticesWithLedger, noticeJudge(), listener);
    lookAtEach<BankFileRow>(database, 'bank_file', bankFiles, bankFileJudge(), listener);
  } finally {
    database.exec('ROLLBACK');
  }
}

function checkFile(database: DatabaseSync, listener: CheckListener): void {
  listener.progress('checking the file');
  const whole = { rule: 'the file is whole, and its indexes agree with its tables' };
  attempt(whole, listener, () => {
    const faults = database
      .prepare('PRAGMA integrity_check')
      .all()
      .map(({ integrity_check }) => `${integrity_check}`);
    const found = faults[0] === 'ok' ? [] : faults;
    listener.outcome({ ...whole, count: found.length, examples: found.slice(0, MAX_FAULTS) });
  });
  const referred = { rule: 'everything that is referred to exists' };
  attempt(referred, listener, () => {
    const found = database
      .prepare('PRAGMA foreign_key_check')
      .all()
      .map(({ table, rowid }) => `${table} ${rowid}`);
    listener.outcome({ ...referred, count: found.length, examples: found.slice(0, MAX_FAULTS) });
  });
}

const things = {
  account: 'account',
  customer: 'customer',
  webhook_endpoint: 'endpoint',
  checkout: 'session',
  notice: 'notice',
  bank_file: 'bank file',
} as const;

function lookAtEach<T>(
  database: DatabaseSync,
  table: keyof typeof things,
  sql: string,
  judge: { look(row: T): void; outcomes(): Outcome[] },
  listener: CheckListener,
): void {
  const thing = things[table];
  const what = `checking ${thing}s`;
  listener.progress(what);
  attempt({ rule: `every ${thing} can be read` }, listener, () => {
    const total = Number(database.prepare(`SELECT count(*) AS total FROM ${table}`).get()?.total);
    let done = 0;
    for (const row of database.prepare(sql).iterate()) {
      judge.look(row as T);
      if (++done % PROGRESS_EVERY === 0) listener.progress(what, done, total);
    }
    for (const outcome of judge.outcomes()) listener.outcome(outcome);
  });
}

/** A database that is damaged may refuse a statement: then the others may still tell something. */
function attempt(rule: { readonly rule: string }, { outcome }: CheckListener, work: () => void): void {
  try {
    work();
  } catch (error) {
    outcome(untoldOutcome(rule, error));
  }
}
