/** Provider events: by the references of their rails, and those that are due. */
import type { ProviderEvent } from '../../methods/provider-event.ts';
import { byKey, counterIn, load, locking } from '../loads.ts';
import { sql } from '../sql.ts';
import { rowOf } from '../writes.ts';
import { amongRails, type RailReference, railKey } from './rail-reference.ts';
import { owned } from './read.ts';
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

export const providerEvents = { listDue: events.listDue };
