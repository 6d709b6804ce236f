/** The PostgreSQL database that a move writes to, which also holds the progress of the move. */
import { randomUUID } from 'node:crypto';
import postgres from 'postgres';
import { StoreUnavailable, UnusableDatabase } from '../../store/errors.ts';
import { connectOnce, copiedOut, inOneChange } from '../../store/postgres/alone.ts';
import type { Sql } from '../../store/postgres/connection.ts';
import { translated } from '../../store/postgres/errors.ts';
import { prepareDatabase } from '../../store/postgres/prepare.ts';
import { nameOf } from '../../store/postgres/unusable.ts';
import { namesOf, type Table, table, tables } from './tables.ts';

/** A connection with a transaction under way. */
export type Transaction = Sql;
/** A row by the names of its columns; further columns are ignored. */
export type Row = Readonly<Record<string, unknown>>;

export type Target = Awaited<ReturnType<typeof openTarget>>;

/** Throws UnusableDatabase unless it is empty, or the target of an unfinished move. */
export async function openTarget(url: string) {
  await prepareDatabase(url, { moving: true });
  const name = nameOf(url);
  const runner = randomUUID();
  const sql = await connectOnce(url, 'opentill db move');
  const progress = new Map<string, string>();

  /** Progress commits with the rows it counts, so that both are there or neither. */
  async function keep(reached: Readonly<Record<string, string>>): Promise<void> {
    for (const [step, value] of Object.entries(reached)) {
      await sql`INSERT INTO move_progress VALUES (${step}, ${value})
                ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
    }
  }

  async function refuseOtherRun(): Promise<void> {
    // It writes the row: whoever takes over waits for the end of the step, or the step for that.
    const { count } =
      await sql`UPDATE move_progress SET value = value WHERE name = 'runner' AND value = ${runner}`;
    if (count !== 1) throw new UnusableDatabase(`another move to the database ${name} has been started`);
  }

  return {
    name,

    /** Progress of a step, as last told to `step`. */
    reached: (step: string): string | undefined => progress.get(step),

    /** Reads the progress of an earlier run; false if there was none. */
    async resume(): Promise<boolean> {
      const [found] = await sql`SELECT to_regclass('move_progress') IS NOT NULL AS exists`;
      if (!found?.exists) return false;
      const rows = await sql<Array<{ name: string; value: string }>>`SELECT name, value FROM move_progress`;
      for (const row of rows) progress.set(row.name, row.value);
      return true;
    },

    /** Takes over from another run, if there is one: its next step fails. */
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
     * Writes rows together with the progress. A crash of the server may lose the last steps, rows and progress alike;
     * only the end of a move waits for the disk.
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

    /** Records that everything was compared; with all before it on the disk before the source is touched. */
    async verified(): Promise<void> {
      await inOneChange(sql, async () => {
        await refuseOtherRun();
        await keep({ verified: 'yes' });
      });
    },

    /** Makes the target servable. A run that was killed may have done so a moment ago. */
    async finish(): Promise<void> {
      await sql`DROP TABLE IF EXISTS move_progress`;
    },

    /** Reads rows of a table that a move fills. */
    read: <T extends Row>(query: string, values: ReadonlyArray<string | number>): Promise<readonly T[]> =>
      sql.unsafe<T[]>(query, [...values], { prepare: true }),

    /** Vacuums and analyzes now instead of whenever autovacuum would: the comparison and the service are faster for it. */
    async tidyUp(): Promise<void> {
      await sql.unsafe(`VACUUM (ANALYZE) ${tables.map((each) => each.name).join(', ')}`);
    },

    /** Rows of a table as lines, in the order of their key. */
    lines(each: Table): AsyncIterable<Buffer> {
      return copiedOut(sql, `SELECT ${namesOf(each)} FROM ${each.name} ORDER BY ${each.key.join(', ')}`);
    },

    close: () => sql.end({ timeout: 1 }),
  };
}

/** Inserts rows, which travel as one JSON parameter whatever their number. */
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

/** Removes the rows that equal these in these columns; returns the removed rows. */
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

/** True if the error comes from the server or from the connection to it. */
export function isOfPostgres(error: unknown): boolean {
  return error instanceof postgres.PostgresError || translated(error) instanceof StoreUnavailable;
}
