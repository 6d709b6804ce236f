/** Brings events to a receiver on the developer's machine, one after the other, and shows what it says of each. */
import { setTimeout as pause } from 'node:timers/promises';
import { parseEvent } from '../../events/envelope.ts';
import { type FeedEvent, subjectOf } from './feed.ts';
import { forward, type Receipt } from './forward.ts';

/** An event with the cursors before and behind it. */
export type Placed = { readonly body: string; readonly before: string; readonly cursor: string };

/** One attempt to hand an event over, and its outcome. */
export type Attempt = {
  readonly event: FeedEvent;
  readonly cursor: string;
  readonly receipt: Receipt;
  readonly outcome: 'taken' | 'retried' | 'given_up' | 'stopped';
  /** The same for people, behind the event. */
  readonly text: readonly string[];
};

type Options = {
  readonly onAttempt: (attempt: Attempt) => void;
  readonly url: string;
  readonly secret: string;
  /** The developer has chosen the secret. */
  readonly isSecretGiven: boolean;
  readonly stop: AbortSignal;
};

/** Before an event is sent again that was not taken. After the last of them it stays behind in the feed. */
const PAUSES_MS = [500, 1000, 2000];
/** Between looks whether a receiver is there that was not. */
const LOOK_EVERY_MS = 500;
/** Answers of receivers that do not trust a signature. */
const UNTRUSTING: ReadonlyArray<number | null> = [400, 401, 403];

export function createHandOver({ url, secret, isSecretGiven, stop, onAttempt }: Options) {
  let isHinted = false;
  let givenUp = 0;
  let firstGivenUp = '';

  /** The answer of the receiver. One that is not there is waited for: that says nothing about the event. */
  async function answerOf(body: string, event: FeedEvent): Promise<Receipt & { readonly isNew: boolean }> {
    for (let isNew = false; ; isNew = true) {
      const receipt = await forward(url, secret, body, event);
      if (!receipt.isAbsent || stop.aborted) return { ...receipt, isNew };
      if (!isNew) console.error(`opentill: nobody answers at ${url} (${receipt.answer}); waiting for it`);
      await pause(LOOK_EVERY_MS, undefined, { signal: stop }).catch(() => {});
      if (stop.aborted) return { ...receipt, isNew };
    }
  }

  function hint(status: number | null): void {
    if (isHinted || !UNTRUSTING.includes(status)) return;
    isHinted = true;
    const which = isSecretGiven ? 'the secret that --secret gives' : 'the secret above';
    console.error(`opentill: does your receiver verify with ${which}? --secret takes another`);
  }

  /** False if it was stopped before the event was taken or given up. */
  async function take({ body, before, cursor }: Placed): Promise<boolean> {
    const event: FeedEvent = parseEvent(body);
    for (let tries = 0; ; tries++) {
      const { isNew, ...receipt } = await answerOf(body, event);
      const { isTaken, isAbsent, status, answer, durationMs } = receipt;
      if (isAbsent) return false;
      // One that has just been started has not had this event before.
      if (isNew) tries = 0;
      const pauseMs = PAUSES_MS[tries];
      const [outcome, next] = isTaken
        ? (['taken', ''] as const)
        : pauseMs === undefined
          ? (['given_up', ` (given up; again with --after ${before})`] as const)
          : stop.aborted
            ? (['stopped', ''] as const)
            : (['retried', ` (again in ${pauseMs / 1000} s)`] as const);
      const text = [...aboutEvent(event, cursor), `${durationMs} ms`, `${answer}${next}`];
      onAttempt({ event, cursor, receipt, outcome, text });
      if (isTaken) return true;
      hint(status);
      if (pauseMs === undefined) {
        if (givenUp++ === 0) firstGivenUp = before;
        return true;
      }
      await pause(pauseMs, undefined, { signal: stop }).catch(() => {});
      if (stop.aborted) return false;
    }
  }

  return {
    take,
    /** Count of the events given up, and the cursor before the first of them; null if there are none. */
    givenUp: () => (givenUp === 0 ? null : { count: givenUp, before: firstGivenUp }),
  };
}

/** The beginning of a line about an event. */
export function aboutEvent(event: FeedEvent, cursor: string): readonly string[] {
  return [event.created_at, event.type.padEnd(31), subjectOf(event), event.id, cursor];
}
