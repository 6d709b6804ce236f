/** Maps lists that outsiders make as long as they like, without holding up whatever else is asked meanwhile. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Elements of one turn of the event loop: some hundred microseconds of work. */
const AT_ONCE = 100;

/** The list mapped in its order; the event loop has turns in between. */
export async function mapInTurns<T, U>(list: readonly T[], made: (each: T) => U): Promise<U[]> {
  const all: U[] = [];
  for (const [place, each] of list.entries()) {
    if (place > 0 && place % AT_ONCE === 0) await nextTurn();
    all.push(made(each));
  }
  return all;
}
