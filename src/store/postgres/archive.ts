/**
 * The file that a backup of a PostgreSQL database is: one stream, compressed by zstd, with
 *
 * - a line of JSON that says what it is, with the tables in their order and their columns;
 * - for each table its rows as COPY writes them in its text format, and then a line `\.`, which no row can be;
 * - a line of JSON with the numbers of rows, and the SHA-256 of everything before it.
 *
 * So a file that ends too early or was changed is noticed, and it can be read with other tools, should it come to that.
 */
import { createHash } from 'node:crypto';
import { createZstdCompress, constants as zlib } from 'node:zlib';

export const KIND = 'backup of a PostgreSQL database';
export const FORMAT = 1;
export const NEWLINE = 10;
export const END_OF_TABLE = Buffer.from('\\.\n');

export type ArchivedTable = { readonly name: string; readonly columns: readonly string[] };
export type ArchiveHeader = {
  readonly opentill: typeof KIND;
  readonly format: typeof FORMAT;
  /** Version of the schema. */
  readonly schema: number;
  readonly at: string;
  readonly tables: readonly ArchivedTable[];
};
/** By the names of the tables. */
export type RowCounts = Record<string, number>;
export type ArchiveEnd = { readonly rows: RowCounts; readonly sha256: string };

/** The bytes of an archive before they are compressed; `rowsOf` reads a table. */
export async function* archived(
  header: ArchiveHeader,
  rowsOf: (table: ArchivedTable) => AsyncIterable<Buffer>,
  onRows: (table: string, count: number) => void,
): AsyncGenerator<Buffer> {
  const sha256 = createHash('sha256');
  const rows: RowCounts = {};
  const hashed = (bytes: Buffer) => {
    sha256.update(bytes);
    return bytes;
  };
  yield hashed(line(header));
  for (const table of header.tables) {
    let count = 0;
    for await (const block of rowsOf(table)) {
      count += linesIn(block);
      onRows(table.name, count);
      yield hashed(block);
    }
    rows[table.name] = count;
    yield hashed(END_OF_TABLE);
  }
  yield line({ rows, sha256: sha256.digest('hex') } satisfies ArchiveEnd);
}

/** With checksums of its own, so that damage is noticed before it is made sense of. */
export function compressor() {
  return createZstdCompress({ params: { [zlib.ZSTD_c_checksumFlag]: 1 } });
}

function line(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

export function linesIn(block: Buffer): number {
  let count = 0;
  for (let at = block.indexOf(NEWLINE); at >= 0; at = block.indexOf(NEWLINE, at + 1)) count++;
  return count;
}
