/** Holds everything in a database against the rules, in the same way for every database. */
import { eventFields } from '../../events/envelope.ts';
import type { Dialect } from '../sql.ts';
import { columnsIn, type Table } from '../tables.ts';
import {
  type BrokenRow,
  type CheckListener,
  commonRules,
  type Judge,
  joined,
  limited,
  outcomeOf,
  type SqlRule,
} from './check.ts';
import { accountJudge, bankEntries, bankEntryJudge, bankFileJudge, moneyRules } from './money-rules.ts';
import { customerJudge, sessionJudge } from './session-rules.ts';
import { gatheredAs, sessions } from './sessions.ts';
import { endpointJudge, endpoints, webhookRules } from './webhook-rules.ts';

const ROWS_AT_ONCE = 500;
/** Each of them can be large. */
const FILES_AT_ONCE = 10;

/** A database as it is at one moment. */
export type Checked = {
  readonly dialect: Dialect;
  /** The rules about what only this database has. */
  readonly rules: readonly SqlRule[];
  all(sql: string): Promise<readonly object[]>;
  /** The same, some rows at a time. */
  each(sql: string, atOnce: number): AsyncIterable<readonly object[]>;
  /** Does the work. Where the data itself makes it fail, the rule cannot be told, and the others may still be. */
  attempt(rule: { readonly rule: string }, work: () => Promise<void>): Promise<void>;
};

export async function checkAll(database: Checked, listener: CheckListener): Promise<void> {
  const { dialect, rules, all, each, attempt } = database;
  for (const rule of [...commonRules, ...webhookRules, ...moneyRules, ...rulesOf(dialect), ...rules]) {
    listener.progress(`checking that ${rule.rule}`);
    await attempt(rule, async () => {
      listener.outcome(outcomeOf(rule, (await all(limited(rule))) as readonly BrokenRow[]));
    });
  }
  await look('account', 'account', rowsOf('account'), accountJudge());
  await look('customer', 'customer', rowsOf('customer'), customerJudge());
  await look('endpoint', 'webhook_endpoint', endpoints, endpointJudge());
  await look('session', 'checkout', sessions(dialect), sessionJudge());
  await look('bank entry', 'bank_entry', bankEntries(gatheredAs[dialect]), bankEntryJudge());
  await look('bank file', 'bank_file', rowsOf('bank_file'), bankFileJudge(), FILES_AT_ONCE);

  /** Shows every row to the judge. */
  async function look(thing: string, table: string, sql: string, judge: Judge<never>, atOnce = ROWS_AT_ONCE) {
    const rule = `every ${thing} can be read`;
    const what = `checking that ${rule}`;
    listener.progress(what);
    await attempt({ rule }, async () => {
      const [counted] = (await all(`SELECT count(*) AS total FROM ${table}`)) as [{ readonly total: number }];
      let done = 0;
      for await (const rows of each(sql, atOnce)) {
        for (const row of rows) judge.look(row as never);
        done += rows.length;
        listener.progress(what, done, counted.total);
      }
      for (const outcome of judge.outcomes()) listener.outcome(outcome);
    });
  }
}

const rowsOf = (table: Table): string => `SELECT ${columnsIn(table)} FROM ${table}`;

/** Rules that every database has, each in its own SQL. */
function rulesOf(dialect: Dialect): readonly SqlRule[] {
  const event = dialect === 'sqlite' ? 'position' : 'id';
  const textAt = (name: string) =>
    dialect === 'sqlite'
      ? `json_extract(body, '$.${eventFields.data}.customer_details.${name}')`
      : `body::json #>> '{${eventFields.data},customer_details,${name}}'`;
  return [
    {
      rule: 'every stored answer has its event',
      sql: `
        SELECT idempotency.account, idempotency.live FROM idempotency
        LEFT JOIN ${joined('idempotency', 'event', `event.${event} = idempotency.event`)}
        WHERE idempotency.event IS NOT NULL AND event.id IS NULL`,
    },
    {
      rule: 'no event tells of somebody who was erased',
      sql: `
        SELECT event.id FROM checkout
        LEFT JOIN ${joined('checkout', 'customer', 'customer.id = checkout.customer')}
        JOIN ${joined('checkout', 'event', 'event.subject = checkout.id')}
        WHERE checkout.customer IS NOT NULL AND customer.id IS NULL
          AND concat(${textAt('name')}, ${textAt('email')}) <> ''`,
    },
  ];
}
