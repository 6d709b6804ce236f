/** Endpoints and failing receivers. */
import type { Scope } from '../../checkout/session.ts';
import type { Endpoint } from '../../webhooks/endpoint.ts';
import type { Health } from '../../webhooks/health.ts';
import type { Pool } from './pool.ts';
import { type EndpointColumns, endpointFrom, type HealthColumns, healthFrom, tenantOf } from './rows.ts';

export function endpointReader(pool: Pool) {
  return {
    async list(scope: Scope): Promise<Endpoint[]> {
      const [account, live] = tenantOf(scope);
      const rows = await pool.read(
        (sql) => sql<EndpointColumns[]>`
          SELECT id, version, event_count, data FROM webhook_endpoint
          WHERE account = ${account} AND live = ${live} ORDER BY id`,
      );
      return rows.map((row) => endpointFrom(scope, row));
    },

    async failing(scope: Scope): Promise<Map<string, Health>> {
      const [account, live] = tenantOf(scope);
      const rows = await pool.read(
        (sql) => sql<HealthColumns[]>`
          SELECT * FROM webhook_receiver WHERE account = ${account} AND live = ${live}`,
      );
      return new Map(rows.map((row) => [row.id, healthFrom(row)]));
    },
  };
}
