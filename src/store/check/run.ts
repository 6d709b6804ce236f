/** Holds everything in a database against the rules, in the same way for every database. */
import type { Dialect } from '../sql.ts';
import { columnsIn, schemaOf, type Table } from '../tables.ts';
import { accountJudge, apiKeyJudge, logoJudge, userJudge } from './account-rules.ts';
import {
  type BrokenRow,
  type CheckListener,
  commonRules,
  isBroken,
  type Judge,
  joined,
  limited,
  outcomeOf,
  type SqlRule,
  untoldOutcome,
} from './check.ts';
import { answerJudge, answers, eventJudge, events } from './event-rules.ts';
import { bankEntries, bankEntryJudge, bankFileJudge, bankFiles, moneyRules } from './money-rules.ts';
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
  /** Does the work. Gives the error where the data itself makes it fail: other rules may still be told. */
  attempt(work: () => Promise<void>): Promise<Error | null>;
};

export async function checkAll(database: Checked, listener: CheckListener): Promise<void> {
  const { dialect, rules, all, each, attempt } = database;
  for (const rule of [...commonRules, ...webhookRules, ...moneyRules, ...rulesOf(dialect), ...rules]) {
    listener.progress(`checking that ${rule.rule}`);
    const error = await attempt(async () => {
      listener.outcome(outcomeOf(rule, (await all(limited(rule))) as readonly BrokenRow[]));
    });
    if (error !== null) listener.outcome(untoldOutcome(rule, error));
  }
  await look('accounts', 'account', rowsOf('account'), accountJudge());
  await look('logos', 'logo', rowsOf('logo'), logoJudge());
  await look('API keys', 'api_key', rowsOf('api_key'), apiKeyJudge());
  await look('users', 'dashboard_user', rowsOf('dashboard_user'), userJudge());
  await look('customers', 'customer', rowsOf('customer'), customerJudge());
  await look('endpoints', 'webhook_endpoint', endpoints, endpointJudge());
  await look('sessions', 'checkout', sessions(dialect), sessionJudge());
  await look('events', 'event', events, eventJudge());
  await look('stored answers', 'idempotency', answers(eventKey[dialect]), answerJudge());
  await look('bank entries', 'bank_entry', bankEntries(gatheredAs[dialect]), bankEntryJudge());
  await look('bank files', 'bank_file', bankFiles(gatheredAs[dialect]), bankFileJudge(), FILES_AT_ONCE);

  /** Shows every row to the judge. */
  async function look(
    things: string,
    table: string,
    sql: string,
    judge: Judge<never>,
    atOnce = ROWS_AT_ONCE,
  ) {
    const what = `checking ${things}`;
    listener.progress(what);
    const error = await attempt(async () => {
      const [counted] = (await all(`SELECT count(*) AS total FROM ${table}`)) as [{ readonly total: number }];
      let done = 0;
      for await (const rows of each(sql, atOnce)) {
        for (const row of rows) judge.look(row as never);
        done += rows.length;
        listener.progress(what, done, counted.total);
      }
    });
    for (const outcome of judge.outcomes()) {
      // Where not all rows could be had, only what is broken is known.
      listener.outcome(error === null || isBroken(outcome) ? outcome : untoldOutcome(outcome, error));
    }
  }
}

const rowsOf = (table: Table): string => `SELECT ${columnsIn(table)} FROM ${table}`;

/** The column of an event by which answers name it. */
const eventKey: Readonly<Record<Dialect, string>> = { sqlite: 'position', postgres: 'id' };

/** Columns that name a row and tell nothing of anybody, in the order of preference. */
const NAMING = ['id', 'checkout', 'subject', 'delivery', 'account', 'number'];

/** Beyond this a number may be read as its neighbour. */
function inexactNumbers(dialect: Dialect): string {
  const { MIN_SAFE_INTEGER: least, MAX_SAFE_INTEGER: most } = Number;
  const selects = Object.entries(schemaOf(dialect)).flatMap(([table, columns]) => {
    const numbers = columns.filter(({ type }) => type === 'bigint' || type === 'integer');
    const key = NAMING.find((name) => columns.some((each) => each.name === name));
    const outside = numbers.map(({ name }) => `${name} NOT BETWEEN ${least} AND ${most}`);
    return numbers.length === 0
      ? []
      : [`SELECT '${table} ' || ${key} AS id FROM ${table} WHERE ${outside.join(' OR ')}`];
  });
  return selects.join(' UNION ');
}

/** Rules that every database has, each in its own SQL. */
function rulesOf(dialect: Dialect): readonly SqlRule[] {
  return [
    { rule: 'every number can be counted with exactly', sql: inexactNumbers(dialect) },
    {
      rule: 'every stored answer has its event',
      sql: `
        SELECT idempotency.account, idempotency.live FROM idempotency
        LEFT JOIN ${joined('idempotency', 'event', `event.${eventKey[dialect]} = idempotency.event`)}
        WHERE idempotency.event IS NOT NULL AND event.id IS NULL`,
    },
  ];
}
