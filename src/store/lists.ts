/** Lists: the parts that are the same wherever they are read. */
import { StoreUnavailable } from './errors.ts';
import { written } from './page.ts';
import type { Checkouts } from './store.ts';

/** Turns of lists: how many may wait. */
export const listTurns = { maxWaiting: 1000, maxWaitingOfTenant: 250 };

export const tooManyLists = () => new StoreUnavailable('too many lists wait already');

/** The list as bytes, which are made where it was read. */
export function serialized(list: Checkouts['list']): Checkouts['listSerialized'] {
  return async (tenant, filter, page, serializer) => {
    const found = await list(tenant, filter, page);
    return written(found, page, (each) => ({ id: each.id, json: serializer.checkout(each) }));
  };
}
