/** Histories of many seeds, one after the other in this thread. */
import { existsSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { stepsOf } from './lots.ts';
import { makePlace, type Run, simulate } from './simulation.ts';
import type { Step } from './steps.ts';
import { takeOver } from './world.ts';

/** Every `stride`-th of so many seeds from the first one on. */
export type Seeds = { readonly first: number; readonly count: number; readonly stride: number };
export type Failure = { readonly seed: number; readonly fault: string };

/** Memory for the files, so that nothing waits for a disk. */
const MEMORY = '/dev/shm';
/** Failures after which a thread has seen enough. */
const ENOUGH = 10;

/** Runs in a world that is given back behind it. */
export async function inWorlds<T>(
  work: (run: (seed: number, steps?: readonly Step[]) => Promise<Run>) => Promise<T>,
): Promise<T> {
  const place = await makePlace(existsSync(MEMORY) ? MEMORY : tmpdir());
  const worlds = takeOver();
  try {
    return await work((seed, steps = stepsOf(seed)) => simulate(place, worlds.create(seed), steps));
  } finally {
    worlds.restore();
    rmSync(place.directory, { recursive: true });
  }
}

/** The histories that fail. */
export async function failuresOf({ first, count, stride }: Seeds): Promise<Failure[]> {
  return inWorlds(async (run) => {
    const failures: Failure[] = [];
    for (let seed = first; seed < first + count && failures.length < ENOUGH; seed += stride) {
      const { fault } = await run(seed);
      if (fault !== null) failures.push({ seed, fault });
    }
    return failures;
  });
}

// Threads of `threads.ts` begin here.
if (!isMainThread && workerData?.seeds) parentPort?.postMessage(await failuresOf(workerData.seeds));
