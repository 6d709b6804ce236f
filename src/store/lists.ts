/** Lists: the parts that are the same wherever they are read. */
import { inHundredths } from '../checkout/hundredths.ts';
import type { Serializer } from '../checkout/serializer.ts';
import type { Checkout } from '../checkout/session.ts';
import { StoreUnavailable } from './errors.ts';
import { serializedPage } from './page.ts';
import type { Checkouts, Form } from './store.ts';

/** Turns of lists: how many may wait. */
export const listTurns = { maxWaiting: 1000, maxWaitingOfTenant: 250 };

export const tooManyLists = () => new StoreUnavailable('too many lists wait already');

/** Time of a turn in which sessions are read or made one by one: one that is long takes three milliseconds. */
export const TURN_MS = 1;

/** A session as it is in an answer. */
export function serializerOf({ checkout: serialize, hundredths }: Pick<Serializer, 'checkout'> & Form) {
  return (checkout: Checkout) => {
    const json = serialize(checkout);
    return { id: checkout.id, json: hundredths ? inHundredths(json) : json };
  };
}

/** The list as bytes, which are made where it was read. */
export function serialized(list: Checkouts['list']): Checkouts['listSerialized'] {
  return async (tenant, filter, page, form) =>
    serializedPage(await list(tenant, filter, page), page, serializerOf(form));
}
