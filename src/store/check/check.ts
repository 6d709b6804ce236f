/**
 * Rules that hold in a database, whatever happened to it. Those that one statement can tell are here or with their
 * database; those about a session as a whole are in `session-rules.ts`, those of webhooks in `webhook-rules.ts`, and
 * those of what banks and other rails say in `money-rules.ts`, and those of accounts and users in `account-rules.ts`.
 */

import { messageLineOf } from '../../lib/error-message.ts';
import { tables } from '../tables.ts';

/** Outcome of one rule. */
export type Outcome = {
  /** The rule in words. */
  readonly rule: string;
  /** Number of those that break it. */
  readonly count: number;
  /** Some of those: ids, never anything personal. */
  readonly examples: readonly string[];
  /** Reason why it could not be told, if it could not. */
  readonly untold?: string;
  /** Set if the rule was left out for that, which is no contradiction. */
  readonly skipped?: boolean;
};

/** Listener of a check. */
export type CheckListener = {
  readonly outcome: (outcome: Outcome) => void;
  /** Told what is being looked at, and how much of it is done where that is known. */
  readonly progress: (what: string, done?: number, total?: number) => void;
};

/** A rule as a statement that selects what breaks it: a column `id`, or `account` and `live`. */
export type SqlRule = { readonly rule: string; readonly sql: string };

const EXAMPLES = 5;

/** The statement of a rule with no more rows than are shown, each with the number of all. */
export function limited({ sql }: SqlRule): string {
  return `SELECT broken.*, count(*) OVER () AS broken_in_all FROM (${sql}) AS broken LIMIT ${EXAMPLES}`;
}

export type BrokenRow = {
  readonly broken_in_all: number;
  readonly id?: string;
  readonly account?: number;
  readonly live?: number | boolean;
};

export function outcomeOf({ rule }: SqlRule, rows: readonly BrokenRow[]): Outcome {
  const examples = rows.map(({ id, account, live }) => id ?? `account ${account} ${live ? 'live' : 'test'}`);
  return { rule, count: rows[0]?.broken_in_all ?? 0, examples };
}

export function untoldOutcome({ rule }: { readonly rule: string }, error: unknown): Outcome {
  return { rule, count: 0, examples: [], untold: messageLineOf(error) };
}

/** True if something is wrong. */
export function isBroken({ count, untold, skipped = false }: Outcome): boolean {
  return count > 0 || (untold !== undefined && !skipped);
}

/** Counts what breaks a rule, and remembers a few. */
export function createTally(rule: string) {
  const examples: string[] = [];
  let count = 0;
  return {
    add(id: string): void {
      count++;
      if (examples.length < EXAMPLES) examples.push(id);
    },
    outcome: (): Outcome => ({ rule, count, examples }),
  };
}

/** Looks at the rows of a table one by one. */
export type Judge<R> = { look(row: R): void; outcomes(): Outcome[] };

/**
 * A judge of what `read` makes of rows. Where it or a rule throws, the row cannot be read; what the other rules find is
 * told all the same.
 */
export function judgeOf<R, S>(
  readable: string,
  read: (row: R) => S,
  rules: Readonly<Record<string, (subject: S) => boolean>>,
  nameOf: (row: R) => string,
): Judge<R> {
  const unreadable = createTally(readable);
  const tallies = Object.entries(rules).map(([rule, holds]) => ({ holds, tally: createTally(rule) }));
  return {
    look(row) {
      let isReadable = true;
      const attempted = <T>(work: () => T, otherwise: T): T => {
        try {
          return work();
        } catch {
          isReadable = false;
          return otherwise;
        }
      };
      const made = attempted(() => ({ subject: read(row) }), null);
      if (made !== null) {
        for (const { holds, tally } of tallies) {
          if (!attempted(() => holds(made.subject), true)) tally.add(nameOf(row));
        }
      }
      if (!isReadable) unreadable.add(nameOf(row));
    },
    outcomes: () => [unreadable, ...tallies.map(({ tally }) => tally)].map((each) => each.outcome()),
  };
}

/** Throws unless this is so. */
export function expect(holds: boolean): void {
  if (!holds) throw new Error('it is something else');
}

export function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type Entry = ReadonlyArray<string | number | boolean | null>;

/** True if a JSON array, or null for an empty one, has just these entries, in any order. */
export function sameEntries(json: string | null, expected: readonly Entry[]): boolean {
  const found: Entry[] = JSON.parse(json ?? '[]');
  if (found.length !== expected.length) return false;
  const texts = new Set(found.map((each) => JSON.stringify(each)));
  return expected.every((each) => texts.has(JSON.stringify(each)));
}

