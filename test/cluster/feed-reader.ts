/** Follows the feed of events at one instance, and notes the order in which they come. */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { authorization } from './cluster.ts';

const PAUSE_MS = 20;

type Event = {
  readonly id: string;
  readonly sequence: number;
  readonly data: { id: string; payin?: string };
};

export type FeedReader = ReturnType<typeof followFeed>;

export function followFeed(url: string) {
  const ids: string[] = [];
  const sequences = new Map<string, number>();
  const mistakes: string[] = [];
  const end = new AbortController();
  let notify = () => {};

  function take({ id, sequence, data }: Event): void {
    const checkout = data.payin ?? data.id;
    const expected = (sequences.get(checkout) ?? 0) + 1;
    if (sequence !== expected) mistakes.push(`${id} is event ${sequence} of ${checkout}, not ${expected}`);
    sequences.set(checkout, sequence);
    ids.push(id);
  }

  async function follow(): Promise<void> {
    for (let cursor = '0'; !end.signal.aborted; ) {
      const page = await ask(`${url}/v3/event?limit=100&after=${cursor}`);
      for (const event of page?.data ?? []) take(event);
      cursor = page?.next_cursor ?? cursor;
      notify();
      if (!page?.has_more) await pause(PAUSE_MS);
    }
  }
  const ended = follow();

  return {
    ids,
    /** Events that came twice or out of order. */
    mistakes,
    /** Resolves when so many events have come. */
    until: (count: number) =>
      new Promise<void>((resolve) => {
        notify = () => {
          if (ids.length >= count) resolve();
        };
        notify();
      }),
    async stop(): Promise<void> {
      end.abort();
      await ended;
    },
  };
}

type Page = { readonly data: Event[]; readonly next_cursor: string | null; readonly has_more: boolean };

/** Null if the instance is gone, or cannot answer now. */
async function ask(url: string): Promise<Page | null> {
  const response = await fetch(url, { headers: { authorization } }).catch(() => null);
  if (response === null || response.status === 503) return null;
  assert.equal(response.status, 200, 'the feed is answered');
  return response.json().catch(() => null) as Promise<Page | null>;
}
