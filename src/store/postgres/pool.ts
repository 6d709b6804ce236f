/**
 * The connections of this process: some that reads share, and some that serve one transaction at a time. Each piece of work
 * names whose it is, or null if it is nobody's in particular.
 */
import postgres from 'postgres';
import type { Tenant } from '../../checkout/tenant.ts';
import { messageOf } from '../../lib/error-message.ts';
import { StoreUnavailable } from '../errors.ts';
import { createServerClock } from './clock.ts';
import { type Connection, createConnection, type Sql, settingsOf } from './connection.ts';
import { emptyQueries } from './emptied.ts';
import { isOfForm } from './errors.ts';
import { startHeartbeat } from './heartbeat.ts';
import { createSearches } from './searches.ts';

export type Pool = ReturnType<typeof createPool>;

/**
 * READ COMMITTED, whatever the default of the database: each statement sees what was committed before it, so that what
 * is read after a lock is the newest. But a database that is read-only by default is meant to be: some providers make it
 * so when its disk is full. Nobody waits for a lock or an answer for ever, nor keeps one. Every statement of a
 * transaction finds its rows by a key; on a table whose statistics are old the planner may think that reading all of it
 * is as good, and keeps to that plan. (Measured on 100,000 new sessions: a fifth of the rate.)
 */
const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';
const BY_KEY = { enable_seqscan: 'off', enable_hashjoin: 'off', enable_mergejoin: 'off' };
const SETTINGS = settingsOf({
  lock_timeout: '5s',
  statement_timeout: '10s',
  idle_in_transaction_session_timeout: '10s',
  ...BY_KEY,
});

/** A transaction: what is asked of `sql` before its `commit` belongs to it. */
export type Transaction = {
  readonly sql: Sql;
  /**
   * Sends the statements and the COMMIT together, and rejects unless all of them have succeeded: if one fails, the
   * server makes a ROLLBACK of the COMMIT. Resolves with the answers of the statements.
   */
  commit<T extends ReadonlyArray<PromiseLike<unknown>>>(
    statements: readonly [...T],
  ): Promise<{ [I in keyof T]: Awaited<T[I]> }>;
};

/**
 * Reads by a key are planned once. PostgreSQL takes it for cheaper to plan those of few rows anew each time, which takes four
 * times as long as the rest of them. (Citus has no plan without values.)
 */
const PLANNED_ONCE = { plan_cache_mode: 'force_generic_plan', ...BY_KEY };

/** Connections for lists and the like; each carries as many as there are. */
const SEARCHERS = 2;
/** Connections beside those that commit, for the transactions of the feed and of claims. */
const FURTHER_WRITERS = 2;

/**
 * Connections of a process that serves, at most: those of the pool, which reads over two, of the heartbeat and of the
 * hints. In shards the nodes are watched over one more, and each node is asked over one of its own.
 */
export const connectionsOf = (commitsAtOnce: number, nodes: number | null): number =>
  2 + SEARCHERS + commitsAtOnce + FURTHER_WRITERS + 2 + (nodes === null ? 0 : 1 + nodes);

type Options = {
  /** Batches that are committed at the same time. */
  readonly commitsAtOnce: number;
  /** Set if requests depend on it, which must not wait for a server that is silent. */
  readonly serve: boolean;
  /** True if tables lie in shards on several nodes. */
  readonly inShards?: boolean;
  readonly onBroken: () => void;
  /** The connection for reads by a key, if there is one already; the pool closes it. */
  readonly quick?: Connection;
  readonly onTrouble?: (text: string) => void;
  /** Reason why nobody may ask about an account, or null: looked at by work that may have waited for its connection. */
  readonly troubleOf?: (account: number) => StoreUnavailable | null;
};

