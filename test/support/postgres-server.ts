/** A real PostgreSQL on a port of its own. The programs come with npm; nothing is installed, nothing is left behind. */
import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../src/cli/free-port.ts';
import { noteRanOn } from './evidence.ts';
import type { Guarded } from './postgres-guard.ts';
import { account, newPlace, type Place } from './postgres-place.ts';

export type PostgresOptions = {
  /** Set if commits have to survive a crash of the machine. Tests seldom need it, and are quicker without. */
  readonly durable?: boolean;
  /** Parameters of the server, by their names in postgresql.conf. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly port?: number;
};

export type PostgresServer = {
  readonly url: string;
  readonly port: number;
  /** The server's data directory. */
  readonly directory: string;
  /** Starts it again on the same port and data, after `stop` or `kill`. */
  start(): Promise<void>;
  /**
   * Stops the server; without a signal, by a shutdown that ends connections and writes everything to disk.
   */
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** The server ends as by a crash. Resolves when all of its processes are gone. */
  kill(): Promise<void>;
  /** Ends the server and removes its data. */
  remove(): Promise<void>;
};

/** Settings of the machine that runs the tests must not reach the server. */
const environment = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };

/** The path of a cluster that can be copied. */
const EMPTY_CLUSTER = 'OPENTILL_TEST_POSTGRES_CLUSTER';

const guardFile = join(import.meta.dirname, 'postgres-guard.ts');
const READY = /database system is ready to accept (read-only )?connections/;
const PORT_TRIES = 3;
/** Enough of the log to see what went wrong. */
const LOG_LENGTH = 20_000;

/** Starts a server with a new, empty cluster of databases. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const place = await newPlace(options);
  return orNoTrace(place, async () => {
    const { [EMPTY_CLUSTER]: empty } = process.env;
    if (empty === undefined) await initialise(place);
    // A fifth of the time that it takes to make one. Node.js would copy as root, whose files the server may not read.
    else await promisify(execFile)('cp', ['-R', `${empty}/.`, place.data], inside(place));
    return startIn(place, options);
  });
}

/** Makes a cluster that no server runs on, for servers to copy; the environment by which they find it. */
export async function emptyCluster(): Promise<{ environment: NodeJS.ProcessEnv; remove(): Promise<void> }> {
  const place = await newPlace({});
  await orNoTrace(place, () => initialise(place));
  return { environment: { [EMPTY_CLUSTER]: place.data }, remove: () => removeTraces(place) };
}

async function initialise(place: Place): Promise<void> {
  const args = ['--username=postgres', '--auth=trust', '--locale=C', '--encoding=UTF8', '--no-sync'];
  const initdb = join(place.programs, 'initdb');
  await promisify(execFile)(initdb, [`--pgdata=${place.data}`, ...args], inside(place));
}

const inside = ({ data }: Place) => ({ cwd: data, env: environment, ...account });

/** Begins something in a place, and removes the place if that fails. */
export async function orNoTrace<T>(place: Place, begin: () => Promise<T>): Promise<T> {
  try {
    return await begin();
  } catch (error) {
    await removeTraces(place);
    throw error;
  }
}

async function removeTraces({ traces }: Place): Promise<void> {
  for (const trace of traces) await rm(trace, { recursive: true, force: true });
}

/** Starts a server on data that are there already. A port that was free may be taken by then: another one is tried. */
export async function startIn(place: Place, options: PostgresOptions): Promise<PostgresServer> {
  for (let tries = 1; ; tries++) {
    try {
      return await startOn(options.port ?? (await freePort()), place, options);
    } catch (error) {
      const isTaken = options.port === undefined && /Address already in use/.test(String(error));
      if (!isTaken || tries === PORT_TRIES) throw error;
    }
  }
}

async function startOn(port: number, place: Place, options: PostgresOptions): Promise<PostgresServer> {
  const { durable = false, settings = {} } = options;
  const { data, programs, traces } = place;
  const parameters = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '200',
    // Files among its data, so that a server that was killed leaves nothing in the memory of the machine.
    dynamic_shared_memory_type: 'mmap',
    ...(durable ? {} : { fsync: 'off', full_page_writes: 'off' }),
    ...settings,
  };
  const guarded: Guarded = {
    program: join(programs, 'postgres'),
    args: ['-D', data, ...Object.entries(parameters).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    directory: data,
    traces,
    account,
  };
  let running: Running | undefined;
  async function start(): Promise<void> {
    running = await run(guarded);
  }
  async function stop(signal: NodeJS.Signals = 'SIGINT'): Promise<void> {
    await running?.end(signal);
    running = undefined;
  }
  async function remove(): Promise<void> {
    await stop('SIGQUIT');
    await removeTraces(place);
  }
  await noteRanOn(async () => {
    const { stdout } = await promisify(execFile)(guarded.program, ['--version'], inside(place));
    return [`PostgreSQL ${/\d+(\.\d+)*/.exec(stdout)?.[0]}`];
  });
  await start();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  return { url, port, directory: data, start, stop, kill: () => stop('SIGKILL'), remove };
}

type Running = { end(signal: NodeJS.Signals): Promise<void> };

/** Resolves when the server accepts connections. */
async function run(guarded: Guarded): Promise<Running> {
  const guard = fork(guardFile, [JSON.stringify(guarded)], {
    // Out of reach of a Ctrl-C, which goes to the group of processes of the terminal.
    detached: true,
    env: environment,
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const log = guard.stderr as Socket;
  // The guard closes after the end of the log, which every process of the server holds open.
  const closed = once(guard, 'close');
  let written = '';
  await new Promise<void>((resolve, reject) => {
    log.setEncoding('utf8').on('data', (text: string) => {
      written = (written + text).slice(-LOG_LENGTH);
      if (READY.test(written)) resolve();
    });
    guard.on('close', () => reject(new Error(`PostgreSQL ended before it was ready:\n${written}`)));
  });
  // A process that has nothing left to do but its server may end, and the server with it.
  guard.unref();
  guard.channel?.unref();
  log.unref();
  async function end(signal: NodeJS.Signals): Promise<void> {
    guard.ref();
    log.ref();
    if (guard.connected) guard.send(signal);
    await closed;
  }
  return { end };
}
