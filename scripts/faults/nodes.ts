/** Faults in what is done on many nodes: who is refused while one is away, what lies where, and how it gets there. */
import type { Fault } from './fault.ts';

const postgres = (file: string, test: string) => ({
  file: `src/store/postgres/${file}.ts`,
  tests: [`test/${test}.test.ts`],
  withPostgres: true,
});

const places = { ...postgres('', 'postgres/waiting-node'), file: 'src/store/resources/tenants.ts' };

export const nodeFaults: readonly Fault[] = [
  {
    name: 'who lies on a node that is away is asked all the same',
    ...postgres('nodes', 'postgres/nodes'),
    find: 'account === null ? null : troubleOf(account)',
    replace: 'account === null ? troubleOf(0) : null',
  },
  {
    name: 'everybody is refused while a node is away',
    ...postgres('nodes', 'postgres/nodes'),
    find: 'AND worker_hash(number) BETWEEN shardminvalue::integer AND shardmaxvalue::integer) AS lost',
    replace: ') AS lost',
  },
  {
    name: 'a batch for a node that is away is begun',
    ...postgres('nodes', 'postgres/nodes'),
    find: 'Array.isArray(argument) ? argument[0]?.needs?.tenant : argument',
    replace: 'argument as { account?: number; mode?: string }',
  },
  {
    name: 'accounts of a node that is back stay away',
    ...postgres('nodes', 'postgres/nodes'),
    find: 'if (silent.length === 0) lost = new Set();',
    replace: 'if (silent.length === 0) lost = new Set(lost);',
  },
  {
    name: 'a node that never answers is waited for',
    ...postgres('nodes', 'postgres/nodes'),
    find: 'return answersWithin(ANSWERS_WITHIN_MS, asked);',
    replace: 'return asked;',
  },
  {
    name: 'the trouble of the coordinator is taken for that of all nodes',
    ...postgres('nodes', 'postgres/nodes'),
    find: '.catch(() => !silent.includes(node.id))',
    replace: '.catch(() => false)',
  },
  {
    name: 'a node is taken for back because the coordinator could not ask it',
    ...postgres('nodes', 'postgres/nodes'),
    find: '.catch(() => !silent.includes(node.id))',
    replace: '.catch(() => true)',
  },
  {
    name: 'a node that is being emptied is not watched',
    ...postgres('shards', 'postgres/nodes'),
    find: "WHERE isactive AND noderole = 'primary' AND",
    replace: "WHERE isactive AND shouldhaveshards AND noderole = 'primary' AND",
  },
  {
    name: 'connections that wait for a node that fell silent are kept',
    ...postgres('nodes', 'postgres/nodes'),
    find: 'if (fallen.length > 0) onSilence();',
    replace: 'if (fallen.length > 1) onSilence();',
  },
  {
    name: 'connections are given up for as long as a node is silent',
    ...postgres('nodes', 'postgres/nodes'),
    find: 'silent.includes(id) && !before.includes(id)',
    replace: 'silent.includes(id)',
  },
  {
    name: 'all accounts are looked after while a node is away',
    ...postgres('nodes', 'postgres/nodes'),
    find: 'lost.size === 0 ? null : known.filter((account) => !lost.has(account))',
    replace: 'lost.size === 0 ? null : known',
  },
  {
    name: 'what has waited for its connection is asked of a node that is away',
    ...postgres('pool', 'postgres/waiting-node'),
    find: 'heartbeat?.trouble() ?? (tenant && troubleOf(tenant.account));',
    replace: 'heartbeat?.trouble() ?? (tenant && null);',
  },
  {
    name: 'a feed waits for that of an account whose node is away',
    ...postgres('feed', 'postgres/waiting-node'),
    find: 'await pool.read(tenant, (on) => runOn(on, isWaiting(tenant)))',
    replace: 'await pool.read(null, (on) => runOn(on, isWaiting(tenant)))',
  },
  {
    name: 'a list waits for that of an account whose node is away',
    ...postgres('searches', 'postgres/waiting-node'),
    find: 'await on(connection, tenant, async',
    replace: 'await on(connection, tenant && null, async',
  },
  {
    name: 'what is due is looked for on all nodes while one is away',
    ...places,
    find: "WHERE ${isAmong('account', reachable.among)}account = number",
    replace: 'WHERE account = number',
  },
  {
    name: 'test clocks are looked at on all nodes while one is away',
    ...places,
    find: "WHERE ${isAmong('account', among)}clock_move.account",
    replace: 'WHERE clock_move.account',
  },
  {
    name: 'readiness says the share that is away',
    ...postgres('nodes', 'postgres/nodes'),
    find: '1 - lost.size / known.length',
    replace: 'lost.size / known.length',
  },
  {
    name: 'keys are cut into shards',
    ...postgres('shards', 'postgres/shards'),
    find: " AND relname <> 'api_key'",
    replace: '',
  },
  {
    name: 'tables lie in shards of their own',
    ...postgres('shards', 'postgres/shards'),
    find: "const beside = name === TENANTS ? 'none' : TENANTS;",
    replace: "const beside = 'none';",
  },
  {
    name: 'a table is cut before the one that it is to lie beside',
    ...postgres('shards', 'postgres/shards'),
    find: 'ORDER BY relname <> ${TENANTS}, relname',
    replace: 'ORDER BY relname, ${TENANTS}',
  },
  {
    name: 'tables that are in shards are cut once more',
    ...postgres('shards', 'postgres/shards'),
    find: '      AND NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = pg_class.oid)\n',
    replace: '',
  },
  {
    name: 'a database with Citus that is whole is taken for one in shards',
    ...postgres('shards', 'postgres/shards'),
    find: 'return rows.length > 0;',
    replace: 'return rows.length >= 0;',
  },
  {
    name: 'rows for shards are gathered at the coordinator',
    ...postgres('statements', 'postgres/shards'),
    find: 'inShards ? MOST_AS_VALUES : 0,',
    replace: 'inShards ? 0 : MOST_AS_VALUES,',
  },
  {
    name: 'a start ends with the first deadlock of its migration',
    ...postgres('migrate', 'store/postgres-only'),
    find: "new Set(['55P03', '40P01', '40001'])",
    replace: "new Set(['55P03', '40001'])",
  },
  {
    name: 'a node that is lost over TLS is a mistake of the statement',
    ...postgres('errors', 'postgres/connection'),
    find: "'SSL connection has been closed unexpectedly',",
    replace: '',
  },
  {
    name: 'without locks an erasure does not wait for a session that is made for the person',
    ...postgres('write', 'cluster/without-locks'),
    find: '...keepPayers(tenant, payers).map((each) => waiting(sql, each)),',
    replace: '',
  },
  {
    name: 'without locks a session is made for a person who is gone',
    ...postgres('write', 'cluster/without-locks'),
    find: '...refuseWithoutPayer(tenant, payers).map((each) => waiting(sql, each)),',
    replace: '',
  },
  {
    name: 'a statement for a shard that was divided meanwhile is an error of the service',
    ...postgres('errors', 'postgres/connection'),
    find: 'isStale(error) || isOfGoneShard(error);',
    replace: 'isStale(error);',
  },
  {
    name: 'tables in shards that have outgrown their statistics are not seen',
    ...postgres('statistics', 'postgres/whole-shards'),
    find: 'const rows = inShards\n',
    replace: 'const rows = inShards && !inShards\n',
  },
  {
    name: 'a table that was empty when it was analysed is not analysed again',
    ...postgres('statistics', 'postgres/statistics'),
    find: 'THEN pg_relation_size(oid) > ${SLACK} +',
    replace: 'THEN relpages > 0 AND pg_relation_size(oid) > ${SLACK} +',
  },
  {
    name: 'indexes of shards are not looked at',
    ...postgres('check-indexes', 'postgres/whole-shards'),
    find: 'const untold = inShards ? await checkShards(',
    replace: 'const untold = inShards && !inShards ? await checkShards(',
  },
  {
    name: 'indexes of nodes that have no amcheck are said to be whole',
    ...postgres('check-indexes', 'postgres/whole-shards'),
    find: 'return nodes.length === 0 ? found :',
    replace: 'return nodes.length >= 0 ? found :',
  },
  {
    name: 'without locks a delivery that is added as the one before it ends is never sent',
    ...postgres('tenants', 'cluster/without-locks'),
    find: "return where.inShards ? run(tenantsWith('delivery'",
    replace: "return !where.inShards ? run(tenantsWith('delivery'",
  },
];
