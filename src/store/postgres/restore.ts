/** Loads a backup into an empty PostgreSQL database: all of it, or nothing. */
import type { Writable } from 'node:stream';
import { UnusableDatabase } from '../store.ts';
import { inOneChange, onOwnConnection } from './alone.ts';
import type { ArchivedTable, ArchiveHeader, RowCounts } from './archive.ts';
import { copyOf, tablesOf } from './backup.ts';
import type { Sql } from './connection.ts';
import { codeOf } from './errors.ts';
import { createSchemaVersion, migrations, newer, refuseForeignTables, schemaOf } from './migrate.ts';
import { nameOf, prepareDatabase, refuseUnusable } from './open.ts';
import { readArchive } from './read-archive.ts';

type Progress = (what: 'reading' | 'loading', table: string, rows: number) => void;

/**
 * The whole file is read first, and then once more to load it: nothing of one that is damaged reaches the database. A
 * backup of an older schema is loaded into that schema, and migrated as a database of that age would be. `known` are the
 * steps to the newest one.
 */
export async function restorePostgres(
  file: string,
  url: string,
  progress: Progress,
  known = migrations,
): Promise<void> {
  const name = nameOf(url);
  await onOwnConnection(url, (sql) => refuseUnusable(sql, name));
  const { header, rows } = await verify(file, progress, known);
  await onOwnConnection(url, async (sql) => {
    await inOneChange(sql, async () => {
      await prepareSchema(sql, known.slice(0, header.schema), name);
      await refuseOtherTables(sql, header, file);
      await refuseRows(sql, header.tables, name);
      const before = await directoryVersion(sql);
      await sql`DELETE FROM directory`;
      await load(sql, file, progress);
      await compareCounts(sql, rows);
      await settle(sql, before);
    });
    // Until PostgreSQL has looked at the tables by itself it would choose bad plans.
    await sql.unsafe(`ANALYZE ${header.tables.map((table) => table.name).join(', ')}`);
  });
  await prepareDatabase(url, { known });
}

async function verify(
  file: string,
  progress: Progress,
  known: readonly string[],
): Promise<{ readonly header: ArchiveHeader; readonly rows: RowCounts }> {
  let header: ArchiveHeader | undefined;
  const rows: RowCounts = {};
  for await (const part of readArchive(file)) {
    if (part.kind === 'header') {
      header = part.header;
      if (header.schema > known.length) throw newer(file, header.schema, known);
      continue;
    }
    progress('reading', part.table.name, part.rows);
    if (part.kind === 'end of table') rows[part.table.name] = part.rows;
  }
  return { header: header as ArchiveHeader, rows };
}

/** Makes the schema of the backup, or brings that of a database in which nobody has an account yet to it. */
async function prepareSchema(sql: Sql, steps: readonly string[], name: string): Promise<void> {
  let schema = await schemaOf(sql);
  if (schema === null) {
    await refuseForeignTables(sql, name);
    await sql.unsafe(createSchemaVersion);
    schema = 0;
  }
  if (schema > steps.length) {
    throw new UnusableDatabase(
      `the database ${name} has the schema ${schema} already, and the backup is of ${steps.length}; make an empty one`,
    );
  }
  for (const step of steps.slice(schema)) await sql.unsafe(step);
  await sql`UPDATE schema_version SET version = ${steps.length} WHERE id = 1`;
}

async function refuseOtherTables(sql: Sql, { schema, tables }: ArchiveHeader, file: string): Promise<void> {
  const textOf = (all: readonly ArchivedTable[]) => all.map(copyOf).sort().join('\n');
  if (textOf(await tablesOf(sql)) === textOf(tables)) return;
  throw new UnusableDatabase(`${file} has other tables than opentill with schema ${schema}`);
}

/** A service that starts meanwhile waits for its first account until the backup is there, or is not. */
async function refuseRows(sql: Sql, tables: readonly ArchivedTable[], name: string): Promise<void> {
  await sql`LOCK TABLE account IN SHARE ROW EXCLUSIVE MODE`;
  for (const { name: table } of tables.filter((each) => each.name !== 'directory')) {
    const [row] = await sql`SELECT 1 FROM ${sql(table)} LIMIT 1`;
    if (row)
      throw new UnusableDatabase(`the database ${name} is not empty (table ${table}); make an empty one`);
  }
}

async function load(sql: Sql, file: string, progress: Progress): Promise<void> {
  let stream: Writable | null = null;
  try {
    for await (const part of readArchive(file)) {
      if (part.kind === 'header') continue;
      stream ??= await copyInto(sql, part.table);
      if (part.kind === 'rows') {
        await write(stream, part.block);
        progress('loading', part.table.name, part.rows);
      } else {
        await end(sql, stream, part.table);
        stream = null;
      }
    }
  } catch (error) {
    // Nothing else can be asked of a connection that waits for rows.
    stream?.destroy(error as Error);
    throw error;
  }
}

async function copyInto(sql: Sql, table: ArchivedTable): Promise<Writable> {
  const stream = await sql.unsafe(`${copyOf(table)} FROM STDIN`).writable();
  // Whoever writes next finds the error; without a listener it would end the process.
  return stream.on('error', () => {});
}

async function write(stream: Writable, block: Buffer): Promise<void> {
  await new Promise((resolve) => stream.write(block, resolve));
  if (stream.errored) throw stream.errored;
}

/**
 * That the server refuses the last rows is told by the driver to nobody, whoever waits for the end of the stream waits
 * for ever. So something is asked behind them: the answer comes after that to the rows.
 */
async function end(sql: Sql, stream: Writable, { name }: ArchivedTable): Promise<void> {
  stream.end();
  await sql`SELECT 1`.catch((error) => {
    const failed = codeOf(error) === '25P02';
    throw failed
      ? new UnusableDatabase(`the database refuses rows of the table ${name}; its log says why`)
      : error;
  });
}

async function compareCounts(sql: Sql, rows: RowCounts): Promise<void> {
  for (const [table, count] of Object.entries(rows)) {
    const [row] = await sql<Array<{ found: number }>>`SELECT count(*) AS found FROM ${sql(table)}`;
    if (row?.found === count) continue;
    throw new UnusableDatabase(`the table ${table} has ${row?.found} rows after loading ${count}`);
  }
}

async function directoryVersion(sql: Sql): Promise<number> {
  const [row] = await sql<Array<{ version: number }>>`SELECT version FROM directory WHERE id = 1`;
  return row?.version ?? 0;
}

/** Numbers go on behind those that are there, and whoever keeps accounts and keys in memory notices that they changed. */
async function settle(sql: Sql, versionBefore: number): Promise<void> {
  const [last] = await sql<Array<{ number: number | null }>>`SELECT max(number) AS number FROM account`;
  // Not by setval, which a transaction that fails does not take back.
  await sql.unsafe(`ALTER TABLE account ALTER COLUMN number RESTART WITH ${(last?.number ?? 0) + 1}`);
  await sql`UPDATE directory SET version = greatest(version, ${versionBefore}) + 1 WHERE id = 1`;
}
