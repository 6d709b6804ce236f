/** Spreads a long run of seeds over threads: each has globals of its own, so a world of its own. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { type Failure, failuresOf, type Seeds } from './histories.ts';

/** Histories that are worth the start of a thread. */
const WORTH_A_THREAD = 500;

/** The histories that fail among so many from this seed on, in the order of their seeds. */
export async function failuresAmong(first: number, count: number): Promise<Failure[]> {
  const threads = Math.min(availableParallelism(), Math.max(1, Math.floor(count / WORTH_A_THREAD)));
  if (threads === 1) return failuresOf({ first, count, stride: 1 });
  const found = await Promise.all(
    Array.from({ length: threads }, (_, nth) =>
      inThread({ first: first + nth, count: count - nth, stride: threads }),
    ),
  );
  return found.flat().sort((one, other) => one.seed - other.seed);
}

function inThread(seeds: Seeds): Promise<Failure[]> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL('./histories.ts', import.meta.url), { workerData: { seeds } });
    thread.once('message', resolve);
    thread.once('error', reject);
    thread.once('exit', () => reject(new Error('a thread has ended without a word')));
  });
}
