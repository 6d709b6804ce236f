/**
 * Reads a bank statement from the bytes of a file, whatever the format: camt.053 and camt.054 (ISO 20022), MT940, or
 * CSV by a mapping. The file is never in memory as a whole. Callers must be ready to undo what came before an error,
 * since only the end shows that the file is whole.
 */
import { encodings, linesOf, markedEncoding, piecesOf, textsOf } from './bytes.ts';
import { readCamt } from './camt.ts';
import { readCsv } from './csv.ts';
import { type StatementEntry, StatementError, type StatementPart } from './entry.ts';
import { LIMITS, type Limits } from './limits.ts';
import type { CsvMapping } from './mapping.ts';
import { readMt940 } from './mt940.ts';
import { quoted } from './values.ts';

export type StatementFormat = 'camt' | 'mt940' | 'csv';

export type ReadOptions = {
  /**
   * Absent: detected from the beginning of the file. CSV cannot be detected, so it is the remaining choice if there is
   * a mapping.
   */
  readonly format?: StatementFormat;
  /** Mapping of columns, without which no CSV can be read. */
  readonly mapping?: CsvMapping;
  readonly limits?: Partial<Limits>;
  /** Rows of a CSV file that cannot be read are told of, and do not end it. */
  readonly goesOn?: boolean;
};

/** Bytes from which the format is detected. */
const START_BYTES = 4096;

/** Parts of the statements in file order. Throws StatementError with the place of the fault. */
export async function* readStatement(
  chunks: AsyncIterable<Uint8Array>,
  options: ReadOptions = {},
): AsyncGenerator<StatementPart> {
  const limits = { ...LIMITS, ...options.limits };
  const source = piecesOf(chunks, limits.bytes);
  try {
    const { start, pieces } = await begun(source);
    if (start.length === 0) throw new StatementError('the file is empty');
    const beginning = textOfStart(start);
    const format = options.format ?? formatOf(beginning);
    for await (const part of partsOf(format, start, beginning, pieces, options, limits)) {
      if (part.kind === 'entry') checkCount(part.entry, limits);
      yield part;
    }
  } finally {
    // The file is closed, however reading ends.
    await source.return(undefined);
  }
}

function checkCount({ line, number }: StatementEntry, { entries }: Limits): void {
  if (number <= entries) return;
  throw new StatementError(`the file has more than ${entries} entries`, { line, entry: number });
}

function partsOf(
  format: StatementFormat | null,
  start: Uint8Array,
  beginning: string,
  pieces: AsyncIterable<Uint8Array>,
  { mapping, goesOn = false }: ReadOptions,
  limits: Limits,
): AsyncGenerator<StatementPart> {
  const marked = markedEncoding(start);
  if (format === 'camt') return readCamt(textsOf(pieces, marked ?? declaredEncoding(beginning)), limits);
  if (format === 'mt940') {
    return readMt940(linesOf(marked === null ? pieces : recoded(pieces, marked), limits.text), limits);
  }
  if (!mapping) {
    throw new StatementError(
      format === null
        ? 'the file is neither camt (XML) nor MT940; to be read as CSV it needs a mapping'
        : 'a CSV file needs a mapping of its columns',
    );
  }
  return readCsv(textsOf(pieces, marked ?? mapping.encoding), mapping, limits, { goesOn });
}

/** Format of the file in these bytes, which are read no further than needed. Throws StatementError where it is none. */
export async function formatIn(chunks: AsyncIterable<Uint8Array>): Promise<StatementFormat> {
  const source = piecesOf(chunks, LIMITS.bytes);
  try {
    const { start } = await begun(source);
    if (start.length === 0) throw new StatementError('the file is empty');
    return formatOf(textOfStart(start)) ?? 'csv';
  } finally {
    await source.return(undefined);
  }
}

/** First bytes of the pieces, and the pieces including them. */
async function begun(
  pieces: AsyncGenerator<Uint8Array>,
): Promise<{ start: Uint8Array; pieces: AsyncIterable<Uint8Array> }> {
  const first: Uint8Array[] = [];
  let size = 0;
  while (size < START_BYTES) {
    const next = await pieces.next();
    if (next.done) break;
    first.push(next.value);
    size += next.value.length;
  }
  const start = Buffer.concat(first);
  async function* whole(): AsyncGenerator<Uint8Array> {
    yield start;
    yield* pieces;
  }
  return { start: start.subarray(0, START_BYTES), pieces: whole() };
}

/** Lenient, since it only serves to guess the format. */
function textOfStart(start: Uint8Array): string {
  return new TextDecoder(markedEncoding(start) ?? 'windows-1252').decode(start);
}

/** Files that people confuse with statements. */
const others: ReadonlyArray<readonly [beginning: string, name: string]> = [
  ['PK', 'a ZIP archive: unpack it and give the files in it'],
  ['\u001f\u2039', 'compressed with gzip: unpack it first'],
  ['%PDF', 'a PDF, which cannot be read as a statement: ask the bank for camt.053, MT940 or CSV'],
];

/** Null if the beginning does not tell: then it can only be CSV. */
function formatOf(beginning: string): 'camt' | 'mt940' | null {
  const other = others.find(([start]) => beginning.startsWith(start));
  if (other) throw new StatementError(`the file is ${other[1]}`);
  if (beginning.trimStart().startsWith('<')) return 'camt';
  return /(^|[\r\n]|\{4:)[ \t]*:20:/.test(beginning) || /^\s*\{1:/.test(beginning) ? 'mt940' : null;
}

/** XML without a declaration is UTF-8 (XML 1.0, section 4.3.3). */
function declaredEncoding(beginning: string): string {
  const [, encoding = 'utf-8'] =
    /^<\?xml\s[^>]*?\bencoding\s*=\s*["']([^"'>]{1,40})["']/.exec(beginning) ?? [];
  const isMarked = /^utf-16/i.test(encoding);
  if (encodings.includes(encoding.toLowerCase()) && !isMarked) return encoding;
  const why = isMarked ? 'but does not begin with its byte order mark' : 'which cannot be read';
  throw new StatementError(`the file says that it is in ${quoted(encoding)}, ${why}`, {
    line: 1,
    entry: null,
  });
}

/** Strict UTF-8. */
async function* recoded(pieces: AsyncIterable<Uint8Array>, encoding: string): AsyncGenerator<Uint8Array> {
  for await (const text of textsOf(pieces, encoding)) yield Buffer.from(text);
}
