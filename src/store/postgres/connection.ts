/**
 * Connections, each in the hands of one instance of the driver, and thrown away with it when it breaks. The driver's own
 * pool of version 3.4 can run what is left of a transaction on another connection, end the process by writing to a
 * closed socket, or keep a connection that never sends again, if one breaks at the wrong moment; an instance with a
 * single connection that is never used again after it broke does none of that. Of several hosts the driver takes a
 * standby for a server that can be written, and if none can it tries them in circles without end or pause; so each
 * instance has one host.
 */
import postgres from 'postgres';
import { StoreClosed, StoreUnavailable } from '../errors.ts';
import { isReadOnly, translated } from './errors.ts';

/** Integers of 64 bits are numbers here: amounts and times are far below 2^53. */
export const types = { bigint: { to: 20, from: [20], serialize: String, parse: Number } };

export type Sql = postgres.Sql<{ bigint: number }>;

const CONNECT_TIMEOUT_SECONDS = 3;
/** A connection on which nothing moves for so long although something was asked is dead. */
const STALLED_AFTER_MS = 15_000;
const LOOK_FOR_STALLED_EVERY_MS = 1_000;

export type Connection = ReturnType<typeof createConnection>;

/** Two that the driver has and its types have not. */
type DriverOptions = postgres.Options<typeof types> & {
  readonly onnotify: (channel: string, payload: string) => void;
  readonly max_pipeline?: number;
};

type Options = {
  readonly name?: string;
  readonly onPayload?: (payload: string) => void;
};

/**
 * A connection to the primary that is made when it is needed, and made anew after it broke. `onBroken` is told each
 * time.
 */
export function createConnection(
  url: string,
  onBroken: () => void = () => {},
  { name = 'opentill', onPayload = () => {} }: Options = {},
) {
  const addresses = addressesOf(url);
  const isBehindPooler = /[?&]prepare=false(&|$)/.test(url);
  let settings: Readonly<Record<string, string>> = {};
  /** False behind a pooler, where sessions are those of others, too. */
  let isOwn = false;
  /** The one that is tried next; it stays with what has worked. */
  let turn = 0;
  let opened: Sql | null = null;
  /** Set once it is known where `opened` leads to. */
  let current: Sql | null = null;
  let connecting: Promise<Sql> | null = null;
  let pending = 0;
  let lastProgress = 0;
  let closed = false;
  const watch = setInterval(() => {
    if (pending > 0 && performance.now() - lastProgress > STALLED_AFTER_MS) discard();
  }, LOOK_FOR_STALLED_EVERY_MS).unref();

  async function applySettings(sql: Sql): Promise<void> {
    const all = setting(settings, 'session');
    if (isOwn && all.length > 0) await sql.unsafe(`SELECT ${all.join()}`);
  }

  function open(address: string): Sql {
    const sql = openInstance(address, name, {
      // A pooler that shares connections between transactions may pass this one on although more was sent behind a
      // statement. There each waits for the answer to the one before.
      ...(isBehindPooler ? { max_pipeline: 0 } : {}),
      onnotify: (_channel: string, payload: string) => onPayload(payload),
      onclose: () => {
        if (current === sql) discard();
      },
    });
    return sql;
  }

  /** Tries each address once, from the one that worked last. */
  async function connect(): Promise<Sql> {
    let reason: unknown;
    for (let tries = 0; tries < addresses.length; tries++) {
      const sql = open(addresses[turn] as string);
      opened = sql;
      try {
        const answer = await sql`SELECT pg_is_in_recovery() AS standby, pg_backend_pid() AS process`;
        const [row] = answer;
        // A pooler has told of a process that is none of the server's, or of another one.
        isOwn = !isBehindPooler && row?.process === answer.state?.pid;
        await applySettings(sql);
        if (!row?.standby && opened === sql) {
          current = sql;
          return sql;
        }
        reason = new StoreUnavailable('PostgreSQL: the server is a standby, which cannot be written');
      } catch (error) {
        reason = error;
      }
      void sql.end({ timeout: 0 });
      // It was discarded meanwhile, and another one may have taken its place.
      if (opened !== sql)
        throw new StoreUnavailable('PostgreSQL: the connection was given up', { cause: reason });
      turn = (turn + 1) % addresses.length;
      opened = null;
    }
    throw reason;
  }

  /** Ends the instance; what it was asked and has not answered is rejected. */
  function discard(): void {
    const broken = opened;
    opened = null;
    current = null;
    connecting = null;
    if (broken === null || closed) return;
    onBroken();
    void broken.end({ timeout: 0 });
  }

  return {
    /**
     * Runs statements on the connection. What is asked before the answers are there goes out at once, in order, also
     * what others ask meanwhile; so only statements that stand for themselves may share a connection.
     */
    async run<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
      if (closed) throw new StoreClosed();
      if (pending++ === 0) lastProgress = performance.now();
      try {
        if (current === null && connecting === null) {
          const attempt = connect().finally(() => {
            if (connecting === attempt) connecting = null;
          });
          connecting = attempt;
        }
        return await work(current ?? (await (connecting as Promise<Sql>)));
      } catch (error) {
        // A server that has become a standby goes on answering; the next connection may find the new primary.
        if (isReadOnly(error)) discard();
        throw translated(error);
      } finally {
        pending--;
        lastProgress = performance.now();
      }
    },
    /** Sets these for its session, and for those that follow it, where they are of nobody else. */
    configure(given: Readonly<Record<string, string>>): void {
      settings = given;
      const sql = current;
      if (sql === null) return;
      applySettings(sql).catch(() => {
        if (opened === sql) discard();
      });
    },
    discard,
    async close(): Promise<void> {
      closed = true;
      clearInterval(watch);
      const last = opened;
      opened = null;
      await last?.end({ timeout: 5 });
    },
  };
}

