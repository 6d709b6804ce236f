/** Endpoints in memory, since every change asks for them. */
import { type Tenant, tenantName } from '../../checkout/tenant.ts';
import type { Endpoint } from '../../webhooks/endpoint.ts';
import { endpointList } from '../resources/endpoints.ts';
import type { Runner } from './run.ts';

export type EndpointReader = ReturnType<typeof endpointReader>;

export function endpointReader({ read: run }: Runner) {
  // The one process that serves the database is the only one that changes them.
  const known = new Map<string, readonly Endpoint[]>();

  return {
    list(tenant: Tenant): readonly Endpoint[] {
      const key = tenantName(tenant);
      const endpoints = known.get(key) ?? run(endpointList(tenant));
      known.set(key, endpoints);
      return endpoints;
    },
    /** Forgets the endpoints; to be called when they are written, and when that was undone. */
    forget: (): void => known.clear(),
  };
}
