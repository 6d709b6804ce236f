/** Endpoints and failing receivers. */
import type { Tenant } from '../../checkout/tenant.ts';
import type { Endpoint } from '../../webhooks/endpoint.ts';
import type { Health } from '../../webhooks/health.ts';
import type { Pool } from './pool.ts';
import { type EndpointColumns, endpointFrom, type HealthColumns, healthFrom, tenantColumns } from './rows.ts';

export function endpointReader(pool: Pool) {
  return {
    async list(tenant: Tenant): Promise<Endpoint[]> {
      const [account, live] = tenantColumns(tenant);
      const rows = await pool.read(
        (sql) => sql<EndpointColumns[]>`
          SELECT id, version, event_count, data FROM webhook_endpoint
          WHERE account = ${account} AND live = ${live} ORDER BY id`,
      );
      return rows.map((row) => endpointFrom(tenant, row));
    },

    async failing(tenant: Tenant): Promise<Map<string, Health>> {
      const [account, live] = tenantColumns(tenant);
      const rows = await pool.read(
        (sql) => sql<HealthColumns[]>`
          SELECT * FROM webhook_receiver WHERE account = ${account} AND live = ${live}`,
      );
      return new Map(rows.map((row) => [row.id, healthFrom(row)]));
    },
  };
}
