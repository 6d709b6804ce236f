/**
 * Thread that reads all rows of the source as lines, so that both databases are read at the same time. A message with
 * the name of a table begins it, any other message asks for more of it.
 */
import { createHash } from 'node:crypto';
import type { SQLOutputValue } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { openForReading } from '../../store/sqlite/file.ts';
import { lineWriter } from './line.ts';
import { type Table, table } from './tables.ts';

/** Whole lines, and after the last of them the SHA-256 of all. */
export type Piece =
  | { readonly lines: Uint8Array<ArrayBuffer>; readonly rows: number }
  | { readonly sha256: string };

/** Characters of a piece: many rows in little memory. */
const PIECE_LENGTH = 256 * 1024;

const database = openForReading(workerData as string);
database.exec('PRAGMA cache_size = -65536');
let pieces: Iterator<Piece> | undefined;

parentPort?.on('message', (name: string | null) => {
  if (name !== null) pieces = piecesOf(table(name));
  const piece: Piece = pieces?.next().value;
  // The bytes are transferred, not copied.
  parentPort?.postMessage(piece, 'lines' in piece ? [piece.lines.buffer] : []);
});

function* piecesOf({ select, key, columns }: Table): Generator<Piece> {
  const statement = database.prepare(`${select} ORDER BY ${key.join(', ')}`);
  statement.setReturnArrays(true);
  const lineOf = lineWriter(columns);
  const all = createHash('sha256');
  let text = '';
  let rows = 0;
  function piece(): Piece {
    const lines = new TextEncoder().encode(text);
    all.update(lines);
    const made = { lines, rows };
    text = '';
    rows = 0;
    return made;
  }
  for (const row of statement.iterate() as Iterable<unknown> as Iterable<SQLOutputValue[]>) {
    text += lineOf(row);
    rows++;
    if (text.length >= PIECE_LENGTH) yield piece();
  }
  if (rows > 0) yield piece();
  yield { sha256: all.digest('hex') };
}
