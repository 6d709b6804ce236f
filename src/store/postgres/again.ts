/** Transactions that met others at the same rows, tried again: whoever decides then sees what those have written. */
import { setTimeout as pause } from 'node:timers/promises';
import { isCollision, isUniqueViolation } from './errors.ts';

const MAX_TRIES = 5;
/** A row that is still there when everything was loaded anew is no matter of time. */
const MAX_TRIES_WITH_DOUBLED_ROW = 3;
const PAUSE_MS = 10;

/** `work` is a whole transaction. */
export async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      const isWorthIt =
        (isCollision(error) && tries < MAX_TRIES) ||
        // Another process may have written it first: what was new to us is then found, and decided on anew.
        (isUniqueViolation(error) && tries < MAX_TRIES_WITH_DOUBLED_ROW);
      if (!isWorthIt) throw error;
      await pause(Math.random() * tries * PAUSE_MS);
    }
  }
}
