import type { Store } from '../../src/store/store.ts';

/** Lets all of them claim at the same time, over and over, until none gets anything. */
export async function claimAll<T>(
  stores: readonly Store[],
  take: (store: Store) => Promise<readonly T[]>,
): Promise<T[]> {
  const all: T[] = [];
  for (let before = -1; before !== all.length; ) {
    before = all.length;
    for (const taken of await Promise.all(stores.map(take))) all.push(...taken);
  }
  return all;
}
