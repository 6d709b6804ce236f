import { constants, getPriority, setPriority } from 'node:os';

/**
 * Lets the thread that answers requests go first where both want a processor: to be called in a thread that works for
 * somebody who waits anyway. On Linux each thread has a priority of its own; elsewhere the call would be about the whole
 * process, and nothing is done.
 */
export function yieldToServing(): void {
  if (process.platform !== 'linux') return;
  const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority;
  setPriority(Math.min(getPriority() + PRIORITY_BELOW_NORMAL, PRIORITY_LOW));
}