/** Another table, joined where it belongs to the row of the table. */
export const joined = (table: string, other: string, on = 'true'): string =>
  `${other} ON ${other}.account = ${table}.account AND ${other}.live = ${table}.live AND ${on}`;

/** Ids of rows without that in another table which they belong to. */
export const lone = (table: string, id: string, other: string, on: string, where = ''): string => `
  SELECT DISTINCT ${table}.${id} AS id FROM ${table} LEFT JOIN ${joined(table, other, on)}
  WHERE ${other}.account IS NULL ${where && `AND ${where}`}`;

/** Rows of a table that name a session which does not exist. */
export const ofNoSession = (table: string, id: string): string =>
  lone(table, id, 'checkout', `checkout.id = ${table}.checkout`);

/** Rows of which there are several with the same values, where there should be one. */
export const twice = (table: string, columns: string, where = 'true'): string => `
  SELECT min(id) AS id FROM ${table} WHERE ${where} GROUP BY account, live, ${columns} HAVING count(*) > 1`;

export const isSession = (column: string): string => `${column} LIKE 'chk#_%' ESCAPE '#'`;
export const isEndpoint = (column: string): string => `${column} LIKE 'whe#_%' ESCAPE '#'`;

/** Logos that accounts name. */
const namedLogos = `(
  SELECT number AS account, false AS live, logo_test AS name FROM account WHERE logo_test IS NOT NULL
  UNION ALL SELECT number, true, logo_live FROM account WHERE logo_live IS NOT NULL)`;

/** Tables with rows of the installation, which is no account: its users and secrets, what was changed about them, and the answers to that. */
const ofInstallation: ReadonlySet<string> = new Set([
  'dashboard_user',
  'installation_secret',
  'idempotency',
  'audit',
]);

/** Rules that are the same statement for every database. */
export const commonRules: readonly SqlRule[] = [
  {
    rule: 'everything belongs to an account that exists',
    sql: Object.keys(tables)
      .filter((table) => table !== 'account')
      .map((table) => {
        const among = ofInstallation.has(table) ? 'account <> 0 AND ' : '';
        return `SELECT DISTINCT account, live FROM ${table} WHERE ${among}account NOT IN (SELECT number FROM account)`;
      })
      .join(' UNION '),
  },
  {
    rule: 'the changes of accounts and keys are counted in one place',
    sql: `SELECT 'directory' AS id FROM (SELECT count(*) AS places FROM directory) AS counted WHERE places <> 1`,
  },
  {
    rule: 'the clock of test data is as far ahead as it was moved',
    sql: `
      SELECT number AS account, false AS live FROM account
      LEFT JOIN (
        SELECT account, max(offset_ms) AS ahead FROM clock_move WHERE NOT live GROUP BY account
      ) AS moved ON moved.account = number
      WHERE test_clock_offset_ms <> coalesce(ahead, 0)`,
  },
  {
    rule: 'the logo that an account names is there',
    sql: `
      SELECT named.account, named.live FROM ${namedLogos} AS named
      LEFT JOIN ${joined('named', 'logo', 'logo.name = named.name')} WHERE logo.account IS NULL`,
  },
  {
    rule: 'every logo is named by its account',
    sql: `
      SELECT logo.account, logo.live FROM logo
      LEFT JOIN ${namedLogos} AS ${joined('logo', 'named', 'named.name = logo.name')} WHERE named.account IS NULL`,
  },
  {
    rule: 'users are of the installation',
    sql: 'SELECT id FROM dashboard_user WHERE account <> 0 OR NOT live',
  },
  { rule: 'no two users have the same address', sql: twice('dashboard_user', 'email', 'email IS NOT NULL') },
  { rule: 'no two customers have the same address', sql: twice('customer', 'email', 'email IS NOT NULL') },
  { rule: 'every payment belongs to a session', sql: ofNoSession('payment', 'checkout') },
  { rule: 'every attempt belongs to a session', sql: ofNoSession('payment_attempt', 'id') },
  {
    rule: 'every entry of metadata to filter by belongs to a session',
    sql: ofNoSession('checkout_metadata', 'checkout'),
  },
  {
    rule: 'the log of changes tells of no session and no version that does not exist',
    sql: lone(
      'audit',
      'subject',
      'checkout',
      'checkout.id = audit.subject AND audit.version <= checkout.version',
      isSession('audit.subject'),
    ),
  },
];
