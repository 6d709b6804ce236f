/** Endpoints and failing receivers. */
import type { Tenant } from '../../checkout/tenant.ts';
import type { Endpoint } from '../../webhooks/endpoint.ts';
import type { Health } from '../../webhooks/health.ts';
import { byKey, load } from '../loads.ts';
import { raw, sql } from '../sql.ts';
import { columnsIn, type Row } from '../tables.ts';
import { type Edit, writeOf } from '../writes.ts';
import { all, owned, type Read } from './read.ts';
import { thingsIn } from './things.ts';

/** `after` is null for one that was deleted. */
export type EndpointChange = { readonly before: Endpoint | null; readonly after: Endpoint | null };
/** A receiver that fails, or with null: that does so no longer. */
export type ReceiverChange = { readonly id: string; readonly health: Health | null };

export function endpointFrom(tenant: Tenant, { data, ...row }: Row<'webhook_endpoint'>): Endpoint {
  return { ...JSON.parse(data), ...row, tenant };
}

function endpointRow({ id, tenant, version, eventCount, slot, ...data }: Endpoint): Row<'webhook_endpoint'> {
  return { id, version, eventCount, slot, data: JSON.stringify(data) };
}

export const writeEndpoints = writeOf(
  'webhook_endpoint',
  (changes: readonly EndpointChange[]) =>
    changes.flatMap(({ before, after }): Edit[] => {
      if (after !== null) return [{ put: endpointRow(after) }];
      return before === null ? [] : [{ gone: { id: before.id } }];
    }),
  { sets: 'all', by: 'slot' },
);

const failing = thingsIn('webhook_receiver', ({ id, ...health }): Health => health);

export const healthFrom = failing.thing;

export const healthOf = (tenant: Tenant, receiver: string) => failing.fetch(tenant, 'id', receiver);

export const writeReceivers = writeOf(
  'webhook_receiver',
  (changes: readonly ReceiverChange[]) =>
    changes.map(({ id, health }) => (health === null ? { gone: { id } } : { put: { id, ...health } })),
  { sets: 'all' },
);

export const endpointList = ({ account, mode }: Tenant): Read<Endpoint[]> =>
  all(
    sql`SELECT ${raw(columnsIn('webhook_endpoint'))} FROM webhook_endpoint
        WHERE ${owned({ account, mode })} ORDER BY id`,
    (row: Row<'webhook_endpoint'>) => endpointFrom({ account, mode }, row),
  );

type Change = { readonly receivers?: readonly ReceiverChange[] };

/** Health of receivers that fail. Their ordering keys keep others away meanwhile. */
export const loadReceivers = load({
  keyOf: (id: string) => id,
  ...failing.loadedBy('id'),
  apply(known, { receivers = [] }: Change) {
    for (const { id, health } of receivers) {
      if (health === null) known.delete(id);
      else known.set(id, health);
    }
  },
  isShared: true,
});

export const receivers = {
  listFailing: (tenant: Tenant): Read<ReadonlyMap<string, Health>> =>
    byKey(
      sql`SELECT ${failing.columns} FROM webhook_receiver WHERE ${owned(tenant)}`,
      (row: Row<'webhook_receiver'>) => [row.id, failing.thing(row)],
    ),
};
