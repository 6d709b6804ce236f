/**
 * How far one look at the feed goes. A look for some types only is bounded: rare ones may lie far apart, and while a
 * database with a single connection searches for them everybody else waits.
 */

import type { FeedEvent } from '../events/event.ts';
import type { FeedPage } from './store.ts';

const MAX_POSITIONS = 2_000;

/** The last position that is looked at, where all up to `begin` have been and the feed ends at `end`. */
export function lookEnd(begin: number, end: number): number {
  return Math.max(begin, Math.min(begin + MAX_POSITIONS, end));
}

/** `found` has one more than `limit` where there are so many up to `lookedTo`. */
export function feedPage(
  found: readonly FeedEvent[],
  limit: number,
  { lookedTo, end }: { lookedTo: number; end: number },
): FeedPage {
  const rows = found.slice(0, limit);
  if (found.length > limit) return { rows, hasMore: true, position: rows.at(-1)?.position ?? lookedTo };
  return { rows, hasMore: lookedTo < end, position: lookedTo };
}
