/**
 * The nodes of a database in shards: who lies on one that does not answer is refused at once, so that nobody else waits
 * for it, and is left out of what is asked about all.
 */
import { answersWithin } from '../../lib/answers.ts';
import { messageOf } from '../../lib/error-message.ts';
import { startLoop } from '../../lib/loop.ts';
import { StoreUnavailable } from '../errors.ts';
import { type Connection, createConnection } from './connection.ts';
import { type Node, nodesWithShards, TENANTS } from './shards.ts';

const LOOK_EVERY_MS = 500;
/**
 * One that is asked takes a millisecond or two; the first time, a connection has to be made. With the time until the next
 * look this is what others wait whose requests share a connection with those for a node that is gone.
 */
const ANSWERS_WITHIN_MS = 1_000;

type Watch = {
  /** Told each time that a node falls silent. */
  readonly onSilence: () => void;
  readonly onTrouble: (text: string) => void;
};

export async function watchNodes(url: string, { onSilence, onTrouble }: Watch) {
  const connect = () => createConnection(url, undefined, { name: 'opentill heartbeat' });
  // Apart from those of requests, which may be waiting for a node.
  const own = connect();
  const connections = new Map<number, Connection>();
  const asking = new Map<number, Promise<boolean>>();
  let silent: readonly number[] = [];
  let known: readonly number[] = [];
  let lost: ReadonlySet<number> = new Set();

  /** Asks a node by way of the coordinator, for nobody else may know how to reach it. */
  async function ask({ id, host, port }: Node): Promise<boolean> {
    const connection = connections.get(id) ?? connect();
    connections.set(id, connection);
    const [row] = await connection.run(
      (sql) => sql<Array<{ up: boolean }>>`SELECT citus_check_connection_to_node(${host}, ${port}) AS up`,
    );
    return row?.up ?? true;
  }

  /** The coordinator may wait for a node that is frozen for as long as it likes: meanwhile it is not asked again. */
  async function answers(node: Node): Promise<boolean> {
    const asked =
      asking.get(node.id) ??
      ask(node)
        // That is the trouble of the coordinator, and tells nothing of the node.
        .catch(() => !silent.includes(node.id))
        .finally(() => asking.delete(node.id));
    asking.set(node.id, asked);
    return answersWithin(ANSWERS_WITHIN_MS, asked);
  }

  /** All accounts, and those in shards of these nodes: on a connection that waits behind nobody's request. */
  async function lookUp(away: readonly number[]): Promise<void> {
    const rows = await own.run(
      (sql) => sql<Array<{ number: number; lost: boolean }>>`
        SELECT number, EXISTS (
          SELECT FROM pg_dist_shard JOIN pg_dist_placement USING (shardid) JOIN pg_dist_node USING (groupid)
          WHERE logicalrelid = ${TENANTS}::regclass AND nodeid = ANY (string_to_array(${away.join()}, ',')::integer[])
            AND worker_hash(number) BETWEEN shardminvalue::integer AND shardmaxvalue::integer) AS lost
        FROM account ORDER BY number`,
    );
    known = rows.map(({ number }) => number);
    lost = new Set(rows.filter((row) => row.lost).map(({ number }) => number));
  }

  async function look(): Promise<void> {
    const nodes = await own.run(nodesWithShards);
    const answered = await Promise.all(nodes.map(answers));
    const before = silent;
    silent = nodes.filter((_, index) => !answered[index]).map(({ id }) => id);
    const fallen = nodes.filter(({ id }) => silent.includes(id) && !before.includes(id));
    try {
      if (silent.length === 0) lost = new Set();
      else await lookUp(silent);
    } finally {
      // Requests that ask it already may wait for long, and others behind them; who came next would wait there, too, if it
      // were not known yet who is lost.
      if (fallen.length > 0) onSilence();
      for (const { host, port } of fallen) onTrouble(`the node ${host}:${port} does not answer`);
    }
  }

  const troubleOf = (account: number): StoreUnavailable | null =>
    lost.has(account) ? new StoreUnavailable('PostgreSQL: the node of the account does not answer') : null;

  /** Trouble with the coordinator meets requests too, and is told by those. */
  function tell(error: unknown): void {
    if (!(error instanceof StoreUnavailable)) onTrouble(`the nodes cannot be watched: ${messageOf(error)}`);
  }

  await look();
  const watch = startLoop(() => look().then(() => false), LOOK_EVERY_MS, tell);

  return {
    /** All accounts that can be asked about while some cannot, else null. */
    living: (): readonly number[] | null =>
      lost.size === 0 ? null : known.filter((account) => !lost.has(account)),
    /** The share of accounts that can be served. */
    share: (): number => (lost.size === 0 ? 1 : 1 - lost.size / known.length),
    /** Reason why nobody may ask about an account, or null. */
    troubleOf,
    /** The same store, which refuses whoever lies on a node that does not answer. */
    guard: <S extends object>(store: S): S => refusing(store, troubleOf),
    async stop(): Promise<void> {
      await watch.stop();
      await own.close();
      await Promise.all([...connections.values()].map((each) => each.close()));
    },
  };
}

/** Operations are for the tenant that is their first argument, and a commit is for the one of all of its units. */
function refusing<S extends object>(store: S, troubleOf: (account: number) => StoreUnavailable | null): S {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value === 'object' && value !== null) return refusing(value, troubleOf);
      if (typeof value !== 'function') return value;
      return (...args: readonly unknown[]): unknown => {
        const account = accountIn(args[0]);
        const trouble = account === null ? null : troubleOf(account);
        return trouble === null ? value.apply(target, args) : Promise.reject(trouble);
      };
    },
  });
}

function accountIn(argument: unknown): number | null {
  const first = Array.isArray(argument) ? argument[0]?.needs?.tenant : argument;
  return typeof first?.account === 'number' && 'mode' in first ? first.account : null;
}
