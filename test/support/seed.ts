/** The seed of everything that a test leaves to chance. A test says it where it matters; OPENTILL_SEED repeats it. */
export const seed = Number(process.env.OPENTILL_SEED ?? Date.now() % 1_000_000);
