/** The rows that the units of a batch need, loaded for all of them at once. */
import type { Checkout } from '../../checkout/session.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import { type Endpoint, isEndpoint } from '../../webhooks/endpoint.ts';
import { locking } from '../loads.ts';
import { among, applyWrites, loadResources, resourceLocks, shownTo } from '../resources/all.ts';
import { endpointList } from '../resources/endpoints.ts';
import { owned } from '../resources/read.ts';
import { isAnyOf, raw, sql as statement } from '../sql.ts';
import type { Loaded, Needs, Writes } from '../store.ts';
import type { Table } from '../tables.ts';
import type { CheckoutCache } from './checkouts.ts';
import type { Sql } from './connection.ts';
import { readRows, runOn } from './run.ts';
import { type Seen, seenKey } from './statements.ts';

/** The loaded rows, kept up to date with what the units before have decided to write. */
export type View = {
  readonly seen: Seen;
  of(needs: Needs): Loaded;
  /** The units behind are to see these. */
  apply(writes: Writes): void;
};

/**
 * Locks what the batch may change, everywhere in the same order so that no two batches wait for each other, and then
 * reads it: a statement behind a lock sees what whoever held the lock has committed. All goes out in one piece.
 */
export async function loadView(
  sql: Sql,
  tenant: Tenant,
  all: readonly Needs[],
  cache: CheckoutCache,
): Promise<View> {
  const ids = [...new Set(all.flatMap((needs) => needs.checkouts ?? []))];
  const subjects = all.flatMap(({ deliverySubjects = [] }) => deliverySubjects);
  const endpointIds = [...subjects, ...all.flatMap(({ lockedEndpoints = [] }) => lockedEndpoints)].filter(
    isEndpoint,
  );
  const waiting: Promise<unknown>[] = [];
  const seen = new Map<string, number>();
  const checkouts = new Map<string, Checkout>();
  let endpoints: readonly Endpoint[] = [];

  function lock(table: 'checkout' | 'webhook_endpoint', wanted: readonly string[]): void {
    if (wanted.length === 0) return;
    const from = statement`${raw(table)} WHERE ${owned(tenant)} AND ${isAnyOf('id', wanted)}`;
    waiting.push(readRows(sql, locking(from, 'id', { how: 'NO KEY UPDATE' })));
  }
  lock('checkout', [...ids, ...subjects]);
  lock('webhook_endpoint', endpointIds);
  for (const each of resourceLocks(tenant, all)) waiting.push(readRows(sql, each));
  const found = loadResources(tenant, all, (read, done, counted) => {
    const rows = readRows(sql, read.sql);
    waiting.push(
      rows.then((all) => done(read.from(counted === undefined ? all : withoutRevision(all, counted, seen)))),
    );
  });
  if (all.some((needs) => needs.endpoints)) {
    waiting.push(
      runOn(sql, endpointList(tenant)).then((rows) => {
        endpoints = rows;
        for (const { id, version } of rows) seen.set(seenKey('webhook_endpoint', id), version);
      }),
    );
  }
  if (ids.length > 0) {
    waiting.push(
      cache.read(sql, tenant, ids).then((rows) => {
        for (const [id, { checkout, revision }] of rows) {
          checkouts.set(id, checkout);
          seen.set(seenKey('checkout', id), revision);
        }
      }),
    );
  }
  await Promise.all(waiting);

  return {
    seen,
    of: (needs) => ({
      ...shownTo(needs, found),
      checkouts: among(checkouts, needs.checkouts ?? []),
      endpoints: needs.endpoints ? endpoints : [],
    }),
    apply(writes) {
      applyWrites(found, writes);
      for (const { before, after } of writes.endpoints ?? []) {
        const others = endpoints.filter(({ id }) => id !== (after ?? before)?.id);
        endpoints = after === null ? others : [...others, after].sort((a, b) => (a.id < b.id ? -1 : 1));
      }
      if (writes.checkout) checkouts.set(writes.checkout.after.id, writes.checkout.after);
    },
  };
}

/** The rows as the domain has them; how often each was changed is kept for whoever writes it. */
function withoutRevision(rows: readonly object[], table: Table, seen: Map<string, number>): object[] {
  return (rows as ReadonlyArray<{ readonly id: string; readonly revision: number }>).map(
    ({ revision, ...row }) => {
      seen.set(seenKey(table, row.id), revision);
      return row;
    },
  );
}