export function createPool(
  url: string,
  {
    commitsAtOnce,
    serve,
    inShards = false,
    onBroken,
    quick = createConnection(url, onBroken),
    onTrouble = () => {},
    troubleOf = () => null,
  }: Options,
) {
  if (!inShards) quick.configure(PLANNED_ONCE);
  const looking = createConnection(url, onBroken);
  const searching = Array.from({ length: SEARCHERS }, () => createConnection(url, onBroken));
  const exclusive = Array.from({ length: commitsAtOnce + FURTHER_WRITERS }, () =>
    createConnection(url, onBroken),
  );
  const all = [quick, looking, ...searching, ...exclusive];
  const free = [...exclusive];
  const waiting: Array<(connection: Connection) => void> = [];
  const clock = createServerClock();
  const heartbeat = serve
    ? startHeartbeat(url, {
        clock,
        onSilence: discardAll,
        onTrouble,
      })
    : null;

  function discardAll(): void {
    for (const connection of all) connection.discard();
  }

  function refuseInTrouble(tenant: Tenant | null): void {
    const trouble = heartbeat?.trouble() ?? (tenant && troubleOf(tenant.account));
    if (trouble) throw trouble;
  }

  /** Runs the work. A statement that fails for its form may not fit the schema of another version: that is looked at. */
  async function on<T>(
    connection: Connection,
    tenant: Tenant | null,
    work: (sql: Sql) => Promise<T>,
  ): Promise<T> {
    refuseInTrouble(tenant);
    try {
      return await connection.run(work);
    } catch (error) {
      if (heartbeat !== null && isOfForm(error)) {
        await heartbeat.lookAtSchema().catch(() => {});
        refuseInTrouble(tenant);
      }
      throw error;
    }
  }

  function take(): Connection | Promise<Connection> {
    return free.pop() ?? new Promise((resolve) => waiting.push(resolve));
  }

  function giveBack(connection: Connection): void {
    const next = waiting.shift();
    if (next) next(connection);
    else free.push(connection);
  }

  const pool = {
    /** The clock of the server; one that serves looks at it all the time. */
    clock,

    /**
     * Runs a statement that stands for itself, finds its rows by a key and waits for no lock: all that is behind it on
     * the connection would wait, too.
     */
    async read<T>(tenant: Tenant | null, work: (sql: Sql) => Promise<T>): Promise<T> {
      return on(quick, tenant, work);
    },

    /** Runs a list, which may have to look at many rows, when it is its turn. */
    search: createSearches(searching, on, { inShards }),

    /** The same as `read` for pages and for what the service asks by itself: it is not to hold up a fetch. */
    async lookOut<T>(tenant: Tenant | null, work: (sql: Sql) => Promise<T>): Promise<T> {
      return on(looking, tenant, work);
    },

    /**
     * Runs `work` in a transaction, which it has to end with `commit`. Between the answers to what it has read and what
     * it writes `work` must not wait for anything else. BEGIN goes out together with the first statements.
     */
    async transaction<T>(tenant: Tenant | null, work: (transaction: Transaction) => Promise<T>): Promise<T> {
      refuseInTrouble(tenant);
      const connection = await take();
      let committed = false;
      try {
        return await on(connection, tenant, async (sql) => {
          const begun = Promise.all([
            sql.unsafe(BEGIN).execute(),
            sql.unsafe(SETTINGS, [], { prepare: true }).execute(),
          ]);
          try {
            const [result] = await Promise.all([
              work({
                sql,
                async commit(statements) {
                  const [answers, { command }] = await Promise.all([
                    Promise.all(statements),
                    sql.unsafe('COMMIT'),
                  ]).catch(refuseUnknownOutcome);
                  if (command !== 'COMMIT') throw new Error(`the database answered COMMIT with ${command}`);
                  committed = true;
                  emptyQueries(statements);
                  return answers;
                },
              }),
              begun,
            ]);
            return result;
          } catch (error) {
            // Without its BEGIN each statement would stand for itself, also those that `work` has still to send.
            begun.catch(() => connection.discard());
            if (!committed) await sql.unsafe('ROLLBACK').catch(() => connection.discard());
            throw error;
          }
        });
      } finally {
        giveBack(connection);
      }
    },

    /** Runs a single statement that changes something. */
    write<T>(tenant: Tenant | null, work: (sql: Sql) => PromiseLike<T>): Promise<T> {
      return pool.transaction(tenant, async ({ sql, commit }) => (await commit([work(sql)]))[0]);
    },

    /** Gives up all connections, of which nobody knows what they wait for. */
    discardAll,

    async close(): Promise<void> {
      await heartbeat?.stop();
      await Promise.all(all.map((each) => each.close()));
    },
  };
  return pool;
}

/**
 * An error that is not of the server, such as one of TLS, leaves it open whether the COMMIT has arrived. Nobody
 * may take that for a failure and decide anew.
 */
function refuseUnknownOutcome(error: unknown): never {
  if (error instanceof postgres.PostgresError) throw error;
  throw new StoreUnavailable(`PostgreSQL: ${messageOf(error)}`, { cause: error });
}
