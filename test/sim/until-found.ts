/**
 * Histories from a seed on until the first that fails, for whoever has planted a fault and wants to know how soon it is
 * found: prints how many there were, and what was wrong.
 *
 *     node test/sim/until-found.ts 1 2000
 */
import { inWorlds } from './histories.ts';

/** Null if nothing was found. */
export type UntilFound = { readonly histories: number; readonly fault: string | null };

const [first = 1, most = 2_000] = process.argv.slice(2).map(Number);

const found = await inWorlds(async (run): Promise<UntilFound> => {
  for (let histories = 1; histories <= most; histories++) {
    const fault = await run(first + histories - 1).then(
      (run) => run.fault,
      (error) => `the history could not go on: ${error}`,
    );
    if (fault !== null) return { histories, fault };
  }
  return { histories: most, fault: null };
});
console.log(JSON.stringify(found));
