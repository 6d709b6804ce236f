/**
 * Reads the copy of a statement: a small one at once, a larger one in a thread of its own, since reading it takes the
 * time of thousands of requests.
 */

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { StatementError, type StatementHeader, type StatementPart } from '../statements/entry.ts';
import type { CsvMapping } from '../statements/mapping.ts';
import type { ReadOptions, StatementFormat } from '../statements/read.ts';
import { type Copy, CopyFailed, readBack } from './copy.ts';
import type { Answer, Task } from './read-thread.ts';

/** Files that are read in some ten milliseconds, in twenty if they are made to be slow: as long as a thread needs to begin. */
export const SMALL_BYTES = 64 * 1024;
/** Files that are read in threads at once, one of each tenant; further ones wait for their turn. */
const MAX_THREADS = 8;
/** Memory of a thread for JavaScript. Statements are read piece by piece, so this is plenty. */
const HEAP_MB = 256;

/** Parts of the statements in file order; each call reads from the beginning. Throws StatementError, or CopyFailed. */
export function partsOf(
  copy: Copy,
  mapping: CsvMapping | null,
  given: Pick<ReadOptions, 'goesOn'> = {},
): AsyncGenerator<StatementPart> {
  const options = mapping === null ? given : { ...given, mapping };
  if (copy.bytes > SMALL_BYTES) return readInThread({ path: copy.path, options });
  return readHere(copy.path, options);
}

/** The parsers are loaded for the first file: many services never see one. */
async function* readHere(path: string, options: ReadOptions): AsyncGenerator<StatementPart> {
  const { readStatement } = await import('../statements/read.ts');
  yield* readStatement(readBack(path), options);
}

/** Format of the statement. Throws StatementError where it is none. */
export async function formatOf(copy: Copy): Promise<StatementFormat> {
  const { formatIn } = await import('../statements/read.ts');
  return formatIn(readBack(copy.path));
}

let running = 0;
const waiting: Array<() => void> = [];

async function* readInThread(task: Task): AsyncGenerator<StatementPart> {
  if (running < MAX_THREADS) running++;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  let thread: Worker | undefined;
  const withOwnHeader = createHeaders();
  try {
    thread = new Worker(new URL('./read-thread.ts', import.meta.url), {
      workerData: task,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    const ended = new AbortController();
    // It may run out of memory while nobody waits for an answer.
    thread.on('error', (error) => ended.abort(error));
    thread.once('exit', () => ended.abort());
    for (;;) {
      thread.postMessage('next');
      const [answer] = (await once(thread, 'message', { signal: ended.signal })) as [Answer];
      if ('unreadable' in answer) throw new CopyFailed(answer.unreadable);
      for (const part of answer.parts) yield withOwnHeader(part);
      if (answer.fault) throw new StatementError(answer.fault.detail, answer.fault);
      if (answer.isEnd) return;
    }
  } finally {
    await thread?.terminate();
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}

/**
 * Each message of a thread has copies of the headers in it: an entry gets the header back with which its statement began,
 * because equal entries are numbered within their statement.
 */
function createHeaders(): (part: StatementPart) => StatementPart {
  const begun = new Map<string, StatementHeader>();
  const owners = new WeakMap<StatementHeader, StatementHeader>();
  return (part) => {
    if (part.kind === 'fault') return part;
    const { header } = part;
    if (part.kind === 'statement') {
      begun.set(JSON.stringify(header), header);
      owners.set(header, header);
      return part;
    }
    const own = owners.get(header) ?? begun.get(JSON.stringify(header)) ?? header;
    owners.set(header, own);
    return { ...part, header: own };
  };
}
