/** The feed of a tenant: as events, and as the bytes of answers. */
import { inHundredths } from '../checkout/hundredths.ts';
import type { Tenant } from '../checkout/tenant.ts';
import type { FeedEvent } from '../events/event.ts';
import { createOneATurn } from '../lib/one-a-turn.ts';
import { CursorExpired } from './errors.ts';
import { PAGE_LENGTH } from './page.ts';
import { type FeedLength, feedLengths, feedOf, feedStart, type Stretch } from './resources/events.ts';
import type { Read, Run } from './resources/read.ts';
import type { Events, FeedPage, Form, SerializedEvent } from './store.ts';

/**
 * A look at the feed for some types only is bounded: rare ones may lie far apart, and while a database with a single
 * connection searches for them everybody else waits.
 */
const MAX_POSITIONS = 2_000;
/** Bytes that one read is to have: a millisecond of the thread that answers, behind which others have their turn. */
const READ_BYTES = 2 ** 17;

/** The parts of a feed that each database has in its own way. */
export type Feed = {
  /** Gives everything a position that was committed before the call. */
  extend(tenant: Tenant): Promise<void>;
  /** The last position, when that is done. */
  end(tenant: Tenant): Promise<number>;
  /** Reads and serializes events elsewhere than on the thread that answers. */
  serialize?(tenant: Tenant, read: Read<FeedEvent[]>, form: Form): Promise<readonly SerializedEvent[]>;
};

export function feedReads(
  run: Run,
  { extend, end, serialize }: Feed,
): Pick<Events, 'list' | 'listSerialized'> {
  /** Turns of reads of all readers. */
  const ownTurn = createOneATurn();

  async function begin(tenant: Tenant, types: readonly string[] | undefined, after: number, limit: number) {
    const most = limit + 1;
    if (types === undefined) {
      await extend(tenant);
      return { stretch: { after, most, wanted: null }, feedEnd: null };
    }
    const start = after || (await run(feedStart(tenant)));
    // The end comes first: what the feed has up to there is seen by the read behind it.
    const feedEnd = await end(tenant);
    const lookedTo = Math.max(start, Math.min(start + MAX_POSITIONS, feedEnd));
    return { stretch: { after: start, most, wanted: { types, lookedTo } }, feedEnd };
  }

  /** To be asked last: what was removed meanwhile may be missing in the page. */
  async function refuseExpired(tenant: Tenant, after: number): Promise<void> {
    if (after > 0 && after < (await run(feedStart(tenant)))) throw new CursorExpired();
  }

  /** Serializes the events of a stretch that are so long, a few in each turn. */
  async function inTurns(
    tenant: Tenant,
    stretch: Stretch,
    lengths: readonly FeedLength[],
    { hundredths }: Form,
  ): Promise<SerializedEvent[]> {
    const rows: SerializedEvent[] = [];
    let { after } = stretch;
    for (const step of stepsOf(lengths)) {
      await ownTurn();
      const found = await run(feedOf(tenant, { ...stretch, after, most: step.length }));
      for (const { position, type, body } of found) {
        rows.push({ position, type, json: Buffer.from(hundredths ? inHundredths(body) : body) });
      }
      after = step.at(-1)?.position ?? after;
    }
    return rows;
  }

  return {
    async list(tenant, { types }, after, limit) {
      const { stretch, feedEnd } = await begin(tenant, types, after, limit);
      const found = await run(feedOf(tenant, stretch));
      await refuseExpired(tenant, after);
      return pageOf(found, limit, stretch, feedEnd);
    },

    async listSerialized(tenant, { types }, after, limit, form) {
      const { stretch, feedEnd } = await begin(tenant, types, after, limit);
      const lengths = await run(feedLengths(tenant, stretch));
      const fitting = fittingIn(lengths.slice(0, limit));
      const page = pageOf(lengths, fitting, stretch, feedEnd);
      const bytes = page.rows.reduce((sum, { bytes }) => sum + bytes, 0);
      const rows =
        serialize !== undefined && bytes > READ_BYTES
          ? await serialize(tenant, feedOf(tenant, { ...stretch, most: fitting }), form)
          : await inTurns(tenant, stretch, page.rows, form);
      await refuseExpired(tenant, after);
      return { ...page, rows };
    },
  };
}

/** Number of events after which a page ends. */
function fittingIn(lengths: readonly FeedLength[]): number {
  let all = 0;
  const last = lengths.findIndex(({ bytes }) => {
    all += bytes;
    return all >= PAGE_LENGTH;
  });
  return last < 0 ? lengths.length : last + 1;
}

/** Events that one read is to have, at least one each. */
function stepsOf(lengths: readonly FeedLength[]): FeedLength[][] {
  const steps: FeedLength[][] = [];
  let left = 0;
  for (const each of lengths) {
    left -= each.bytes;
    const step = steps.at(-1);
    if (step !== undefined && left >= 0) step.push(each);
    else {
      steps.push([each]);
      left = READ_BYTES - each.bytes;
    }
  }
  return steps;
}

/** `found` has more than `limit` where there are so many; `feedEnd` is null where nothing else bounds the look. */
function pageOf<E extends { readonly position: number }>(
  found: readonly E[],
  limit: number,
  { after, wanted }: Stretch,
  feedEnd: number | null,
): FeedPage<E> {
  const rows = found.slice(0, limit);
  const lookedTo = wanted?.lookedTo ?? found.at(-1)?.position ?? after;
  if (found.length > limit) return { rows, hasMore: true, position: rows.at(-1)?.position ?? lookedTo };
  return { rows, hasMore: feedEnd !== null && lookedTo < feedEnd, position: lookedTo };
}
