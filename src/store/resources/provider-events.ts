/** Provider events: by the references of their rails, and those that are due. */
import type { Tenant } from '../../checkout/tenant.ts';
import {
  type ProviderEvent,
  type ProviderEventId,
  type ProviderEventState,
  type WaitingEvent,
  waitingEvent,
} from '../../methods/provider-event.ts';
import { byKey, counterIn, load, locking } from '../loads.ts';
import type { Page, PageRequest } from '../page.ts';
import { isAnyOf, raw, sql } from '../sql.ts';
import { rowOf } from '../writes.ts';
import { amongRails, type RailReference, railKey } from './rail-reference.ts';
import {
  all,
  asItIs,
  boundsOf,
  indexedBy,
  inTime,
  lengthOf,
  owned,
  pageOf,
  type Read,
  word,
} from './read.ts';
import { thingsIn } from './things.ts';

const events = thingsIn('provider_event', (row): ProviderEvent => row);

/** Only what became of an event changes. */
export const writeProviderEvent = rowOf('provider_event', (event: ProviderEvent) => event, {
  sets: ['state', 'dueAt', 'tries', 'reason'],
  by: 'reference',
});

/**
 * Events that may change or come to be. One that nobody has written yet cannot be locked: of two who do so its index
 * refuses the second, who tries again.
 */
export const loadProviderEvents = load({
  keyOf: railKey,
  counted: 'provider_event',
  read: (tenant, references: readonly RailReference[]) =>
    byKey(
      sql`SELECT ${events.columns}${counterIn('provider_event')} FROM ${amongRails('provider_event', references)}
          WHERE ${owned(tenant)}`,
      (row: ProviderEvent) => [railKey(row), events.thing(row)],
    ),
  lock: (tenant, references) =>
    locking(sql`${amongRails('provider_event', references)} WHERE ${owned(tenant)}`, 'rail, reference', {
      table: 'provider_event',
    }),
  apply(known, { providerEvent }: { readonly providerEvent?: ProviderEvent }) {
    if (providerEvent) known.set(railKey(providerEvent), providerEvent);
  },
});

/** A provider event as evidence: the provider's own id of it, and what it was about. */
export type ProviderNews = Pick<ProviderEvent, 'id' | 'reference' | 'attemptReference' | 'paymentReference'>;

/** Those that are done are many, and nobody asks for them. */
export type ProviderEventFilter = { readonly state: Exclude<ProviderEventState, 'done'> };

const indexes = { open: 'provider_event_open', waiting: 'provider_event_due' } as const;

export const providerEvents = {
  listDue: events.listDue,

  /** One that is not done. */
  fetch: (tenant: Tenant, id: ProviderEventId): Read<WaitingEvent | null> => {
    const read = events.fetch(tenant, 'id', id, [raw("state <> 'done'")]);
    const found = (event: ProviderEvent | null) => (event === null ? null : waitingEvent(event));
    return { ...read, from: (rows) => found(read.from(rows)) };
  },

  /** Those with one of these ids, which are no more than a page of the history has. */
  named: (tenant: Tenant, ids: readonly ProviderEventId[]): Read<ProviderNews[]> =>
    all(
      sql`SELECT ${news} FROM provider_event WHERE ${owned(tenant)} AND ${isAnyOf('id', ids)}`,
      asItIs<ProviderNews>,
    ),

  /** Events that wait for a person, or to be looked at again. The latter are few, and put in order when they are asked for. */
  list(tenant: Tenant, { state }: ProviderEventFilter, page: PageRequest): Read<Page<WaitingEvent>> {
    const isDue = state === 'waiting' ? [raw('due_at IS NOT NULL')] : [];
    const read = pageOf(
      {
        select: sql`SELECT ${events.columns} FROM provider_event${indexedBy(indexes[state])}`,
        conditions: [owned(tenant), sql`state = ${word(state)}`, ...isDue, inTime()],
        bounds: boundsOf({ prefix: 'pev' }, page),
        length: raw('octet_length(body)'),
        row: (row: ProviderEvent): WaitingEvent => waitingEvent(events.thing(row)),
        searches: tenant,
      },
      page,
    );
    const measured = (rows: readonly object[]) =>
      rows.slice(0, page.limit).reduce((sum, row) => sum + lengthOf(row), 0);
    return { ...read, from: (rows) => ({ ...read.from(rows), length: measured(rows) }) };
  },
};

const news = raw(
  'id, reference, attempt_reference AS "attemptReference", payment_reference AS "paymentReference"',
);
