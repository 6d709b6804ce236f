/** Silence of others, told from that of this process. */
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';

/**
 * The answer if it comes within so long, else false. Behind a limit that is over because this process itself stood still,
 * the answer may have come and wait to be read: so it gets one more turn.
 */
export function answersWithin(ms: number, answer: Promise<boolean>): Promise<boolean> {
  const silence = pause(ms, false, { ref: false }).then(() => turn(false, { ref: false }));
  return Promise.race([answer, silence]);
}
