/** Provider events: by the references of their rails, and those that are due. */
import type { Tenant, TenantTime } from '../../checkout/tenant.ts';
import type { ProviderEvent } from '../../methods/provider-event.ts';
import { checksumIn, sound } from '../checksum.ts';
import { byKey, load, locked } from '../loads.ts';
import { raw, sql } from '../sql.ts';
import { columnsIn } from '../tables.ts';
import { rowOf } from '../writes.ts';
import { amongRails, type RailReference, railKey } from './rail-reference.ts';
import { all, indexedBy, owned, type Read } from './read.ts';

const columns = sql`${raw(columnsIn('provider_event'))}${checksumIn('provider_event')}`;

const eventFrom = (row: ProviderEvent): ProviderEvent => sound('provider_event', row);

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
  read: (tenant, references: readonly RailReference[]) =>
    byKey(
      sql`SELECT ${columns} FROM ${amongRails('provider_event', references)}
          WHERE ${owned(tenant)}${locked('rail, reference', 'UPDATE', 'provider_event')}`,
      (row: ProviderEvent) => [railKey(row), eventFrom(row)],
    ),
  apply(known, { providerEvent }: { readonly providerEvent?: ProviderEvent }) {
    if (providerEvent) known.set(railKey(providerEvent), providerEvent);
  },
});

export const providerEvents = {
  listDue: (tenant: Tenant, now: TenantTime, limit: number): Read<ProviderEvent[]> =>
    all(
      sql`SELECT ${columns} FROM provider_event${indexedBy('provider_event_due')}
          WHERE ${owned(tenant)} AND due_at <= ${now} ORDER BY due_at LIMIT ${limit}`,
      eventFrom,
      'look',
    ),
};
