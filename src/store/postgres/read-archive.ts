import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createZstdDecompress } from 'node:zlib';
import { UnusableDatabase } from '../store.ts';
import {
  type ArchivedTable,
  type ArchiveEnd,
  type ArchiveHeader,
  END_OF_TABLE,
  FORMAT,
  KIND,
  linesIn,
  NEWLINE,
  type RowCounts,
} from './archive.ts';

/** What every file of zstd begins with. */
const MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
/** No row is as long as this: what is kept of a request has 256 KiB at most, and a file of payments 500 of them. */
const MAX_LINE = 64 * 2 ** 20;
const NAME = /^[a-z_][a-z0-9_]*$/;

export type ArchivePart =
  | { readonly kind: 'header'; readonly header: ArchiveHeader }
  /** Whole rows of a table, and how many there were up to them. */
  | { readonly kind: 'rows'; readonly table: ArchivedTable; readonly block: Buffer; readonly rows: number }
  | { readonly kind: 'end of table'; readonly table: ArchivedTable; readonly rows: number };

class Damage extends Error {
  override name = 'Damage';
}

/** Reads an archive from beginning to end. Only when it ends without throwing is what was read known to be right. */
export async function* readArchive(file: string): AsyncGenerator<ArchivePart> {
  await refuseOther(file);
  try {
    yield* partsOf(wholeLines(decompressed(file)), file);
  } catch (error) {
    if (!(error instanceof Damage)) throw error;
    throw new UnusableDatabase(`${file} is damaged: ${error.message}`);
  }
}

async function refuseOther(file: string): Promise<void> {
  const beginning = Buffer.alloc(MAGIC.length);
  try {
    await using opened = await open(file);
    await opened.read(beginning, 0, MAGIC.length, 0);
  } catch (error) {
    throw new UnusableDatabase(`cannot read ${file}: ${(error as Error).message}`);
  }
  if (!beginning.equals(MAGIC)) throw notOurs(file);
}

const notOurs = (file: string) => new UnusableDatabase(`${file} is no backup of a PostgreSQL database`);

async function* decompressed(file: string): AsyncGenerator<Buffer> {
  const source = createReadStream(file);
  const bytes = createZstdDecompress();
  source.on('error', (error) => bytes.destroy(error));
  source.pipe(bytes);
  try {
    yield* bytes;
  } catch (error) {
    const { message } = error as Error;
    throw source.errored ? new UnusableDatabase(`cannot read ${file}: ${message}`) : new Damage(message);
  } finally {
    source.destroy();
  }
}

async function* wholeLines(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const chunk of source) {
    const length = chunk.lastIndexOf(NEWLINE) + 1;
    if (length > 0) yield Buffer.concat([rest, chunk.subarray(0, length)]);
    rest = length > 0 ? Buffer.from(chunk.subarray(length)) : Buffer.concat([rest, chunk]);
    if (rest.length > MAX_LINE) throw new Damage('it has a line without end');
  }
  if (rest.length > 0) throw new Damage('it ends in the middle of a line');
}

async function* partsOf(blocks: AsyncIterable<Buffer>, file: string): AsyncGenerator<ArchivePart> {
  const sha256 = createHash('sha256');
  const rows: RowCounts = {};
  const tables: ArchivedTable[] = [];
  let begun = false;
  let end: ArchiveEnd | undefined;

  for await (const block of blocks) {
    let rest = block;
    const take = (length: number): Buffer => {
      const taken = rest.subarray(0, length);
      rest = rest.subarray(length);
      return taken;
    };
    while (rest.length > 0) {
      if (end) throw new Damage('something stands behind its end');
      const [table] = tables;
      if (table) {
        const length = lengthOfRows(rest);
        const taken = take(length ?? rest.length);
        sha256.update(taken);
        const count = (rows[table.name] ?? 0) + linesIn(taken);
        rows[table.name] = count;
        if (taken.length > 0) yield { kind: 'rows', table, block: taken, rows: count };
        if (length === null) continue;
        sha256.update(take(END_OF_TABLE.length));
        tables.shift();
        yield { kind: 'end of table', table, rows: count };
        continue;
      }
      const line = take(rest.indexOf(NEWLINE) + 1);
      if (begun) {
        end = endFrom(line);
        continue;
      }
      const header = headerFrom(line, file);
      begun = true;
      sha256.update(line);
      tables.push(...header.tables);
      yield { kind: 'header', header };
    }
  }

  if (!end) throw new Damage('its end is missing');
  if (end.sha256 !== sha256.digest('hex')) throw new Damage('its checksum is another one');
  const counted = Object.entries(rows).every(([name, count]) => end.rows[name] === count);
  if (!counted) throw new Damage('it has other rows than it counts');
}

/** How many bytes come before the end of the table, or null if it is not in here. */
function lengthOfRows(block: Buffer): number | null {
  if (block.subarray(0, END_OF_TABLE.length).equals(END_OF_TABLE)) return 0;
  const before = block.indexOf(`\n${END_OF_TABLE}`);
  return before < 0 ? null : before + 1;
}

function headerFrom(line: Buffer, file: string): ArchiveHeader {
  const header = parsed<ArchiveHeader>(line);
  if (header?.opentill !== KIND) throw notOurs(file);
  // Another format may have its tables elsewhere; nothing else of it is looked at.
  if (header.format !== FORMAT) {
    throw new UnusableDatabase(
      `${file} was made by a newer opentill (format ${header.format}, this one knows ${FORMAT})`,
    );
  }
  const names = header.tables.flatMap(({ name, columns }) => [name, ...columns]);
  if (!names.every((name) => NAME.test(name))) throw new Damage('it names tables that cannot be');
  return header;
}

function endFrom(line: Buffer): ArchiveEnd {
  const end = parsed<ArchiveEnd>(line);
  if (typeof end?.sha256 !== 'string' || typeof end.rows !== 'object') throw new Damage('its end is no end');
  return end;
}

/** Null for what is no JSON, or no object. */
function parsed<T>(line: Buffer): T | null {
  try {
    const value = JSON.parse(line.toString());
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}
