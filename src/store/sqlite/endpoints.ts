/** Endpoints and failing receivers: few of each, and asked for at every change. */
import type { DatabaseSync } from 'node:sqlite';
import { nameOfScope, type Scope } from '../../checkout/session.ts';
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
    list(scope: Scope): readonly Endpoint[] {
      const key = nameOfScope(scope);
      let endpoints = known.get(key);
      if (endpoints === undefined) {
        endpoints = all
          .all(scope.account, liveOf(scope))
          .map((row) => endpointFrom({ account: scope.account, mode: scope.mode }, row as Row));
        known.set(key, endpoints);
      }
      return endpoints;
    },
    /** To be called when they are written, and when that was undone. */
    forget: (): void => known.clear(),

    failing(scope: Scope): Map<string, Health> {
      const rows = failing.all(scope.account, liveOf(scope)) as Row[];
      return new Map(rows.map((row) => [row.id as string, healthFrom(row)]));
    },
    health(scope: Scope, id: string): Health | null {
      const row = receiver.get(scope.account, liveOf(scope), id);
      return row === undefined ? null : healthFrom(row as Row);
    },
  };
}
