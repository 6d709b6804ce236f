/** Endpoints and failing receivers. */
import type { Tenant } from '../../checkout/tenant.ts';
import type { Endpoint } from '../../webhooks/endpoint.ts';
import type { Health } from '../../webhooks/health.ts';
import { endpointFrom, healthFrom } from '../rows.ts';
import { raw, sql } from '../sql.ts';
import { columnsIn, type Row } from '../tables.ts';
import { one, owned, type Read } from './read.ts';

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

export const receivers = {
  listFailing: (tenant: Tenant): Read<ReadonlyMap<string, Health>> => ({
    sql: sql`SELECT ${health} FROM webhook_receiver WHERE ${owned(tenant)}`,
    by: 'key',
    from: (rows) =>
      new Map((rows as readonly Row<'webhook_receiver'>[]).map((row) => [row.id, healthFrom(row)])),
  }),
};
