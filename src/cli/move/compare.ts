/** Compares every row of the copy with its original. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Teller } from './copy.ts';
import { differenceOf } from './difference.ts';
import type { Piece } from './source-thread.ts';
import { type Table, tables } from './tables.ts';
import type { Target } from './target.ts';

export type Side = { readonly rows: number; readonly sha256: string };
export type Comparison = {
  readonly table: string;
  readonly source: Side;
  readonly target: Side;
  /** The first row that differs, in words; null if none does. */
  readonly difference: string | null;
};

/** Compares all tables in turn, reading both databases at the same time. Nobody may write meanwhile. */
export async function compare(path: string, target: Target, teller: Teller): Promise<Comparison[]> {
  const thread = new Worker(new URL('./source-thread.ts', import.meta.url), { workerData: path });
  try {
    const comparisons: Comparison[] = [];
    for (const table of tables) comparisons.push(await compareTable(thread, table, target, teller));
    return comparisons;
  } finally {
    await thread.terminate();
  }
}

async function compareTable(
  thread: Worker,
  table: Table,
  target: Target,
  teller: Teller,
): Promise<Comparison> {
  const copy = lineReader(target.lines(table));
  const source = { rows: 0, sha256: '' };
  let difference: string | null = null;
  for await (const piece of piecesOf(thread, table)) {
    if ('sha256' in piece) {
      source.sha256 = piece.sha256;
      continue;
    }
    const { lines } = piece;
    source.rows += piece.rows;
    if (difference === null) {
      const wanted = Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength);
      const found = await copy.take(wanted.length);
      if (!wanted.equals(found)) difference = differenceOf(table, wanted, await copy.wholeLines(found));
    }
    teller.add(piece.rows);
  }
  // Rows of the copy beyond the last one of the source, if all were equal so far.
  const rest = await copy.wholeLines(await copy.take(1));
  if (difference === null && rest.length > 0) difference = differenceOf(table, Buffer.alloc(0), rest);
  return { table: table.name, source, target: await copy.all(), difference };
}

async function* piecesOf(thread: Worker, { name }: Table): AsyncGenerator<Piece> {
  function ask(message: string | null): Promise<unknown[]> {
    const answer = once(thread, 'message');
    // A failure while the other side is read surfaces when the answer is awaited.
    answer.catch(() => {});
    thread.postMessage(message);
    return answer;
  }

  for (let answer = ask(name); ; ) {
    const [piece] = (await answer) as [Piece];
    // The thread makes the next piece while this one is compared.
    if ('lines' in piece) answer = ask(null);
    yield piece;
    if (!('lines' in piece)) return;
  }
}

/** Reads as many bytes as asked for; counts and hashes all of them. */
function lineReader(lines: AsyncIterable<Buffer>) {
  const pieces = lines[Symbol.asyncIterator]();
  const hash = createHash('sha256');
  let rows = 0;
  let ended = false;
  let rest: Buffer = Buffer.alloc(0);

  /** The next piece, empty at the end. */
  async function next(): Promise<Buffer> {
    const { value, done } = ended ? { value: undefined, done: true } : await pieces.next();
    ended = done === true;
    if (ended) return Buffer.alloc(0);
    const piece: Buffer = value;
    hash.update(piece);
    rows += linesIn(piece);
    return piece;
  }

  /** Takes `length` bytes, fewer at the end. */
  async function take(length: number): Promise<Buffer> {
    // Pieces are hardly longer than a row, so they are concatenated only once.
    const taken = [rest];
    let missing = length - rest.length;
    while (missing > 0) {
      const piece = await next();
      if (ended) break;
      taken.push(piece);
      missing -= piece.length;
    }
    const all = Buffer.concat(taken);
    rest = all.subarray(length);
    return all.subarray(0, length);
  }

  return {
    take,
    /** The taken bytes, and the rest of the line in which they end. */
    async wholeLines(taken: Buffer): Promise<Buffer> {
      let lines = taken;
      while (lines.length > 0 && !lines.subarray(taken.length - 1).includes('\n')) {
        const more = await take(Math.max(1, rest.length));
        if (more.length === 0) break;
        lines = Buffer.concat([lines, more]);
      }
      return lines;
    },
    /** Reads to the end. */
    async all(): Promise<Side> {
      while (!ended) await next();
      return { rows, sha256: hash.digest('hex') };
    },
  };
}

function linesIn(block: Buffer): number {
  let count = 0;
  for (let at = block.indexOf('\n'); at >= 0; at = block.indexOf('\n', at + 1)) count++;
  return count;
}
