/**
 * The body of a stored answer. An answer to a change ends with the session as the event of that change holds it, so only
 * what stands before the session is kept, and which event it is: half of what a change writes would be there twice.
 * Redacting the event redacts such an answer, too.
 */
import { dataOfEvent } from '../events/envelope.ts';
import type { EventRow } from '../events/event.ts';

/** Closes the envelope of an answer behind its data. */
const END = '}';

export type KeptAnswer = {
  /** Part of the body that is kept beside the event; all of it if there is none. */
  readonly kept: string;
  /** Index of the event with which the body ends, or -1. */
  readonly event: number;
};

export function keptAnswer(body: string, events: readonly EventRow[]): KeptAnswer {
  const end = body.length - END.length;
  if (body.endsWith(END)) {
    for (const [event, row] of events.entries()) {
      const data = dataOfEvent(row.body);
      // Compared as a whole: `endsWith` goes from character to character, which takes longer than all of the rest here.
      const start = end - data.length;
      if (body.slice(start, end) === data) return { kept: body.slice(0, start), event };
    }
  }
  return { kept: body, event: -1 };
}

/** The body again, from what was kept and the body of the event. */
export function wholeBody(kept: string, eventBody: string): string {
  return `${kept}${dataOfEvent(eventBody)}${END}`;
}
