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

let histories = 0;
/** An uncaught error ends the history, and the process with it. */
process.on('uncaughtException', (error) => {
  tell(`nobody has caught: ${error}`);
  process.exit();
});

const fault = await inWorlds(async (run) => {
  while (histories < most) {
    histories += 1;
    const { fault } = await run(first + histories - 1).catch((error) => ({ fault: `it ends with ${error}` }));
    if (fault !== null) return fault;
  }
  return null;
});
tell(fault);

function tell(fault: string | null): void {
  const found: UntilFound = { histories, fault };
  console.log(JSON.stringify(found));
}
