/** Findings on a PostgreSQL database, which is not changed. */
import { advised, type Finding, good, sentence, wrong } from '../../lib/finding.ts';
import { createConnection } from '../../store/postgres/connection.ts';
import { migrations, schemaOf } from '../../store/postgres/migrate.ts';
import { connectionsOf } from '../../store/postgres/pool.ts';
import { objectionTo, type ServerFacts } from '../../store/postgres/prepare.ts';
import { isDistributed, nodesWithShards } from '../../store/postgres/shards.ts';
import { cannotUse, nameOf } from '../../store/postgres/unusable.ts';
import { schemaFinding } from './schema-finding.ts';

/** Due times of several machines are compared. */
const CLOCKS_APART_MS = 5_000;

type Facts = ServerFacts & {
  readonly now: number;
  readonly checksums: string;
  readonly most: number;
  readonly tls: boolean | null;
  readonly remote: boolean;
  /** Number of nodes, if the database is in shards. */
  readonly nodes: number | null;
};

export async function examineServer(url: string, commitsAtOnce: number): Promise<readonly Finding[]> {
  const name = nameOf(url);
  const connection = createConnection(url);
  try {
    return await connection.run(async (sql) => {
      const [facts] = await sql<[Omit<Facts, 'nodes'>]>`
        SELECT current_setting('server_version_num')::integer AS number, current_setting('server_version') AS version,
          current_setting('server_encoding') AS encoding, current_setting('synchronous_commit') AS durable,
          pg_is_in_recovery() AS standby, current_setting('transaction_read_only') AS read_only,
          (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now,
          current_setting('data_checksums') AS checksums, current_setting('max_connections')::integer AS most,
          (SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()) AS tls,
          NOT coalesce(inet_client_addr() <<= '127.0.0.0/8' OR inet_client_addr() = '::1', true) AS remote`;
      const nodes = (await isDistributed(sql)) ? (await nodesWithShards(sql)).length : null;
      return [
        ...serverFindings(name, { ...facts, nodes }, commitsAtOnce, Date.now()),
        schemaFinding(name, (await schemaOf(sql)) ?? 0, migrations.length),
      ];
    });
  } catch (error) {
    return [
      wrong(
        sentence(cannotUse(name, error).message),
        'Check DATABASE_URL, the server, and its access rules (pg_hba.conf).',
      ),
    ];
  } finally {
    await connection.close();
  }
}

/** Exported for the test: not every kind of server can be had there. */
export function serverFindings(
  name: string,
  facts: Facts,
  commitsAtOnce: number,
  nowMs: number,
): readonly Finding[] {
  const objection = objectionTo(facts);
  const apartMs = nowMs - facts.now;
  const needed = connectionsOf(commitsAtOnce, facts.nodes);
  return [
    objection === null
      ? good(`${name} is reachable: PostgreSQL ${facts.version}.`)
      : wrong(
          `The database ${name} cannot be used: ${objection}.`,
          'The guide on PostgreSQL says what it needs.',
        ),
    Math.abs(apartMs) <= CLOCKS_APART_MS
      ? good('The clock of the server agrees with that of this machine.')
      : wrong(
          `The clock of this machine is ${Math.abs(Math.round(apartMs / 1000))} s ${apartMs > 0 ? 'ahead of' : 'behind'} that of the server of ${name}.`,
          'Synchronize both over the network (NTP).',
        ),
    facts.checksums === 'on'
      ? good('The server checks its pages (data_checksums).')
      : advised('The server does not notice damaged pages.', 'Switch checksums on with pg_checksums.'),
    facts.most > needed
      ? good(`The server accepts ${facts.most} connections; each process holds ${needed}.`)
      : wrong(
          `The server accepts ${facts.most} connections, and each process holds ${needed}.`,
          'Lower DATABASE_COMMITS, or raise max_connections.',
        ),
    ...(facts.remote && facts.tls === false
      ? [
          advised(
            'The connection to the server is not encrypted.',
            'Add ?sslmode=verify-full or ?sslmode=require to DATABASE_URL.',
          ),
        ]
      : []),
  ];
}
