/**
 * The scale of campaigns: kills, races, random sequences, combinations. `npm test` tries little;
 * OPENTILL_TEST_SCALE makes campaigns so many times as long. `npm run test:all` runs each file that imports
 * this, directly or not, at such a scale.
 */
import { randomFrom } from '../crash/random.ts';
import { seed } from './seed.ts';

const scale = Number(process.env.OPENTILL_TEST_SCALE ?? 1);

/** True if there is time for what takes a processor many minutes, as in `npm run prove`. */
export const isWhole = scale >= 100;

/**
 * The seed of `npm test` is always the same, so that a change is judged by what it changes; longer runs draw
 * others.
 */
export const usualSeed = scale > 1 || process.env.OPENTILL_SEED !== undefined ? seed : 1;

/** True where there is no time for what takes half a minute however little of it is tried. */
export const isShort = scale < 1;

/** The count times the scale; `npm test` tries `inUsual` where that is given. */
export function scaled(count: number, inUsual = count): number {
  return Math.ceil(scale === 1 ? inUsual : count * scale);
}

/** All combinations, or, in `npm test`, few in which each property occurs. */
export function combinations<T>(all: readonly T[], few: readonly T[]): readonly T[] {
  return scale > 1 ? all : few;
}

/** Says of one case after the other whether to try it: in `npm test` such a share of them, other ones with each seed. */
export function sampler(share: number): () => boolean {
  const random = randomFrom(seed);
  return () => scale > 1 || random.next() < share;
}
