/** Provider events: by the references of their rails, and those that are due. */
import type { Tenant } from '../../checkout/tenant.ts';
import type { ProviderEvent } from '../../methods/provider-event.ts';
import { byKey, counterIn, load, locking } from '../loads.ts';
import { isAnyOf, raw, sql } from '../sql.ts';
import { rowOf } from '../writes.ts';
import { amongRails, type RailReference, railKey } from './rail-reference.ts';
import { all, indexedBy, owned, type Read } from './read.ts';
import { thingsIn } from './things.ts';

const events = thingsIn('provider_event', (row): ProviderEvent => row);

/** Only what became of an event changes. */
export const writeProviderEvent = rowOf('provider_event', (event: ProviderEvent) => event, {
  sets: ['state', 'dueAt', 'tries'],
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

/** A provider event without its body: what it was about, and when it came. */
export type ProviderNews = Omit<ProviderEvent, 'body' | 'state' | 'dueAt' | 'tries'>;

/** More than rails send about the attempts of a session. */
const MOST_NEWS = 500;

export const providerEvents = {
  listDue: events.listDue,

  /** Those about attempts or payments with one of these references, the newest first. */
  listAbout(tenant: Tenant, references: readonly string[]): Read<ProviderNews[]> {
    const by = (name: 'attempt' | 'payment') =>
      sql`SELECT ${news} FROM provider_event${indexedBy(`provider_event_${name}`)}
        WHERE ${owned(tenant)} AND ${raw(`${name}_reference`)} IS NOT NULL AND ${isAnyOf(`${name}_reference`, references)}`;
    return {
      ...all(
        sql`SELECT * FROM (${by('attempt')} UNION ${by('payment')}) AS about ORDER BY id DESC LIMIT ${raw(`${MOST_NEWS}`)}`,
        (row: ProviderNews) => ({ ...row, receivedAt: Number(row.receivedAt) }),
        'list',
      ),
      tenant,
    };
  },
};

const news = raw(
  'id, rail, reference, received_at AS "receivedAt", attempt_reference AS "attemptReference", payment_reference AS "paymentReference"',
);
