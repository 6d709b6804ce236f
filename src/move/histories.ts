/**
 * SQLite keeps the history of a session as a chain of events, PostgreSQL by their numbers. The chain is not copied, so
 * it is held against the numbers instead.
 */
import type { Source } from './source.ts';

const EXAMPLES = 3;

/** An event comes after the one with the number before its own, and the first after none. */
const brokenLinks = `
  SELECT event.checkout AS id FROM event LEFT JOIN event AS before
    ON before.account = event.account AND before.live = event.live AND before.position = event.previous
  WHERE iif(event.sequence = 1, event.previous <> 0,
            before.checkout IS NOT event.checkout OR before.sequence IS NOT event.sequence - 1)
  LIMIT ${EXAMPLES}`;

/** A session ends its chain with as many events as it has had. */
const brokenEnds = `
  SELECT checkout.id FROM checkout LEFT JOIN event
    ON event.account = checkout.account AND event.live = checkout.live AND event.position = checkout.last_event
  WHERE coalesce(event.sequence, 0) <> checkout.event_count OR event.checkout IS NOT iif(event_count = 0, NULL, checkout.id)
  LIMIT ${EXAMPLES}`;

/** Sessions whose history would be another one in PostgreSQL, in words. */
export function brokenHistories(source: Source): string[] {
  const ids = [brokenLinks, brokenEnds].flatMap((query) => source.all(query).map(({ id }) => String(id)));
  return [...new Set(ids)].map((id) => `the events of ${id} do not follow each other`);
}
