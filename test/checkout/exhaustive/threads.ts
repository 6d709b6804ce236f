/** Searches several bounds at once: each thread takes the next one that no other has taken. */
import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { all } from './bounds.ts';
import { type Found, search } from './search.ts';

type Told =
  | { readonly place: number; readonly found: Found }
  | { readonly place: number; readonly why: string };

/** Results of each bound of `all`, once it has been searched; and a way to end the threads before. */
export function searchAll(): {
  readonly searches: readonly Promise<Found>[];
  readonly stop: () => Promise<void>;
} {
  const searches = all.map(() => Promise.withResolvers<Found>());
  const taken = new Int32Array(new SharedArrayBuffer(4));
  const fail = (error: Error) => {
    for (const { reject } of searches) reject(error);
  };
  const threads = Array.from(
    { length: availableParallelism() },
    () => new Worker(import.meta.filename, { workerData: { taken } }),
  );
  for (const thread of threads) {
    thread.on('message', (told: Told) => {
      if ('found' in told) searches[told.place]?.resolve(told.found);
      else searches[told.place]?.reject(new Error(told.why));
    });
    thread.on('error', fail);
    thread.on('exit', () => Atomics.load(taken, 0) < all.length && fail(new Error('a thread has ended')));
  }
  // Callers that wait for a search hear of its failure.
  for (const { promise } of searches) promise.catch(() => {});
  return {
    searches: searches.map(({ promise }) => promise),
    async stop() {
      for (const thread of threads) await thread.terminate();
    },
  };
}

function searchInTurn(taken: Int32Array): void {
  for (let place = Atomics.add(taken, 0, 1); place < all.length; place = Atomics.add(taken, 0, 1)) {
    const bound = all[place];
    if (bound !== undefined) parentPort?.postMessage(told(place, () => search(bound)));
  }
}

function told(place: number, find: () => Found): Told {
  try {
    return { place, found: find() };
  } catch (error) {
    return { place, why: error instanceof Error ? error.message : String(error) };
  }
}

if (!isMainThread && workerData?.taken) searchInTurn(workerData.taken);
