/**
 * Lists, which may look at many rows: on connections of their own, one list at a time on each, so that a slow one holds up
 * neither fetches nor commits. Tenants have their turns, one list of each at a time, and a statement has its time.
 */
import { type Tenant, tenantName } from '../../checkout/tenant.ts';
import { createTurns, type TurnLimits } from '../../lib/turns.ts';
import { listTurns, tooManyLists } from '../lists.ts';
import { type Connection, type Sql, settingsOf, settingsOfNodes } from './connection.ts';

/**
 * Every list has an index that leads, or is in the order of one of which few rows fill the page: the planner may think that
 * to read all of a table, or all that matches, and to sort it is as good. And to compile a statement takes longer than to
 * run it. Sets of ids that are intersected fit in memory.
 */
export const planning = {
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  // One list would take the processors of others, too.
  max_parallel_workers_per_gather: '0',
  work_mem: '16MB',
  jit: 'off',
} as const;

type Job = {
  readonly tenant: string;
  readonly reject: (error: Error) => void;
  readonly run: (connection: Connection) => Promise<void>;
  /** Settles when what was found is used, where that takes its time. */
  used: Promise<unknown> | null;
};

/** Statements that only read, and what is made of what they have found. */
type Search<T> = (sql: Sql) => Promise<T>;
type Use<T, U> = (found: T) => U | Promise<U>;

/** Runs work on a connection, as the pool does. */
type On = <T>(connection: Connection, tenant: Tenant | null, work: (sql: Sql) => Promise<T>) => Promise<T>;

export function createSearches(
  connections: readonly Connection[],
  on: On,
  {
    listMs = 2_000,
    inShards = false,
    ...limits
  }: Partial<TurnLimits> & { readonly listMs?: number; readonly inShards?: boolean } = {},
) {
  const settings = { statement_timeout: `${listMs}`, ...planning };
  const set = inShards ? settingsOfNodes(settings) : [settingsOf(settings)];
  const turns = createTurns<Job>({ ...listTurns, ...limits }, tooManyLists);
  const free = [...connections];
  const busy = new Set<string>();
  const isBusy = (tenant: string) => busy.has(tenant);

  function work(): void {
    while (free.length > 0 && turns.hasNext(isBusy)) {
      const job = turns.takeNext(isBusy);
      const connection = free.pop();
      if (job === undefined || connection === undefined) return;
      busy.add(job.tenant);
      void job.run(connection).finally(() => {
        free.push(connection);
        const end = () => {
          busy.delete(job.tenant);
          work();
        };
        if (job.used === null) return end();
        void job.used.then(end, end);
        work();
      });
    }
  }

  /** Searches in a transaction, to which the time belongs; the answer does not wait for its end. */
  async function inTransaction<T>(
    connection: Connection,
    tenant: Tenant | null,
    search: (sql: Sql) => Promise<T>,
    answer: (found: T) => void,
  ): Promise<void> {
    await on(connection, tenant, async (sql) => {
      const begun = Promise.all([
        // All statements of a list read the same moment: a session that changes in between would be in no list, or in two.
        sql.unsafe('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY').execute(),
        ...set.map((statement) => sql.unsafe(statement, [], { prepare: !inShards }).execute()),
      ]);
      // A statement behind a BEGIN that fails would have all the time that it wants.
      begun.catch(() => connection.discard());
      try {
        const [found] = await Promise.all([search(sql), begun]);
        answer(found);
      } catch (error) {
        await sql.unsafe('ROLLBACK').catch(() => connection.discard());
        throw error;
      }
      // The next list follows behind it, and waits for no answer. It fails with its connection alone, and by then there may
      // be a new one.
      sql.unsafe('ROLLBACK').catch(() => {});
    });
  }

  /**
   * Runs statements that only read, one after the other, and resolves with what `use` makes of what was found. The next list
   * of the tenant waits for a promise of that, so that its rows do not pile up; the connection does not.
   */
  function searched<T>(tenant: Tenant | null, search: Search<T>): Promise<T>;
  function searched<T, U>(tenant: Tenant | null, search: Search<T>, use: Use<T, U>): Promise<U>;
  async function searched(
    tenant: Tenant | null,
    search: Search<unknown>,
    use: Use<unknown, unknown> = (found) => found,
  ): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const answer = (found: unknown) => {
      const made = use(found);
      if (made instanceof Promise) job.used = made;
      resolve(made);
    };
    const job: Job = {
      tenant: tenant === null ? '' : tenantName(tenant),
      reject,
      run: (connection) => inTransaction(connection, tenant, search, answer).catch(reject),
      used: null,
    };
    turns.enter(job);
    work();
    return promise;
  }
  return searched;
}
