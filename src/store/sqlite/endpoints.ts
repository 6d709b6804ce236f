/** Endpoints and failing receivers: few of each, and asked for at every change. */
import type { DatabaseSync } from 'node:sqlite';
import { type Tenant, tenantName } from '../../checkout/tenant.ts';
import type { Endpoint } from '../../webhooks/endpoint.ts';
import type { Health } from '../../webhooks/health.ts';
import { endpointFrom, healthFrom, liveOf, type Row } from './rows.ts';

export type EndpointReader = ReturnType<typeof endpointReader>;

export function endpointReader(database: DatabaseSync) {
  // The one process that serves the database is the only one that changes them.
  const known = new Map<string, readonly Endpoint[]>();
  const all = database.prepare('SELECT * FROM webhook_endpoint WHERE account = ? AND live = ? ORDER BY id');
  const failing = database.prepare('SELECT * FROM webhook_receiver WHERE account = ? AND live = ?');
  const receiver = database.prepare(
    'SELECT * FROM webhook_receiver WHERE account = ? AND live = ? AND id = ?',
  );

  return {
    list(tenant: Tenant): readonly Endpoint[] {
      const key = tenantName(tenant);
      let endpoints = known.get(key);
      if (endpoints === undefined) {
        endpoints = all
          .all(tenant.account, liveOf(tenant))
          .map((row) => endpointFrom({ account: tenant.account, mode: tenant.mode }, row as Row));
        known.set(key, endpoints);
      }
      return endpoints;
    },
    /** To be called when they are written, and when that was undone. */
    forget: (): void => known.clear(),

    failing(tenant: Tenant): Map<string, Health> {
      const rows = failing.all(tenant.account, liveOf(tenant)) as Row[];
      return new Map(rows.map((row) => [row.id as string, healthFrom(row)]));
    },
    health(tenant: Tenant, id: string): Health | null {
      const row = receiver.get(tenant.account, liveOf(tenant), id);
      return row === undefined ? null : healthFrom(row as Row);
    },
  };
}
