/** The PostgreSQL database that is being moved to, and in it how far the move has come. */
import { randomUUID } from 'node:crypto';
import postgres from 'postgres';
import { StoreUnavailable, UnusableDatabase } from '../../store/errors.ts';
import { connectOnce, copiedOut, inOneChange } from '../../store/postgres/alone.ts';
import type { Sql } from '../../store/postgres/connection.ts';
import { translated } from '../../store/postgres/errors.ts';
import { nameOf, prepareDatabase } from '../../store/postgres/open.ts';
import { namesOf, type Table, table, tables } from './tables.ts';

/** A connection with a transaction under way. */
export type Transaction = Sql;
/** Rows by the names of their columns; more than the table has does no harm. */
export type Row = Readonly<Record<string, unknown>>;

/** Of text that PostgreSQL would sort by the rules of a language. */
const UNCOLLATED = new Set(['actor', 'request_id']);

export type Target = Awaited<ReturnType<typeof openTarget>>;

/** Throws UnusableDatabase unless it is empty, or the target of an unfinished move. */
export async function openTarget(url: string) {
  await prepareDatabase(url, { moving: true });
  const name = nameOf(url);
  const runner = randomUUID();
  const sql = await connectOnce(url, 'opentill db move');
  const progress = new Map<string, string>();

  /** What was reached is kept in the same transaction as what was written, so that both are there or neither. */
  async function keep(reached: Readonly<Record<string, string>>): Promise<void> {
    for (const [step, value] of Object.entries(reached)) {
      await sql`INSERT INTO move_progress VALUES (${step}, ${value})
                ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
    }
  }

  async function refuseOtherRun(): Promise<void> {
    const [own] =
      await sql`SELECT 1 FROM move_progress WHERE name = 'runner' AND value = ${runner} FOR UPDATE`;
    if (!own) throw new UnusableDatabase(`another move to the database ${name} has been started`);
  }

  return {
    name,

    /** How far the step has come, as it was last said to `step`. */
    reached: (step: string): string | undefined => progress.get(step),

    /** Reads how far an earlier run has come; false if there was none. */
    async resume(): Promise<boolean> {
      const [found] = await sql`SELECT to_regclass('move_progress') IS NOT NULL AS exists`;
      if (!found?.exists) return false;
      const rows = await sql<Array<{ name: string; value: string }>>`SELECT name, value FROM move_progress`;
      for (const row of rows) progress.set(row.name, row.value);
      return true;
    },

    /** Takes the work over from another run, if there is one: that one ends with its next step. */
    async takeOver(): Promise<void> {
      await inOneChange(sql, async () => {
        await sql`UPDATE move_progress SET value = ${runner} WHERE name = 'runner'`;
        await sql`DELETE FROM move_progress WHERE name = 'verified'`;
      });
    },

    /** Begins a move into the database, which must hold nothing. */
    async begin(reached: Readonly<Record<string, string>>): Promise<void> {
      await inOneChange(sql, async () => {
        await sql`CREATE TABLE move_progress (name text PRIMARY KEY, value text NOT NULL)`;
        for (const each of tables) {
          const [row] = await sql`SELECT 1 FROM ${sql(each.name)} LIMIT 1`;
          if (row) {
            throw new UnusableDatabase(
              `the database ${name} is not empty (its table ${each.name} has rows); make a new one to move to`,
            );
          }
        }
        await keep({ ...reached, runner });
      });
      for (const [step, value] of Object.entries(reached)) progress.set(step, value);
    },

    /**
     * Writes something, and how far that has brought the move. A crash of the server may lose the last steps, together
     * with how far they have come; only the end of a move waits for the disk.
     */
    async step(
      work: (tx: Transaction) => Promise<unknown>,
      reached: Readonly<Record<string, string>>,
    ): Promise<void> {
      await inOneChange(sql, async () => {
        await sql`SET LOCAL synchronous_commit = off`;
        await refuseOtherRun();
        await work(sql);
        await keep(reached);
      });
      for (const [step, value] of Object.entries(reached)) progress.set(step, value);
    },

    /** Everything was compared. On the disk before anything is done about the source, with all that came before. */
    async verified(): Promise<void> {
      await inOneChange(sql, async () => {
        await refuseOtherRun();
        await keep({ verified: 'yes' });
      });
    },

    /** From here on the target can be served. A run that was killed may have said so a moment ago. */
    async finish(): Promise<void> {
      await sql`DROP TABLE IF EXISTS move_progress`;
    },

    /** Some rows of a table that a move fills, for looking at them. */
    read: <T extends Row>(query: string, values: ReadonlyArray<string | number>): Promise<readonly T[]> =>
      sql.unsafe<T[]>(query, [...values], { prepare: true }),

    /** What autovacuum would do some time later: the comparison and the service are quicker for it. */
    async tidyUp(): Promise<void> {
      await sql.unsafe(`VACUUM (ANALYZE) ${tables.map((each) => each.name).join(', ')}`);
    },

    /** All rows of a table as lines, in the order of their key. */
    lines(each: Table): AsyncIterable<Buffer> {
      const order = each.key.map((column) => (UNCOLLATED.has(column) ? `${column} COLLATE "C"` : column));
      return copiedOut(sql, `SELECT ${namesOf(each)} FROM ${each.name} ORDER BY ${order.join(', ')}`);
    },

    close: () => sql.end({ timeout: 1 }),
  };
}

/** The rows travel as one JSON parameter, whatever their number. */
export async function insertRows(
  tx: Transaction,
  name: string,
  rows: readonly Row[],
  onConflict = '',
): Promise<void> {
  if (rows.length === 0) return;
  const into = table(name);
  const names = namesOf(into);
  await tx.unsafe(
    `INSERT INTO ${name} (${names}) SELECT ${names} FROM json_to_recordset($1::text::json) AS r (${typesOf(into)})
     ${onConflict}`,
    [jsonOf(into, rows)],
    { prepare: true },
  );
}

/** Removes the rows that have the same values as these in these columns; returns all that they held. */
export async function removeRows(
  tx: Transaction,
  name: string,
  by: readonly string[],
  rows: readonly Row[],
): Promise<readonly Row[]> {
  if (rows.length === 0) return [];
  const from = table(name);
  return tx.unsafe(
    `DELETE FROM ${name} USING json_to_recordset($1::text::json) AS r (${typesOf(from)})
     WHERE ${by.map((column) => `${name}.${column} = r.${column}`).join(' AND ')} RETURNING ${name}.*`,
    [jsonOf(from, rows)],
    { prepare: true },
  );
}

function typesOf({ columns }: Table): string {
  return columns.map(({ name, type }) => `${name} ${type}`).join(', ');
}

function jsonOf({ columns }: Table, rows: readonly Row[]): string {
  return JSON.stringify(
    rows.map((row) => Object.fromEntries(columns.map(({ name }) => [name, row[name] ?? null]))),
  );
}

/** Whether the error tells of the server or of the way to it. */
export function isOfPostgres(error: unknown): boolean {
  return error instanceof postgres.PostgresError || translated(error) instanceof StoreUnavailable;
}
