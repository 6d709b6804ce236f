/** Parts of one round of work, such as one for each tenant: trouble of one keeps no other from its turn. */
import { messageOf } from './error-message.ts';

export type Part = { readonly name: string; readonly run: () => Promise<unknown> };

/** Different troubles of a round that are told; the last line says how many others there were. */
const MOST_TOLD = 20;
/** Parts that are named with a trouble that they have in common. */
const MOST_NAMED = 5;

type Trouble = { readonly error: unknown; count: number; readonly names: string[] };

/**
 * Time that failures of a round may take. What takes longer to fail, such as a lock on the database file, fails for all, and
 * may hold up the thread meanwhile.
 */
const MOST_FAILING_MS = 1_000;

/** Parts that rounds have come to which ended early: the next one begins behind them, so that all have their turns. */
let passed = 0;

/**
 * Runs all parts, one after the other, until failures have taken too long. Parts that fail for the same reason are told
 * together. Rejects if all have failed, so that whoever repeats the round pauses for longer.
 */
export async function apart(
  parts: readonly Part[],
  onError: (error: unknown) => void,
  now: () => number = () => performance.now(),
): Promise<void> {
  const troubles = new Map<string, Trouble>();
  const start = parts.length === 0 ? 0 : passed % parts.length;
  let [tried, failed, failingMs] = [0, 0, 0];
  for (const { name, run } of [...parts.slice(start), ...parts.slice(0, start)]) {
    const begunAt = now();
    tried++;
    try {
      await run();
    } catch (error) {
      failed++;
      const message = messageOf(error);
      const trouble = troubles.get(message) ?? { error, count: 0, names: [] };
      troubles.set(message, trouble);
      trouble.count++;
      if (trouble.names.length < MOST_NAMED) trouble.names.push(name);
      failingMs += now() - begunAt;
      if (failingMs < MOST_FAILING_MS) continue;
      passed += tried;
      break;
    }
  }
  const all = [...troubles];
  const told = all.slice(0, MOST_TOLD).map(([message, trouble]) => errorOf(message, trouble));
  if (all.length > MOST_TOLD) told.push(new Error(`${all.length - MOST_TOLD} other troubles`));
  const last = failed > 0 && failed === tried ? told.pop() : undefined;
  for (const error of told) onError(error);
  if (last !== undefined) throw last;
}

function errorOf(message: string, { error, count, names }: Trouble): Error {
  const others = count - names.length;
  return new Error(`${names.join(', ')}${others > 0 ? ` and ${others} others` : ''}: ${message}`, {
    cause: error,
  });
}
