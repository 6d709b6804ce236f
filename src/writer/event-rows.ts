/** Events as they are written: numbered, frozen, and on their way to everybody who wants them. */

import type { TenantTime } from '../checkout/tenant.ts';
import { eventBody } from '../events/envelope.ts';
import type { Cause, EventRow, SubjectId } from '../events/event.ts';
import { newId } from '../lib/id.ts';
import type { DeliveryRow } from '../webhooks/delivery.ts';
import { type Endpoint, receiverOf, selects } from '../webhooks/endpoint.ts';

export type NewEvent = {
  readonly type: string;
  /** JSON. */
  readonly data: string;
};

/** The changed session or endpoint. */
type Changed = {
  readonly id: SubjectId;
  readonly version: number;
  /** Number of events about it, including these. */
  readonly eventCount: number;
};

export function eventRows(
  subject: Changed,
  events: readonly NewEvent[],
  now: TenantTime,
  cause: Cause | null = null,
): EventRow[] {
  const firstSequence = subject.eventCount - events.length + 1;
  return events.map(({ type, data }, index) => {
    const id = newId('evt', now);
    const sequence = firstSequence + index;
    const body = eventBody(type, id, now, data, subject.version, sequence);
    return { id, type, subject: subject.id, sequence, createdAt: now, cause, body };
  });
}

/**
 * The deliveries of events: to the address that is named for each, if there is one, and to endpoints that want it. One
 * address at most: two on the same host would have the same ordering key, and the same place in it.
 */
export function deliveryRows(
  events: readonly EventRow[],
  endpoints: readonly Endpoint[],
  urlOf: (event: EventRow, index: number) => string = () => '',
): DeliveryRow[] {
  return events.flatMap((event, index) => {
    const { id, type, subject, sequence, createdAt } = event;
    const url = urlOf(event, index);
    const named = url === '' ? [] : [{ receiver: receiverOf(url), url }];
    // An endpoint hears nothing about itself: what says that it fails would fail as well.
    const wanting = endpoints.filter((each) => each.id !== subject && selects(each, type));
    const receivers = [...named, ...wanting.map((each) => ({ receiver: each.id, url: null }))];
    return receivers.map((receiver) => ({
      id: newId('whd', createdAt),
      event: id,
      subject,
      sequence,
      createdAt,
      ...receiver,
    }));
  });
}
