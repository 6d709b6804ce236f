/** A standby of a PostgreSQL of the tests: it follows by streaming replication and can take over. */
import { randomBytes } from 'node:crypto';
import { appendFile, copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import postgres, { type Sql } from 'postgres';
import { belongToServer, newPlace } from './postgres-place.ts';
import { orNoTrace, type PostgresOptions, type PostgresServer, startIn } from './postgres-server.ts';

export type Standby = PostgresServer & {
  /** Makes it a primary. Resolves when it accepts changes. */
  promote(): Promise<void>;
};

export type StandbyOptions = PostgresOptions & {
  /** Lets the primary confirm a commit only once the standby has it, so that no failover loses it. */
  readonly synchronous?: boolean;
};

/** Left out of a copy, as the manual says under "Backing Up the Data Directory": the standby has its own. */
const LEFT_OUT =
  /^postmaster\.(pid|opts)$|^pg_(wal|replslot|dynshmem|notify|serial|snapshots|stat_tmp|subtrans)\/|(^|\/)pgsql_tmp|\/pg_internal\.init/;

const PATIENCE_MS = 20_000;

/**
 * Makes a standby of a running primary, by the interface beneath pg_basebackup, which does not come with npm. Resolves
 * when it follows.
 */
export async function startStandby(primary: PostgresServer, options: StandbyOptions = {}): Promise<Standby> {
  const name = `standby_${randomBytes(4).toString('hex')}`;
  const place = await newPlace(options);
  // The connection is a single one: a backup belongs to the session that began it.
  const sql = postgres(primary.url, { max: 1 });
  try {
    const standby = await orNoTrace(place, async () => {
      await copyRunning(sql, name, primary.directory, place.data);
      await tellToFollow(place.data, name, primary.port);
      return startIn(place, options);
    });
    await until('the standby follows', async () => (await stateOf(sql, name))?.state === 'streaming');
    if (options.synchronous) await waitForItFromNowOn(sql, name);
    return { ...standby, promote: () => promote(standby.url) };
  } finally {
    await sql.end();
  }
}

/** A base backup: the files as they are read, and the place in the log from where it makes them whole. */
async function copyRunning(sql: Sql, slot: string, from: string, to: string): Promise<void> {
  // The slot keeps the log from here on until the standby has it.
  await sql`SELECT pg_create_physical_replication_slot(${slot}, true)`;
  await sql`SELECT pg_backup_start(${slot}, true)`;
  for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
    const path = relative(from, join(entry.parentPath, entry.name));
    if (LEFT_OUT.test(path)) continue;
    if (entry.isDirectory()) await mkdir(join(to, path));
    else if (!(await copied(join(from, path), join(to, path)))) continue;
    await belongToServer(join(to, path));
  }
  const [backup] = await sql<{ labelfile: string }[]>`SELECT labelfile FROM pg_backup_stop(false)`;
  await writeFile(join(to, 'backup_label'), backup?.labelfile ?? '');
  await belongToServer(join(to, 'backup_label'));
}

/** A file that went meanwhile is none of the backup: the log says that it went. */
async function copied(from: string, to: string): Promise<boolean> {
  try {
    await copyFile(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

async function tellToFollow(data: string, name: string, port: number): Promise<void> {
  const settings = [
    `primary_conninfo = 'host=127.0.0.1 port=${port} user=postgres application_name=${name}'`,
    `primary_slot_name = '${name}'`,
    // The file is a copy, and the primary may have been told to wait for standbys; this one has none.
    `synchronous_standby_names = ''`,
  ];
  await appendFile(join(data, 'postgresql.auto.conf'), `${settings.join('\n')}\n`);
  await writeFile(join(data, 'standby.signal'), '');
  await belongToServer(join(data, 'standby.signal'));
}

async function waitForItFromNowOn(sql: Sql, name: string): Promise<void> {
  await sql`ALTER SYSTEM SET synchronous_standby_names = '*'`;
  await sql`SELECT pg_reload_conf()`;
  await until('the standby is synchronous', async () => (await stateOf(sql, name))?.sync_state === 'sync');
  // Commits wait once the checkpointer has read the setting, which it does before a checkpoint.
  await sql`CHECKPOINT`;
}

/** The standby's state as the primary sees it. */
async function stateOf(sql: Sql, name: string): Promise<{ state: string; sync_state: string } | undefined> {
  const [row] = await sql<{ state: string; sync_state: string }[]>`
    SELECT state, sync_state FROM pg_stat_replication WHERE application_name = ${name}`;
  return row;
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (performance.now() > giveUpAt) throw new Error(`waited ${PATIENCE_MS} ms in vain until ${what}`);
    await delay(10);
  }
}

async function promote(url: string): Promise<void> {
  const sql = postgres(url, { max: 1 });
  try {
    const [answer] = await sql<{ promoted: boolean }[]>`SELECT pg_promote() AS promoted`;
    if (!answer?.promoted) throw new Error('the standby was not promoted');
  } finally {
    await sql.end();
  }
}
