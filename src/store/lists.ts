/** Lists: the parts that are the same wherever they are read. */
import { inHundredths } from '../checkout/hundredths.ts';
import { StoreUnavailable } from './errors.ts';
import { serializedPage } from './page.ts';
import type { Checkouts } from './store.ts';

/** Turns of lists: how many may wait. */
export const listTurns = { maxWaiting: 1000, maxWaitingOfTenant: 250 };

export const tooManyLists = () => new StoreUnavailable('too many lists wait already');

/** The list as bytes, which are made where it was read. */
export function serialized(list: Checkouts['list']): Checkouts['listSerialized'] {
  return async (tenant, filter, page, { checkout, hundredths }) => {
    const found = await list(tenant, filter, page);
    return serializedPage(found, page, (each) => {
      const json = checkout(each);
      return { id: each.id, json: hundredths ? inHundredths(json) : json };
    });
  };
}
