/**
 * Hints between processes by LISTEN and NOTIFY: which sessions have changed, which feeds have new events, and that the
 * directory has changed. They only make others look sooner; everybody looks from time to time anyway, so one that is lost
 * costs nothing but time. Behind a pooler that shares connections between transactions, for one, none arrives.
 */

import { randomUUID } from 'node:crypto';
import type { CheckoutId } from '../../checkout/ids.ts';
import { type Tenant, tenantName } from '../../checkout/tenant.ts';
import { createConnection } from './connection.ts';
import type { Pool } from './pool.ts';

const CHANNEL = 'opentill';
/** Hints are sent together: NOTIFY takes a lock that all commits with a NOTIFY share, so there should be few. */
const GATHER_MS = 20;
/** The payload of a NOTIFY is less than 8000 bytes: an id takes 33 of them, an account and mode up to 45. */
const MAX_IDS = 150;
const MAX_FEEDS = 50;
const LISTEN_AGAIN_MS = 5_000;

type Hint = {
  readonly from: string;
  readonly directory: boolean;
  readonly checkouts: readonly CheckoutId[];
  readonly feeds: readonly Tenant[];
};

export function createHints(pool: Pool, url: string) {
  const from = randomUUID();
  const checkouts = new Set<CheckoutId>();
  const feeds = new Map<string, Tenant>();
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
    const tenants = [...feeds.values()];
    const hints: Hint[] = [];
    for (
      let part = 0;
      part * MAX_IDS < ids.length || part * MAX_FEEDS < tenants.length || directory;
      part++
    ) {
      hints.push({
        from,
        directory,
        checkouts: ids.slice(part * MAX_IDS, (part + 1) * MAX_IDS),
        feeds: tenants.slice(part * MAX_FEEDS, (part + 1) * MAX_FEEDS),
      });
      directory = false;
    }
    checkouts.clear();
    feeds.clear();
    const notify = (hint: Hint) =>
      pool.lookOut((sql) => sql`SELECT pg_notify(${CHANNEL}, ${JSON.stringify(hint)})`);
    await Promise.allSettled(hints.map(notify));
  }

  /** To listen twice is to listen once: asked again and again, it finds the server wherever that has gone. */
  function listen(onHint: (hint: Hint) => void): void {
    const connection = createConnection(url, undefined, {
      name: 'opentill listener',
      onPayload(payload) {
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
    checkoutsChanged(ids: readonly CheckoutId[]): void {
      for (const id of ids) checkouts.add(id);
      if (ids.length > 0) gather();
    },
    feedChanged(tenant: Tenant): void {
      feeds.set(tenantName(tenant), { account: tenant.account, mode: tenant.mode });
      gather();
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
    if (typeof hint !== 'object' || hint === null) return null;
    const { from, directory = false, checkouts = [], feeds = [] } = hint;
    if (!Array.isArray(checkouts) || !Array.isArray(feeds)) return null;
    return {
      from,
      directory,
      checkouts,
      feeds: feeds.filter((tenant) => typeof tenant?.account === 'number'),
    };
  } catch {
    return null;
  }
}
