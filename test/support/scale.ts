/**
 * How long campaigns of chance are: kills, races, random sequences. `npm test` has short ones, `npm run test:all` long
 * ones, and OPENTILL_TEST_SCALE makes them so many times as long as in `npm test`. OPENTILL_SEED repeats one.
 */
const scale = Number(process.env.OPENTILL_TEST_SCALE ?? 1);

export const seed = Number(process.env.OPENTILL_SEED ?? Date.now() % 1_000_000);

export function scaled(count: number): number {
  return Math.ceil(count * scale);
}

/** What is tried in all of its combinations, or, in `npm test`, in few in which each property occurs. */
export function combinations<T>(all: readonly T[], few: readonly T[]): readonly T[] {
  return scale > 1 ? all : few;
}
