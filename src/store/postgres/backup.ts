/** A copy of a whole PostgreSQL database in one file, made while services write. */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { makeFile } from '../../lib/atomic-file.ts';
import { copiedOut, inSnapshot, onOwnConnection } from './alone.ts';
import { type ArchivedTable, archived, compressor, FORMAT, KIND } from './archive.ts';
import type { Sql } from './connection.ts';
import { nothingIn, schemaOf } from './migrate.ts';
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
        if (!schema) throw nothingIn(nameOf(url));
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

/** The rows of a table, many at a time: to compress them one by one would take ten times as long. */
async function* rowsOf(sql: Sql, { name, columns }: ArchivedTable): AsyncGenerator<Buffer> {
  let gathered: Buffer[] = [];
  let bytes = 0;
  // Of a table in partitions COPY gives no rows, of a SELECT it gives them always.
  for await (const row of copiedOut(sql, `SELECT ${columns.join(', ')} FROM ${name}`)) {
    gathered.push(row);
    bytes += row.length;
    if (bytes < BLOCK_BYTES) continue;
    yield Buffer.concat(gathered);
    gathered = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(gathered);
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
