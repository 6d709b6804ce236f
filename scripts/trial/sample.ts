/** A random sample that can be drawn again: the seed is printed, and the same seed draws the same. */

/** Mulberry32: 32 bits of state are enough to shuffle a list. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** `count` of them, in the order in which they were drawn. */
export function sampleOf<T>(all: readonly T[], count: number, seed: number): T[] {
  const random = randomOf(seed);
  const left = [...all];
  const drawn: T[] = [];
  while (drawn.length < count && left.length > 0) {
    drawn.push(...left.splice(Math.floor(random() * left.length), 1));
  }
  return drawn;
}

/** The number of an option, or what it is without one; throws where it is no whole number. */
export function wholeNumber(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (!/^\d{1,10}$/.test(text)) throw new Error(`--${name} must be a whole number, not ${text}`);
  return Number(text);
}

export function freshSeed(): number {
  return Math.floor(Math.random() * 100_000);
}
