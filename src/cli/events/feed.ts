/** The feed of events, read in pages. Its cursors are numbers that grow. */
import type { EventEnvelope } from '../../events/envelope.ts';
import { type Client, Refused } from '../client.ts';

export type FeedEvent = EventEnvelope<{
  readonly id: string;
  readonly object: string;
  readonly payin?: string;
}>;

/** The session, or whatever else the event is about. */
export function subjectOf({ data }: FeedEvent): string {
  return data.payin ?? data.id;
}

/** The cursor behind the last event that there is now. */
export async function endOfFeed(client: Client): Promise<string> {
  const { cursor } = await client.page('/event', { after: 'latest', limit: '1' });
  return cursor ?? '0';
}

/**
 * All events from this time on, oldest first, in pages. They stand in the order in which they were written, which is
 * that of their times up to the moment that a request took, so the search begins a little earlier than it has to.
 */
export async function* eventsSince(client: Client, sinceMs: number): AsyncGenerator<readonly FeedEvent[]> {
  const earlierMs = sinceMs - 60_000;
  let after = await firstCursor(client, ({ created_at }) => Date.parse(created_at) < earlierMs);
  for (let hasMore = true; hasMore; ) {
    const page = await client.page<FeedEvent>('/event', { after, limit: '100' });
    yield page.data.filter(({ created_at }) => Date.parse(created_at) >= sinceMs);
    after = page.cursor ?? after;
    hasMore = page.hasMore;
  }
}

/**
 * The smallest cursor behind which there is no event that `isBefore`: none of those that the feed still has, and not
 * of those that it has forgotten. A feed can be long, and can be asked by cursor only, so the search halves it.
 */
async function firstCursor(client: Client, isBefore: (event: FeedEvent) => boolean): Promise<string> {
  async function goesOn(cursor: number): Promise<boolean> {
    try {
      const { data } = await client.page<FeedEvent>('/event', { after: String(cursor), limit: '1' });
      return data[0] !== undefined && isBefore(data[0]);
    } catch (error) {
      // The events behind this cursor are not kept any more.
      if (error instanceof Refused && error.status === 410) return true;
      throw error;
    }
  }

  if (!(await goesOn(0))) return '0';
  let low = 0;
  let high = Math.max(Number(await endOfFeed(client)), 1);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await goesOn(middle)) low = middle;
    else high = middle;
  }
  return String(high);
}
