/** A copy of a whole PostgreSQL database in one file, made while services write. */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished, pipeline } from 'node:stream/promises';
import { makeFile } from '../new-file.ts';
import { UnusableDatabase } from '../store.ts';
import { inSnapshot, onOwnConnection, schemaOf } from './alone.ts';
import { type ArchivedTable, archived, compressor, FORMAT, KIND } from './archive.ts';
import type { Sql } from './connection.ts';
import { nameOf } from './open.ts';

const BLOCK_BYTES = 2 ** 18;

export async function backUpPostgres(
  url: string,
  file: string,
  progress: (table: string, rows: number) => void,
): Promise<void> {
  await makeFile(file, (part) =>
    onOwnConnection(url, (sql) =>
      inSnapshot(sql, async () => {
        const schema = await schemaOf(sql);
        if (!schema) throw new UnusableDatabase(`the database ${nameOf(url)} holds none of opentill`);
        const at = new Date().toISOString();
        const header = { opentill: KIND, format: FORMAT, schema, at, tables: await tablesOf(sql) } as const;
        await write(
          archived(header, (table) => rowsOf(sql, table), progress),
          part,
        );
      }),
    ),
  );
}

/** All tables but that of the schema's version, which stands in the header. Partitions are parts of their tables. */
export async function tablesOf(sql: Sql): Promise<readonly ArchivedTable[]> {
  return sql<ArchivedTable[]>`
    SELECT relname AS name, json_agg(attname ORDER BY attnum) AS columns
    FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
    WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
      AND relname <> 'schema_version'
    GROUP BY relname ORDER BY relname`;
}

/** Names of the schema are plain words; whoever reads an archive has made sure of it. */
export function copyOf({ name, columns }: ArchivedTable): string {
  return `COPY ${name} (${columns.join(', ')})`;
}

/**
 * The rows of a table, many at a time: to compress them one by one would take ten times as long.
 *
 * The driver stops the connection while rows come faster than they are taken. It does not go on by itself if that
 * happened at the last row, or if nobody takes the rest: then whatever is asked next would wait for ever.
 */
async function* rowsOf(sql: Sql, table: ArchivedTable): AsyncGenerator<Buffer> {
  // Of a table in partitions COPY takes rows, and gives none; a SELECT it gives always.
  const rows = await sql
    .unsafe(`COPY (SELECT ${table.columns.join(', ')} FROM ${table.name}) TO STDOUT`)
    .readable();
  try {
    let gathered: Buffer[] = [];
    let bytes = 0;
    for await (const some of rows.iterator({ destroyOnReturn: false })) {
      gathered.push(some);
      bytes += some.length;
      if (bytes < BLOCK_BYTES) continue;
      yield Buffer.concat(gathered);
      gathered = [];
      bytes = 0;
    }
    if (bytes > 0) yield Buffer.concat(gathered);
  } finally {
    await finished(rows.resume()).catch(() => {});
    if (!rows.errored) rows._read(0);
  }
}

/** Block by block, so that whatever goes wrong with the file ends the reading in good order. */
async function write(blocks: AsyncIterable<Buffer>, part: string): Promise<void> {
  const compressed = compressor();
  const written = pipeline(compressed, createWriteStream(part));
  written.catch(() => {});
  for await (const block of blocks) {
    if (!compressed.write(block)) await Promise.race([once(compressed, 'drain'), written]);
  }
  compressed.end();
  await written;
}
