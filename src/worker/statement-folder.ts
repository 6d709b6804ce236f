/**
 * Watched folder for bank statements. In it, each account has a folder for each mode, such as `1-live`. A file that has
 * come to rest there is ingested and moved to `done`, or to `failed` with a note of its mistake. It stays where it is
 * while the result is unknown: if the database is unavailable, the file cannot be read, or it has changed since it was
 * read.
 */

import { type BigIntStats, constants, type Dirent } from 'node:fs';
import { lstat, mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { csvMappingOf } from '../accounts/settings.ts';
import type { Mode, Tenant, TenantTime } from '../checkout/tenant.ts';
import { withCopy } from '../ingest/copy.ts';
import { partsOf } from '../ingest/read.ts';
import { ingestStatement } from '../ingest/statement.ts';
import { messageOf } from '../lib/error-message.ts';
import { type Loop, startLoop } from '../lib/loop.ts';
import type { RealTime } from '../lib/time.ts';
import { StatementError } from '../statements/entry.ts';
import { LIMITS } from '../statements/limits.ts';
import { StoreUnavailable } from '../store/errors.ts';
import type { Store } from '../store/store.ts';
import { ownOrigin } from '../writer/command.ts';
import type { Execute } from '../writer/writer.ts';

export type FolderDependencies = {
  readonly store: Store;
  readonly execute: Execute;
  readonly directory: string;
  /** Time in the clock of a tenant. */
  readonly now: (tenant: Tenant) => Promise<TenantTime>;
  readonly realNow: () => RealTime;
  readonly log: FolderLog;
  /** Pause between two looks. */
  readonly lookEveryMs?: number;
};

/** Log for the operator: results of files, and the beginning and end of problems. */
export type FolderLog = {
  readonly info: (about: object, text: string) => void;
  readonly warn: (about: object, text: string) => void;
};

export type StatementFolder = ReturnType<typeof watchStatements>;

const LOOK_EVERY_MS = 10_000;
/** Time without change after which a file counts as complete: no program pauses longer while it writes a statement. */
const AT_REST_MS = 10_000;
/** Characters of a file name that are stored. */
const MAX_NAME = 200;
/** Names in one line of the log, at most. */
const MAX_STRANGERS = 20;

const FOLDER = /^([1-9]\d{0,14})-(test|live)$/;
/** Names that many programs give to files which they are still writing. */
const UNFINISHED = /^\.|\.(part|tmp)$/i;
const CSV = /\.csv$/i;
const MAPPED_CSV = /^([a-z0-9-]{1,32})\.(.*\.)?csv$/i;

type Fate = { readonly folder: 'done' } | { readonly folder: 'failed'; readonly why: string };
type Sight = {
  /** Identity on the disk, size and time. */
  readonly look: string;
  readonly since: RealTime;
  /** Result of the file once it is known; then it only has to be moved. */
  fate?: Fate;
};

export function watchStatements(dependencies: FolderDependencies) {
  const { directory, store, realNow, log, lookEveryMs = LOOK_EVERY_MS } = dependencies;
  let sights = new Map<string, Sight>();
  /** Current problems, by what they concern: each is logged when it begins and when it is over. */
  const troubles = new Map<string, string>();
  let attempted = new Set<string>();
  /** Names in the watched folder that are no folder of an account. */
  let strangers: ReadonlySet<string> = new Set();
  let loop: Loop | undefined;
  let isStopping = false;

  function trouble(about: string, why: string): void {
    if (troubles.get(about) === why) return;
    troubles.set(about, why);
    log.warn({ about }, `bank statements cannot be ingested: ${why}`);
  }

  function fine(about: string): void {
    if (troubles.delete(about)) log.info({ about }, 'bank statements can be ingested again');
  }

  /** Runs the work and logs its failure. An unavailable database is not a problem of a single file. */
  async function attempt(about: string, work: () => Promise<void>): Promise<void> {
    attempted.add(about);
    try {
      await work();
      fine(about);
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error;
      trouble(about, messageOf(error));
    }
  }

  async function look(): Promise<void> {
    const before = sights;
    sights = new Map();
    attempted = new Set();
    try {
      await attempt(directory, async () => {
        const entries = await readdir(directory, { withFileTypes: true });
        nameStrangers(entries);
        for (const entry of entries) {
          const [, number, mode] = FOLDER.exec(entry.name) ?? [];
          if (number === undefined || isStopping) continue;
          const path = join(directory, entry.name);
          const tenant: Tenant = { account: Number(number), mode: mode as Mode };
          await attempt(path, () => lookInto(path, tenant, entry.isDirectory(), before));
        }
      });
      fine('the database');
      // A file that is gone is no problem any more.
      for (const about of troubles.keys()) if (!attempted.has(about)) troubles.delete(about);
    } catch (error) {
      // The files could not be checked, so they keep their time of rest.
      for (const [path, sight] of before) if (!sights.has(path)) sights.set(path, sight);
      trouble('the database', messageOf(error));
    }
  }

  /** Logs unknown names once: somebody may have put a statement where nobody looks. */
  function nameStrangers(entries: readonly Dirent[]): void {
    const names = entries
      .map(({ name }) => name)
      .filter((name) => !FOLDER.test(name) && !UNFINISHED.test(name))
      .sort();
    const fresh = names.filter((name) => !strangers.has(name));
    strangers = new Set(names);
    if (fresh.length === 0) return;
    const shown = fresh.slice(0, MAX_STRANGERS).join(', ') + (fresh.length > MAX_STRANGERS ? ', …' : '');
    log.warn(
      { about: directory },
      `ignored, because not an account folder such as 1-live or 1-test: ${shown}`,
    );
  }

  async function lookInto(
    folder: string,
    tenant: Tenant,
    isFolder: boolean,
    before: ReadonlyMap<string, Sight>,
  ): Promise<void> {
    if (!isFolder) throw new Error(`${folder} is not a folder; links are not followed`);
    const entries = await readdir(folder, { withFileTypes: true });
    const files = entries.filter((each) => each.isFile() && !UNFINISHED.test(each.name));
    if (files.length === 0) return;
    if ((await store.accounts.fetch(tenant.account)) === null)
      throw new Error(`there is no account ${tenant.account}`);
    // Names of statements mostly begin with their time, so this is the order in which to ingest them.
    for (const name of files.map((each) => each.name).sort()) {
      if (isStopping) return;
      const path = join(folder, name);
      await attempt(path, async () => {
        const sight = await see(path, before.get(path));
        if (sight === null) return;
        sights.set(path, sight);
        if (realNow() - sight.since < AT_REST_MS) return;
        await ingest(folder, name, tenant, sight).catch(async (error) => {
          // Another instance that watches the same folder may have been faster.
          if (error instanceof StoreUnavailable || (await isThere(path))) throw error;
        });
      });
    }
  }

  /** Current state of the file and its time of rest; null if it is gone. */
  async function see(path: string, before: Sight | undefined): Promise<Sight | null> {
    const look = await lookAt(path);
    if (look === null) return null;
    return before?.look === look ? before : { look, since: realNow() };
  }

  async function ingest(folder: string, name: string, tenant: Tenant, sight: Sight): Promise<void> {
    const path = join(folder, name);
    const fate = sight.fate ?? (await fateOf(path, name, tenant, sight.look));
    const now = await lookAt(path);
    // Another instance that watches the same folder was faster.
    if (now === null) return;
    if (fate === null || now !== sight.look) {
      // An incomplete or older version may have been read. The next round starts again.
      log.info(
        { file: path },
        'a bank statement changed while it was being ingested, and will be ingested again',
      );
      return;
    }
    sight.fate = fate;
    const target = join(folder, fate.folder);
    await makeFolder(target);
    let moved = await freeName(target, name);
    const note = () => `${moved}.error.txt`;
    if (fate.folder === 'failed') {
      // Another instance took the name at this very moment.
      while (!(await writeNew(note(), `${fate.why}\n`))) moved = await freeName(target, name);
    }
    try {
      await rename(path, moved);
    } catch (error) {
      if (fate.folder === 'failed') await rm(note(), { force: true });
      throw error;
    }
    sights.delete(path);
    if (fate.folder === 'failed')
      log.warn({ file: moved, why: fate.why }, 'a bank statement was not ingested');
  }

  /** Result of a file. Rejects if the problem is not the file itself; null if it is not the file that came to rest. */
  async function fateOf(path: string, name: string, tenant: Tenant, look: string): Promise<Fate | null> {
    try {
      const mapping = await mappingOf(name, tenant);
      const origin = ownOrigin(tenant, 'time');
      const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
      const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      await using content = file.createReadStream();
      if (lookOf(await file.stat({ bigint: true })) !== look) return null;
      const limit = { bytes: LIMITS.bytes, error: () => new StatementError('the file is too large') };
      await withCopy(content, limit, async (copy) => {
        const { hash } = copy;
        const source = { name: name.slice(0, MAX_NAME), hash, read: () => partsOf(copy, mapping) };
        const known = await store.bankFiles.fetchByHash(tenant, 'statement', hash);
        await ingestStatement(dependencies, origin, source, await dependencies.now(tenant));
        const kept = known ?? (await store.bankFiles.fetchByHash(tenant, 'statement', hash));
        const about = { file: path, statement: kept?.id, ...countsOf(kept?.data ?? {}) };
        log.info(about, `a bank statement was ingested${known === null ? '' : ' before'}`);
      });
      return { folder: 'done' };
    } catch (error) {
      if (error instanceof StatementError) return { folder: 'failed', why: error.message };
      throw error;
    }
  }

  /** Mapping of a CSV file, named by the beginning of the file's name: `my-bank.2030-01.csv`. */
  async function mappingOf(name: string, { account, mode }: Tenant) {
    if (!CSV.test(name)) return null;
    const settings = (await store.accounts.fetch(account))?.settings[mode];
    const wanted = MAPPED_CSV.exec(name)?.[1] ?? '';
    const mapping = settings ? csvMappingOf(settings, wanted) : null;
    if (mapping !== null) return mapping;
    const known = Object.keys(settings?.csvMappings ?? {});
    const choice = known.length === 0 ? 'of which there is none' : `one of ${known.join(', ')}`;
    throw new StatementError(
      `the name of a CSV file must begin with the name of a saved mapping, ${choice}, such as my-bank.2030-01.csv`,
    );
  }

  return {
    look,

    start(): void {
      log.info({ folder: directory }, 'watching this folder for bank statements');
      const round = async () => {
        await look();
        return false;
      };
      loop = startLoop(round, lookEveryMs, (error) => trouble(directory, messageOf(error)));
    },

    /** Resolves when the file in progress is done; the others wait for the next start. */
    async stop(): Promise<void> {
      isStopping = true;
      await loop?.stop();
    },
  };
}

function countsOf({ entries, new: fresh, settled, open }: { readonly [name: string]: unknown }) {
  return { entries, new: fresh, settled, open };
}

function lookOf({ dev, ino, size, mtimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs].join(' ');
}

/** State of the file, or null if there is none. */
async function lookAt(path: string): Promise<string | null> {
  const stats = await lstat(path, { bigint: true }).catch((error) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  return stats?.isFile() ? lookOf(stats) : null;
}

async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
  if (!(await lstat(path)).isDirectory()) throw new Error(`${path} is not a folder; links are not followed`);
}

/** A free name: `statement.xml`, `statement-2.xml`, … without a note of another failure either. */
async function freeName(folder: string, name: string): Promise<string> {
  const { name: stem, ext } = parse(name);
  for (let number = 1; ; number++) {
    const path = join(folder, number === 1 ? name : `${stem}-${number}${ext}`);
    if (!(await isThere(path)) && !(await isThere(`${path}.error.txt`))) return path;
  }
}

/** Writes a new file; false if it exists. */
async function writeNew(path: string, text: string): Promise<boolean> {
  return writeFile(path, text, { flag: 'wx' }).then(
    () => true,
    (error) => {
      if (error.code === 'EEXIST') return false;
      throw error;
    },
  );
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
}
