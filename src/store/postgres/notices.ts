/**
 * Hints between processes by LISTEN and NOTIFY: which sessions have changed, and that the directory has. They only make
 * others look sooner; everybody looks from time to time anyway, so one that is lost costs nothing but time. Behind a
 * pooler that shares connections between transactions, for one, none arrives.
 */
import { randomUUID } from 'node:crypto';
import { createConnection } from './connection.ts';
import type { Pool } from './pool.ts';

const CHANNEL = 'opentill';
/** Hints are sent together: NOTIFY takes a lock that all commits with a NOTIFY share, so there should be few. */
const GATHER_MS = 20;
/** The payload of a NOTIFY is less than 8000 bytes. */
const MAX_IDS = 200;
const LISTEN_AGAIN_MS = 5_000;

type Hint = { readonly from: string; readonly directory?: boolean; readonly checkouts?: readonly string[] };

export type Notices = ReturnType<typeof createNotices>;

export function createNotices(pool: Pool, url: string) {
  const from = randomUUID();
  const checkouts = new Set<string>();
  let directory = false;
  let timer: NodeJS.Timeout | undefined;
  let stopListening = async () => {};

  function gather(): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      void send();
    }, GATHER_MS).unref();
  }

  async function send(): Promise<void> {
    const ids = [...checkouts];
    const hints: Hint[] = directory ? [{ from, directory }] : [];
    checkouts.clear();
    directory = false;
    for (let first = 0; first < ids.length; first += MAX_IDS) {
      hints.push({ from, checkouts: ids.slice(first, first + MAX_IDS) });
    }
    const notify = (hint: Hint) =>
      pool.lookOut((sql) => sql`SELECT pg_notify(${CHANNEL}, ${JSON.stringify(hint)})`);
    await Promise.allSettled(hints.map(notify));
  }

  /** To listen twice is to listen once: asked again and again, it finds the server wherever that has gone. */
  function listen(onHint: (hint: Hint) => void): void {
    const connection = createConnection(url, undefined, {
      name: 'opentill listener',
      onNotice(payload) {
        const hint = parsed(payload);
        if (hint !== null && hint.from !== from) onHint(hint);
      },
    });
    const ask = () => void connection.run((sql) => sql.unsafe(`LISTEN ${CHANNEL}`)).catch(() => {});
    ask();
    const asking = setInterval(ask, LISTEN_AGAIN_MS).unref();
    stopListening = () => {
      clearInterval(asking);
      return connection.close();
    };
  }

  return {
    directoryChanged(): void {
      directory = true;
      gather();
    },
    checkoutsChanged(ids: readonly string[]): void {
      for (const id of ids) checkouts.add(id);
      if (ids.length > 0) gather();
    },
    listen,
    async close(): Promise<void> {
      clearTimeout(timer);
      await send();
      await stopListening();
    },
  };
}

/** Anybody who may connect may also send something on the channel. */
function parsed(payload: string): Hint | null {
  try {
    const hint = JSON.parse(payload);
    return typeof hint === 'object' && hint !== null ? hint : null;
  } catch {
    return null;
  }
}
