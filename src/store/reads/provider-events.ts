/** Provider events: by the references of their rails, and those that are due. */
import type { Tenant, TenantTime } from '../../checkout/tenant.ts';
import type { ProviderEvent } from '../../methods/provider-event.ts';
import { raw, sql } from '../sql.ts';
import { columnsIn } from '../tables.ts';
import { rowOf } from '../writes.ts';
import { all, asItIs, indexedBy, one, owned, type Read } from './read.ts';

const columns = raw(columnsIn('provider_event'));

/** Only what became of an event changes. */
export const writeProviderEvent = rowOf('provider_event', (event: ProviderEvent) => event, {
  sets: ['state', 'dueAt', 'tries'],
  by: 'reference',
});

export const providerEvents = {
  fetchByReference: (tenant: Tenant, rail: string, reference: string): Read<ProviderEvent | null> =>
    one(
      sql`SELECT ${columns} FROM provider_event
          WHERE ${owned(tenant)} AND rail = ${rail} AND reference = ${reference}`,
      asItIs<ProviderEvent>,
    ),

  listDue: (tenant: Tenant, now: TenantTime, limit: number): Read<ProviderEvent[]> =>
    all(
      sql`SELECT ${columns} FROM provider_event${indexedBy('provider_event_due')}
          WHERE ${owned(tenant)} AND due_at <= ${now} ORDER BY due_at LIMIT ${limit}`,
      asItIs<ProviderEvent>,
      'look',
    ),
};
