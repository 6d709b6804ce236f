/** Events in outline: what has happened, without the session as it was. A history of a hundred has one row each. */
import { dataOfEvent, withData } from './envelope.ts';
import type { EventRow } from './event.ts';

/** Data of an event in outline, as far as its type has them. */
export type Outline = {
  readonly id?: string;
  readonly kind?: string;
  readonly reference?: string;
  readonly payment_method_details?: { readonly type: string };
};

/** The event with the outline of its data. One that is in outline already stays as it is. */
export function outlined<E extends Pick<EventRow, 'type' | 'body'>>(event: E): E {
  return { ...event, body: withData(event.body, outlineOf(event)) };
}

/** Data of these types are the whole session, which is not even parsed: what stands around them is enough. */
export const ofSessions = /^(checkout|payin)\./;

function outlineOf({ type, body }: Pick<EventRow, 'type' | 'body'>): string {
  if (ofSessions.test(type)) return '{}';
  const { id, kind, reference, payment_method_details: details }: Outline = JSON.parse(dataOfEvent(body));
  return JSON.stringify({
    id,
    kind,
    reference,
    ...(details ? { payment_method_details: { type: details.type } } : {}),
  });
}
