/** The part of the oracle that knows what may be forgotten, and what has to be. */
import { DatabaseSync } from 'node:sqlite';
import type { Clock, Due, Made, WrittenEvent } from './webhook-oracle.ts';

/** Settings of the simulation: the shortest that the service takes. */
export const DELIVERY_DAYS = 4;
export const EVENT_DAYS = 5;
export const DAY_MS = 24 * 3_600_000;
const ANSWERS_AT_LEAST_MS = DAY_MS;
/** Grace for old rows: they are gone a day later, and the longest wait of a history is longer than that. */
const LEFT_FOR_MS = 27 * 3_600_000;

/** An answer that is kept for repetitions. */
export type Kept = Made & { readonly hash: string; readonly body: string };

type Known = {
  readonly deliveries: ReadonlyMap<string, Due>;
  readonly events: readonly WrittenEvent[];
  /** Stored answers by tenant, operation and key. */
  readonly kept: ReadonlyMap<string, Kept>;
};

/** The rows that are still stored. */
function storedIn(path: string) {
  const database = new DatabaseSync(path, { readOnly: true });
  const all = (sql: string) =>
    new Set(
      database
        .prepare(sql)
        .all()
        .map(({ id }) => String(id)),
    );
  const stored = {
    deliveries: all('SELECT id FROM delivery'),
    events: all('SELECT id FROM event'),
    answers: all(`SELECT account || ' ' || iif(live, 'live', 'test') || ' ' || operation || ' ' ||
      idempotency_key AS id FROM idempotency`),
  };
  database.close();
  return stored;
}

/** Age in real time: the clock of test data is for rules and webhooks. One that was set back has nothing kept longer. */
export function ageOf({ at, elapsed }: Made, clock: Pick<Clock, 'realNow' | 'elapsed'>): number {
  return Math.max(clock.realNow() - at, clock.elapsed() - elapsed);
}

export function createRetentionOracle(
  path: string,
  { deliveries, events, kept }: Known,
  clock: Clock,
  fault: (text: string) => void,
) {
  const forgotten = new Set<Kept>();
  const hasAge = ({ made }: { readonly made: Made }, days: number) => ageOf(made, clock) >= days * DAY_MS;
  const inDays = (made: Made) => `${(ageOf(made, clock) / DAY_MS).toFixed(2)} days`;

  /** Something was removed: nothing of it too early, and events from the front of the feed. */
  function removed(): void {
    const stored = storedIn(path);
    for (const due of deliveries.values()) {
      if (due.isForgotten || stored.deliveries.has(due.id)) continue;
      due.isForgotten = true;
      if (!due.isOver) fault(`${due.id} is forgotten, and is not over`);
      if (!hasAge(due, DELIVERY_DAYS)) fault(`${due.id} is forgotten after ${inDays(due.made)}`);
    }
    const needed = new Set<string>(
      [...deliveries.values()].filter((due) => !due.isForgotten).map((due) => due.event),
    );
    const staying = new Set<string>();
    for (const event of events) {
      if (stored.events.has(event.id)) staying.add(event.tenant);
      else if (!event.isForgotten) {
        event.isForgotten = true;
        if (needed.has(event.id)) fault(`${event.id} is forgotten, and one of its deliveries is not`);
        if (staying.has(event.tenant)) fault(`${event.id} is forgotten, and one in front of it is not`);
        if (!hasAge(event, EVENT_DAYS)) fault(`${event.id} is forgotten after ${inDays(event.made)}`);
      }
    }
    for (const [name, answer] of kept) {
      if (forgotten.has(answer) || stored.answers.has(name)) continue;
      forgotten.add(answer);
      if (ageOf(answer, clock) < ANSWERS_AT_LEAST_MS)
        fault(`the answer to ${name} is forgotten after ${inDays(answer)}`);
    }
  }

  /** Reports rows left for much longer than the settings say. */
  function left(): void {
    const stored = storedIn(path);
    const isLeft = (made: Made, days: number) => clock.realNow() - made.at > days * DAY_MS + LEFT_FOR_MS;
    for (const { id, made } of deliveries.values())
      if (stored.deliveries.has(id) && isLeft(made, DELIVERY_DAYS)) fault(`${id} is never forgotten`);
    for (const { id, made } of events)
      if (stored.events.has(id) && isLeft(made, EVENT_DAYS)) fault(`${id} is never forgotten`);
    for (const [name, answer] of kept)
      if (stored.answers.has(name) && isLeft(answer, 1)) fault(`the answer to ${name} is never forgotten`);
  }

  return { removed, left };
}
