/**
 * The database under a service of the tests, and what a test may do to it beside the API. Tests of the API and of the
 * pages know nothing else of it: they run on every kind. OPENTILL_TEST_DATABASE says on which.
 */
import { freshPostgres } from './database-postgres.ts';
import { freshSqlite } from './database-sqlite.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test looks into rows of many shapes, and asserts on what it finds.
export type Row = any;

export type DatabaseKind = 'sqlite' | 'postgres';

export type TestDatabase = {
  readonly kind: DatabaseKind;
  /** The value of DATABASE_URL. */
  readonly url: string;
  /** Time for which a process may not see another one's changes to accounts and keys. */
  readonly directoryLagMs: number;
  /** Runs a statement, in which `?` stands for a value. */
  query(sql: string, ...values: ReadonlyArray<string | number>): Promise<Row[]>;
  /** The names of all tables. */
  tables(): Promise<string[]>;
  /** The names of all but those that a service writes by itself, at any time. */
  tablesOfChanges(): Promise<string[]>;
  /** Something that is different after anything was written of what merchants have. */
  state(): Promise<unknown>;
  /** Keeps everybody from writing until what it resolves with is called; who reads may go on. */
  lock(): Promise<() => Promise<void>>;
  remove(): Promise<void>;
};

/** A new database with the newest schema and nothing in it. */
export async function freshTestDatabase(): Promise<TestDatabase> {
  switch (process.env.OPENTILL_TEST_DATABASE ?? 'sqlite') {
    case 'sqlite':
      return freshSqlite();
    case 'postgres':
      return freshPostgres();
    default:
      throw new Error('OPENTILL_TEST_DATABASE must be sqlite or postgres');
  }
}

/** Numbers from a first to a last one as the rows of a FROM, whose column is `number`. Citus refuses them as a recursive WITH. */
export const numbersOf = ({ kind }: Pick<TestDatabase, 'kind'>, first: number, last: number): string =>
  kind === 'postgres'
    ? `generate_series(${first}, ${last}) AS numbers (number)`
    : `(WITH RECURSIVE numbers (number) AS (SELECT ${first} UNION ALL SELECT number + 1 FROM numbers WHERE number < ${last})
        SELECT number FROM numbers) AS numbers`;

/** All stored rows of each table, as JSON. Those of shards come in any order. */
export async function contentsOf({ tables, query }: TestDatabase): Promise<Map<string, string>> {
  const contents = new Map<string, string>();
  for (const name of await tables()) {
    const rows = (await query(`SELECT * FROM "${name}"`)).map((row) => JSON.stringify(row));
    contents.set(name, (process.env.OPENTILL_TEST_CITUS === undefined ? rows : rows.sort()).join('\n'));
  }
  return contents;
}
