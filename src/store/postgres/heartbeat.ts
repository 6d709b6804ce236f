/**
 * Notices a server that has gone silent. A machine that freezes, or a network that swallows everything, breaks no
 * connection: whoever asks waits. So somebody asks all the time, and when there is no answer nobody else has to wait.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { createConnection } from './connection.ts';
import { codeOf } from './errors.ts';

const ASK_EVERY_MS = 1_000;
/** Longer than it takes to give up a host that takes a connection and says nothing. */
const SILENT_AFTER_MS = 4_000;

export type Heartbeat = ReturnType<typeof startHeartbeat>;

/** `onSilence` is told each time that the server falls silent. */
export function startHeartbeat(url: string, onSilence: () => void) {
  const connection = createConnection(url, undefined, { name: 'opentill heartbeat' });
  const stopping = new AbortController();
  let silent = false;

  async function beat(): Promise<void> {
    // A refusal is no silence: whoever asks is told at once. A connection that nobody takes is.
    const answered = connection
      .run((sql) => sql`SELECT 1`)
      .then(
        () => true,
        (error) => codeOf(error) !== 'CONNECT_TIMEOUT',
      );
    const limit = pause(SILENT_AFTER_MS, false, { ref: false });
    const wasSilent = silent;
    silent = !(await Promise.race([answered, limit]));
    if (!silent) return;
    connection.discard();
    if (!wasSilent) onSilence();
  }

  async function run(): Promise<void> {
    const { signal } = stopping;
    while (!signal.aborted) {
      await beat();
      await pause(ASK_EVERY_MS, undefined, { ref: false, signal }).catch(() => {});
    }
  }
  void run();

  return {
    isSilent: (): boolean => silent,
    stop(): Promise<void> {
      stopping.abort();
      return connection.close();
    },
  };
}
