/** Parts that the rows of a run share: files of sessions, a receiver of webhooks, a load generator. */
import { existsSync, rmSync, statfsSync } from 'node:fs';
import { copyFile, mkdtemp } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PostgresServer, startPostgres } from '../test/support/postgres-server.ts';
import type { Filling } from './fill.ts';
import { fillFile, synced } from './fill-file.ts';
import { type Generator, type Subjects, startGenerator } from './load/job.ts';
import { writeSubjects } from './load/subjects.ts';
import { endAll, type Running, startProcess } from './processes.ts';

/** A database with sessions, and their ids and tokens in the order of making. */
export type Filled = { readonly url: string; readonly ids: Subjects; readonly tokens: Subjects };

export type Options = {
  /** Sessions of the large database. */
  readonly many: number;
  /** Length of an open loop. */
  readonly seconds: number;
  /** Length of the mixed load over a long time. */
  readonly minutes: number;
};

export type Bench = Options & {
  readonly directory: string;
  readonly generator: Generator;
  /** A second one, for what happens beside. */
  readonly other: Generator;
  readonly receiver: Running;
  /** A durable server of PostgreSQL. */
  postgres(): Promise<PostgresServer>;
  /** A file of SQLite that nobody may change, as other rows read it too. All of its sessions are active. */
  sessions(count: number): Promise<Filled>;
  /** A file with very many sessions of every status, which nobody may change either. */
  manySessions(): Promise<Filled>;
  /** A copy of it on the disk for those who change it in the same way: one that has got webhooks to send is not for all. */
  sessionsToChange(count: number, use: 'held' | 'sent'): Promise<Filled>;
};

export async function withBench(options: Options, work: (bench: Bench) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'opentill-bench-'));
  const inMemory: string[] = [];
  const clear = () => {
    for (const each of [directory, ...inMemory]) rmSync(each, { recursive: true, force: true });
  };
  const giveUp = () => {
    endAll();
    clear();
    process.exit(1);
  };
  // Often a signal comes twice, to the process and to its group.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, giveUp);
  try {
    const receiver = await startProcess([join(import.meta.dirname, 'receiver.ts')]);
    const [generator, other] = await Promise.all([startGenerator(), startGenerator()]);
    const fileOf = once(async (name: 'many' | `${number}`): Promise<Filled> => {
      const isMixed = name === 'many';
      const count = isMixed ? options.many : Number(name);
      const memory = hasMemoryFor(count) ? await mkdtemp(join(MEMORY, 'opentill-bench-')) : null;
      if (memory !== null) inMemory.push(memory);
      const path = join(memory ?? directory, name);
      return fill(path, { sessions: count, isMixed, webhookUrl: `${receiver.url}/webhooks` });
    });
    const sessions = (count: number): Promise<Filled> => fileOf(`${count}`);
    const copy = once(async (name: `${number}-${string}`): Promise<Filled> => {
      const filled = await sessions(Number.parseInt(name, 10));
      const path = join(directory, `${name}.db`);
      await copyFile(filled.url.slice('sqlite:'.length), path);
      await synced(path);
      return { ...filled, url: `sqlite:${path}` };
    });
    const postgres = once((_: 'postgres') => startPostgres({ durable: true }));
    let hasPostgres = false;
    try {
      await work({
        ...options,
        directory,
        generator,
        other,
        receiver,
        sessions,
        manySessions: () => fileOf('many'),
        postgres() {
          hasPostgres = true;
          return postgres('postgres');
        },
        sessionsToChange: (count, use) => copy(`${count}-${use}`),
      });
    } finally {
      if (hasPostgres) await (await postgres('postgres')).remove();
      await Promise.all([generator.stop(), other.stop(), receiver.stop()]);
    }
  } finally {
    clear();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, giveUp);
  }
}

/** Files that are only read, whose pages the kernel would keep in memory anyway, are not written to the disk at all. */
const MEMORY = '/dev/shm';
const BYTES_EACH = 6_500;

function hasMemoryFor(count: number): boolean {
  if (!existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return Math.min(bavail * bsize, freemem()) > 2 * count * BYTES_EACH;
}

/** Does it once for each key. */
function once<K, V>(make: (key: K) => Promise<V>): (key: K) => Promise<V> {
  const made = new Map<K, Promise<V>>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}

async function fill(name: string, filling: Filling): Promise<Filled> {
  const startedAt = performance.now();
  const path = `${name}.db`;
  const ids = writeSubjects(`${name}.ids`);
  const tokens = writeSubjects(`${name}.tokens`);
  await fillFile(path, {
    ...filling,
    onSession(id, token) {
      ids.add(id);
      tokens.add(token);
    },
  });
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(`   (${filling.sessions.toLocaleString('en')} sessions were made in ${seconds} s)`);
  return { url: `sqlite:${path}`, ids: ids.end(), tokens: tokens.end() };
}
