/** Endpoints and failing receivers. */
import type { Tenant } from '../../checkout/tenant.ts';
import type { Endpoint } from '../../webhooks/endpoint.ts';
import type { Health } from '../../webhooks/health.ts';
import { byKey, load, locked } from '../loads.ts';
import { isAnyOf, raw, sql } from '../sql.ts';
import { columnsIn, type Row } from '../tables.ts';
import { type Edit, writeOf } from '../writes.ts';
import { one, owned, type Read } from './read.ts';

/** `after` is null for one that was deleted. */
export type EndpointChange = { readonly before: Endpoint | null; readonly after: Endpoint | null };
/** A receiver that fails, or with null: that does so no longer. */
export type ReceiverChange = { readonly id: string; readonly health: Health | null };

export function endpointFrom(tenant: Tenant, { data, ...row }: Row<'webhook_endpoint'>): Endpoint {
  return { ...JSON.parse(data), ...row, tenant };
}

function endpointRow({ id, tenant, version, eventCount, ...data }: Endpoint): Row<'webhook_endpoint'> {
  return { id, version, eventCount, data: JSON.stringify(data) };
}

export const writeEndpoints = writeOf(
  'webhook_endpoint',
  (changes: readonly EndpointChange[]) =>
    changes.flatMap(({ before, after }): Edit[] => {
      if (after !== null) return [{ put: endpointRow(after) }];
      return before === null ? [] : [{ gone: { id: before.id } }];
    }),
  { sets: 'all' },
);

export function healthFrom({ id, ...health }: Row<'webhook_receiver'>): Health {
  return health;
}

export const writeReceivers = writeOf(
  'webhook_receiver',
  (changes: readonly ReceiverChange[]) =>
    changes.map(({ id, health }) => (health === null ? { gone: { id } } : { put: { id, ...health } })),
  { sets: 'all' },
);

const health = raw(columnsIn('webhook_receiver'));

export function endpointList({ account, mode }: Tenant): Read<Endpoint[]> {
  const tenant = { account, mode };
  return {
    sql: sql`SELECT ${raw(columnsIn('webhook_endpoint'))} FROM webhook_endpoint WHERE ${owned(tenant)} ORDER BY id`,
    by: 'key',
    from: (rows) => rows.map((row) => endpointFrom(tenant, row as Row<'webhook_endpoint'>)),
  };
}

export function healthOf(tenant: Tenant, receiver: string): Read<Health | null> {
  return one(
    sql`SELECT ${health} FROM webhook_receiver WHERE ${owned(tenant)} AND id = ${receiver}`,
    healthFrom,
  );
}

type Change = { readonly receivers?: readonly ReceiverChange[] };
const entryOf = (row: Row<'webhook_receiver'>) => [row.id, healthFrom(row)] as const;

/** Health of receivers that fail. Their ordering keys keep others away meanwhile. */
export const loadReceivers = load({
  keyOf: (id: string) => id,
  read: (tenant, ids) =>
    byKey(
      sql`SELECT ${health} FROM webhook_receiver WHERE ${owned(tenant)} AND ${isAnyOf('id', ids)}${locked('id')}`,
      entryOf,
    ),
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
    byKey(sql`SELECT ${health} FROM webhook_receiver WHERE ${owned(tenant)}`, entryOf),
};
