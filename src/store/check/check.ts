/**
 * What must hold in a database, whatever happened to it. Rules that one statement can tell are here or with their
 * database; those about a session as a whole are in `session-rules.ts`, those of webhooks in `webhook-rules.ts`, and those of what
 * banks and other rails say in `money-rules.ts`.
 */

/** What became of one rule. */
export type Outcome = {
  /** What must hold, in words. */
  readonly rule: string;
  /** How many break it. */
  readonly count: number;
  /** Some of those: ids, never anything personal. */
  readonly examples: readonly string[];
  /** Why it could not be told, if it could not. */
  readonly untold?: string;
  /** Whether the rule was left out for that, which is no contradiction. */
  readonly skipped?: boolean;
};

/** Who hears of a check. */
export type CheckListener = {
  readonly outcome: (outcome: Outcome) => void;
  /** What is being looked at, and how much of it is done where that is known. */
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
  return { rule, count: 0, examples: [], untold: (error as Error).message.replaceAll(/\s+/g, ' ') };
}

/** Whether something is wrong. */
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

type Entry = ReadonlyArray<string | number | boolean | null>;

/** Whether a JSON array, or null for an empty one, has just these entries, in any order. */
export function sameEntries(json: string | null, expected: readonly Entry[]): boolean {
  const found: Entry[] = JSON.parse(json ?? '[]');
  if (found.length !== expected.length) return false;
  const texts = new Set(found.map((each) => JSON.stringify(each)));
  return expected.every((each) => texts.has(JSON.stringify(each)));
}

/** Rows of a table that name a session which does not exist. */
export const ofNoSession = (table: string, id: string): string => `
  SELECT ${table}.${id} AS id FROM ${table}
  LEFT JOIN checkout ON checkout.account = ${table}.account AND checkout.live = ${table}.live
    AND checkout.id = ${table}.checkout
  WHERE checkout.id IS NULL`;

/** Those that are the same statement for every database. */
export const commonRules: readonly SqlRule[] = [
  {
    rule: 'everything belongs to an account that exists',
    sql: `
      SELECT DISTINCT account, live FROM checkout WHERE account NOT IN (SELECT number FROM account)
      UNION SELECT DISTINCT account, live FROM customer WHERE account NOT IN (SELECT number FROM account)
      UNION SELECT DISTINCT account, live FROM api_key WHERE account NOT IN (SELECT number FROM account)
      UNION SELECT DISTINCT account, live FROM webhook_endpoint WHERE account NOT IN (SELECT number FROM account)
      UNION SELECT DISTINCT account, live FROM webhook_receiver WHERE account NOT IN (SELECT number FROM account)
      UNION SELECT DISTINCT account, live FROM feed_start WHERE account NOT IN (SELECT number FROM account)
      UNION SELECT DISTINCT account, live FROM provider_event WHERE account NOT IN (SELECT number FROM account)
      UNION SELECT DISTINCT account, live FROM bank_entry WHERE account NOT IN (SELECT number FROM account)
      UNION SELECT DISTINCT account, live FROM bank_file WHERE account NOT IN (SELECT number FROM account)`,
  },
  {
    rule: 'the changes of accounts and keys are counted in one place',
    sql: `SELECT 'directory' AS id FROM (SELECT count(*) AS places FROM directory) AS counted WHERE places <> 1`,
  },
  {
    rule: 'no two customers have the same address',
    sql: `SELECT min(id) AS id FROM customer WHERE email IS NOT NULL GROUP BY account, live, email
          HAVING count(*) > 1`,
  },
  { rule: 'every payment belongs to a session', sql: ofNoSession('payment', 'checkout') },
  { rule: 'every attempt belongs to a session', sql: ofNoSession('payment_attempt', 'id') },
  {
    rule: 'every entry of metadata to filter by belongs to a session',
    sql: ofNoSession('checkout_metadata', 'checkout'),
  },
  {
    rule: 'the log of changes tells of no session and no version that does not exist',
    sql: `
      SELECT DISTINCT audit.subject AS id FROM audit
      LEFT JOIN checkout ON checkout.account = audit.account AND checkout.live = audit.live
        AND checkout.id = audit.subject
      WHERE audit.subject LIKE 'chk#_%' ESCAPE '#' AND (checkout.id IS NULL OR audit.version > checkout.version)`,
  },
  {
    rule: 'the body of every event says what its row says',
    sql: `
      SELECT id FROM event
      WHERE body NOT LIKE '{"type":"' || type || '","id":"' || id || '",%,"sequence":' || sequence || '}'`,
  },
];
