/**
 * Hints between processes by LISTEN and NOTIFY: which sessions have changed, which feeds have new events, and that the
 * directory has changed. They only make others look sooner; everybody looks from time to time anyway, so one that is lost
 * costs nothing but time. Behind a pooler that shares connections between transactions, for one, none arrives.
 */

import { randomUUID } from 'node:crypto';
import { createConnection } from './connection.ts';
import type { Pool } from './pool.ts';

const CHANNEL = 'opentill';
/** Hints are sent together: NOTIFY takes a lock that all commits with a NOTIFY share, so there should be few. */
const GATHER_MS = 20;
/** The payload of a NOTIFY is less than 8000 bytes; the id of a session takes 33 of them, the name of a tenant fewer. */
const MAX_HINTS = 150;
const LISTEN_AGAIN_MS = 5_000;

/** A hint is the id of a session, the name of a tenant, or this. */
export const DIRECTORY = 'directory';

export function createHints(pool: Pool, url: string) {
  const from = randomUUID();
  const gathered = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let stopListening = async () => {};

  async function send(): Promise<void> {
    timer = undefined;
    const all = [...gathered];
    gathered.clear();
    const sent: Promise<unknown>[] = [];
    for (let at = 0; at < all.length; at += MAX_HINTS) {
      const payload = JSON.stringify({ from, hints: all.slice(at, at + MAX_HINTS) });
      sent.push(pool.lookOut(null, (sql) => sql`SELECT pg_notify(${CHANNEL}, ${payload})`));
    }
    await Promise.allSettled(sent);
  }

  return {
    tell(hints: readonly string[]): void {
      if (hints.length === 0) return;
      for (const hint of hints) gathered.add(hint);
      timer ??= setTimeout(() => void send(), GATHER_MS).unref();
    },

    /** Listens. To do so twice is to do so once: asked again and again, it finds the server wherever that has gone. */
    listen(onHint: (hint: string) => void): void {
      const connection = createConnection(url, undefined, {
        name: 'opentill listener',
        onPayload: (payload) => hintsIn(payload, from).forEach(onHint),
      });
      const ask = () => void connection.run((sql) => sql.unsafe(`LISTEN ${CHANNEL}`)).catch(() => {});
      ask();
      const asking = setInterval(ask, LISTEN_AGAIN_MS).unref();
      stopListening = () => {
        clearInterval(asking);
        return connection.close();
      };
    },

    async close(): Promise<void> {
      clearTimeout(timer);
      await send();
      await stopListening();
    },
  };
}

/** Hints of another process. Anybody who may connect may also send something else on the channel. */
function hintsIn(payload: string, own: string): readonly string[] {
  try {
    const { from, hints } = JSON.parse(payload);
    return from === own || !Array.isArray(hints) ? [] : hints.filter((hint) => typeof hint === 'string');
  } catch {
    return [];
  }
}
