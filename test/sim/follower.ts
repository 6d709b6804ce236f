/**
 * A client that follows the feeds, a few events at a time: each event comes once, in the order of commits,
 * and none is left out.
 */
import { type Tenant, tenantName } from '../../src/checkout/tenant.ts';
import { CursorExpired } from '../../src/store/errors.ts';
import type { Store } from '../../src/store/store.ts';
import type { WrittenEvent } from './webhook-oracle.ts';

/** Few, so that most looks take several pages. */
const PAGE = 3;

type Feed = Pick<Store['events'], 'list'>;

export function createFollower(events: readonly WrittenEvent[], fault: (text: string) => void) {
  /** The cursor of each tenant, and the number of events in front of it. */
  const places = new Map<string, { readonly cursor: number; readonly passed: number }>();

  async function read(tenant: Tenant, feed: Feed, from: number) {
    const ids: string[] = [];
    let cursor = from;
    for (;;) {
      const { rows, hasMore, position } = await feed.list(tenant, {}, cursor, PAGE);
      ids.push(...rows.map(({ id }) => id));
      if (!hasMore) return { ids, cursor: position };
      if (position <= cursor) {
        fault(`the feed of ${tenantName(tenant)} says that there is more, and does not go on`);
        return { ids, cursor };
      }
      cursor = position;
    }
  }

  async function follow(tenant: Tenant, feed: Feed): Promise<void> {
    const name = tenantName(tenant);
    const own = events.filter((each) => each.tenant === name);
    const { cursor, passed } = places.get(name) ?? { cursor: 0, passed: 0 };
    if (own.length === passed) return;
    try {
      const found = await read(tenant, feed, cursor);
      const due = own.slice(passed).filter(({ isForgotten }) => !isForgotten);
      if (`${found.ids}` !== `${due.map(({ id }) => id)}`)
        fault(`the feed of ${name} goes on with ${found.ids}, not with ${due.map(({ id }) => id)}`);
      places.set(name, { cursor: found.cursor, passed: own.length });
    } catch (error) {
      // Events behind the cursor are too old to be kept: the client begins anew.
      if (!(error instanceof CursorExpired)) throw error;
      if (own.slice(passed).every(({ isForgotten }) => !isForgotten))
        fault(`the feed of ${name} has lost its place`);
      places.delete(name);
    }
  }

  return async (tenants: readonly Tenant[], feed: Feed): Promise<void> => {
    for (const tenant of tenants) await follow(tenant, feed);
  };
}
