/** Reads about a set of living accounts reach no node but theirs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitingTenants } from '../../src/store/postgres/feed.ts';
import { tenantsWithDue } from '../../src/store/postgres/tenants.ts';
import type { Read } from '../../src/store/resources/read.ts';
import { tenantsWith } from '../../src/store/resources/tenants.ts';
import { gauges, isStranded, newestTime } from '../../src/store/resources/work.ts';
import { sql as statement, written } from '../../src/store/sql.ts';
import { openTables } from '../cluster/cluster.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { portOf, ports } from './nodes.ts';

/** Accounts enough for both workers. */
const ACCOUNTS = 20;

const asked = (among: readonly number[]): Record<string, Read<unknown>> => ({
  'what is due': tenantsWithDue(1, { inShards: true, among }),
  'old answers': tenantsWith('idempotency', () => statement`created_at < ${1}`, { inShards: true, among }),
  'stranded deliveries': tenantsWith('delivery', () => isStranded(1, among), { inShards: true, among }),
  'events without a position': waitingTenants(among),
  'numbers for operators': gauges(among),
  'the newest time': newestTime(among),
});

test('reads about accounts of one worker go to no other', async (t) => {
  const sql = openTables(t, await migratedDatabase(t));
  await sql`SET citus.explain_all_tasks = on`;
  const accounts = Array.from({ length: ACCOUNTS }, (_, index) => index + 1);
  const places = await Promise.all(accounts.map((account) => portOf(sql, account)));
  for (const port of ports) {
    const here = accounts.filter((_, index) => places[index] === port);
    assert.ok(here.length > 0);
    for (const [what, { sql: read }] of [...Object.entries(asked(here)), ...Object.entries(asked([]))]) {
      const { text, values } = written(read, 'postgres');
      const plan = await sql.unsafe<Array<{ 'QUERY PLAN': string }>>(`EXPLAIN ${text}`, values);
      const nodes = plan.flatMap((row) => /Node: host=\S+ port=(\d+)/.exec(row['QUERY PLAN'])?.[1] ?? []);
      const others = nodes.filter((node) => Number(node) !== port && ports.includes(Number(node)));
      assert.deepEqual(others, [], `${what}: ${text}`);
    }
  }
});
