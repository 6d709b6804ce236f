/** Thread that reads one statement. Each message asks for further parts, so that it is never far ahead of its reader. */
import { parentPort, workerData } from 'node:worker_threads';
import { yieldToServing } from '../lib/thread-priority.ts';
import { type Fault, StatementError, type StatementPart } from '../statements/entry.ts';
import { type ReadOptions, readStatement } from '../statements/read.ts';
import { CopyFailed, readBack } from './copy.ts';

export type Task = { readonly path: string; readonly options: ReadOptions };

/** Errors lose their class on the way, so they go as data. */
export type Answer =
  | {
      readonly parts: readonly StatementPart[];
      readonly isEnd: boolean;
      /** The fault behind these parts. */
      readonly fault: Fault | null;
    }
  | { readonly unreadable: string };

/** Parts of one answer: few enough that taking it takes a millisecond or two. */
const PARTS_AT_ONCE = 200;

yieldToServing();
const { path, options } = workerData as Task;
const parts = readStatement(readBack(path), options);

async function next(): Promise<Answer> {
  const some: StatementPart[] = [];
  try {
    while (some.length < PARTS_AT_ONCE) {
      const { done, value } = await parts.next();
      if (done) return { parts: some, isEnd: true, fault: null };
      some.push(value);
    }
    return { parts: some, isEnd: false, fault: null };
  } catch (error) {
    if (error instanceof StatementError) return { parts: some, isEnd: true, fault: error.fault };
    if (error instanceof CopyFailed) return { unreadable: error.message };
    throw error;
  }
}

parentPort?.on('message', async () => parentPort?.postMessage(await next()));