/**
 * One statement that sets these for its transaction. Several in one message are a block to the server, which databases
 * in shards warn of for each of them.
 */
export function settingsOf(settings: Readonly<Record<string, string>>): string {
  return `SELECT ${setting(settings, 'transaction').join(', ')}`;
}

function setting(settings: Readonly<Record<string, string>>, of: 'transaction' | 'session'): string[] {
  return Object.entries(settings).map(
    ([name, value]) => `set_config('${name}', '${value}', ${of === 'transaction'})`,
  );
}

/** The same for the nodes of Citus, too, which hear of settings only by statements of their own. */
export const settingsOfNodes = (settings: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries({ 'citus.propagate_set_commands': 'local', ...settings }).map(
    ([name, value]) => `SET LOCAL ${name} = '${value}'`,
  );

/** An instance of the driver with a single connection; `name` is what the server shows of it. */
export function openInstance(address: string, name: string, further: Partial<DriverOptions>): Sql {
  const options: Partial<DriverOptions> = {
    max: 1,
    types,
    fetch_types: false,
    connect_timeout: CONNECT_TIMEOUT_SECONDS,
    connection: { application_name: name },
    ...correctionsOf(address),
    // Longer than it takes to end the instance, so that nothing that was waiting runs on a new connection.
    backoff: () => 1,
    // A connection that nobody has closed is kept: prepared statements are worth it.
    max_lifetime: null,
    onnotice: () => {},
    ...further,
  };
  return postgres(address, options);
}

/** The same address for each of its hosts. A password may have an @ as it is; the driver takes the first for its end. */
export function addressesOf(url: string): string[] {
  const [scheme = ''] = /^\w+:\/\//.exec(url) ?? [];
  const [authority = ''] = url.slice(scheme.length).split('/');
  const user = authority.slice(0, authority.lastIndexOf('@') + 1);
  const [hosts = ''] = authority.slice(user.length).split('?');
  const after = url.slice(scheme.length + user.length + hosts.length);
  const before = scheme + user.replaceAll(/@(?!$)/g, '%40');
  return hosts.split(',').map((host) => before + host + after);
}

/**
 * Corrects what the driver makes of an address: it cuts IPv6 at its first colon, leaves the name of the database as it is
 * written, and looks for `localhost` in the certificate of a host that is named by its number.
 */
function correctionsOf(address: string): Pick<DriverOptions, 'database' | 'host' | 'port' | 'ssl'> {
  const { hostname, port, pathname, searchParams } = new URL(address);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const database = decodeURIComponent(pathname.slice(1));
  const ssl = searchParams.get('sslmode') === 'verify-full' ? { ssl: { host } } : {};
  if (host === hostname) return { database, ...ssl };
  // The driver takes lists, too, which it leaves as they are.
  const only = { host: [host], port: [Number(port || 5432)] };
  return { database, ...ssl, ...(only as object) };
}
