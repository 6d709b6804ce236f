/**
 * SQLite keeps the history of a session as a chain of events, PostgreSQL by their numbers. The chain is not copied but
 * compared with the numbers. Where the front of the feed was removed, a chain may end at an event before its start.
 */
import type { Source } from './source.ts';

const EXAMPLES = 3;

const start = 'LEFT JOIN feed_start AS start ON start.account = own.account AND start.live = own.live';
const isGone = (position: string) => `${position} BETWEEN 1 AND coalesce(start.position, 0)`;

/** Events whose predecessor is not the one with the number before theirs. */
const brokenLinks = `
  SELECT own.subject AS id FROM event AS own
  LEFT JOIN event AS before
    ON before.account = own.account AND before.live = own.live AND before.position = own.previous
  ${start}
  WHERE own.subject LIKE 'chk#_%' ESCAPE '#' AND CASE
    WHEN own.sequence = 1 THEN own.previous <> 0
    WHEN ${isGone('own.previous')} THEN before.id IS NOT NULL
    ELSE before.subject IS NOT own.subject OR before.sequence IS NOT own.sequence - 1 END
  LIMIT ${EXAMPLES}`;

/** Sessions whose newest event does not have the number of events they have had. */
const brokenEnds = `
  SELECT own.id FROM checkout AS own
  LEFT JOIN event ON event.account = own.account AND event.live = own.live AND event.position = own.last_event
  ${start}
  WHERE CASE
    WHEN ${isGone('own.last_event')} THEN event.id IS NOT NULL
    ELSE coalesce(event.sequence, 0) <> own.event_count
      OR event.subject IS NOT iif(own.event_count = 0, NULL, own.id) END
  LIMIT ${EXAMPLES}`;

/** Sessions whose history would differ in PostgreSQL, in words. */
export function brokenHistories(source: Source): string[] {
  const ids = [brokenLinks, brokenEnds].flatMap((query) => source.all(query).map(({ id }) => String(id)));
  return [...new Set(ids)].map((id) => `the events of ${id} do not follow each other`);
}
