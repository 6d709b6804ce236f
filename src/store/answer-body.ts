/**
 * The body of a stored answer. An answer to a change holds the session as the event of that change holds it, so only
 * what stands before the session is kept, and which event it is: half of what a change writes would be there
 * twice. Whoever erases a person from events has erased it from such answers too.
 */
import type { EventRow } from '../events/event.ts';

const DATA = '"data":';
/** What follows the data in the frozen body of an event. */
const BEHIND_DATA = ',"version":';

/** Which of the events has the data of this answer's body: its index, or -1. */
export function eventWithDataOf(body: string, events: readonly EventRow[]): number {
  const data = body.slice(startOfData(body), -1);
  return events.findIndex((event) => dataOf(event.body) === data);
}

/** What of the body is kept beside the event. */
export function beforeData(body: string): string {
  return body.slice(0, startOfData(body));
}

/** The body again, from what was kept and the body of the event. */
export function wholeBody(kept: string, eventBody: string): string {
  return `${kept}${dataOf(eventBody)}}`;
}

function dataOf(eventBody: string): string {
  return eventBody.slice(startOfData(eventBody), eventBody.lastIndexOf(BEHIND_DATA));
}

function startOfData(body: string): number {
  return body.indexOf(DATA) + DATA.length;
}
