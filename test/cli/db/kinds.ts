/** Operations on a database of each kind, for tests of the commands on whole databases. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import postgres from 'postgres';
import type { Ends } from '../../support/clean-up.ts';
import { freshDatabase } from '../../support/postgres.ts';
import { freshDirectory } from '../../support/process.ts';

export type Rows = ReadonlyArray<Readonly<Record<string, unknown>>>;

export type Kind = {
  readonly name: 'sqlite' | 'postgres';
  /** The address of a database that is not there yet, or is empty. */
  fresh(t: Ends): Promise<string>;
  /** The address of a copy, made while nobody uses the database. */
  copy(t: Ends, url: string): Promise<string>;
  /** Runs statements; rows are those of the last one, if it is a single one. */
  run(url: string, sql: string): Promise<Rows>;
};

const pathOf = (url: string) => url.replace(/^sqlite:/, '');

export const sqlite: Kind = {
  name: 'sqlite',
  fresh: async (t) => `sqlite:${join(freshDirectory(t), 'till.db')}`,
  async copy(t, url) {
    const copy = await sqlite.fresh(t);
    copyFileSync(pathOf(url), pathOf(copy));
    return copy;
  },
  async run(url, sql) {
    // Damage to a file is what the schema, its triggers and SQLite itself would refuse, so they are off.
    const database = new DatabaseSync(pathOf(url), { enableForeignKeyConstraints: false, defensive: false });
    try {
      if (/^SELECT/.test(sql)) return database.prepare(sql).all();
      database.exec(sql);
      return [];
    } finally {
      database.close();
    }
  },
};

export const postgresql: Kind = {
  name: 'postgres',
  fresh: (t) => freshDatabase(t),
  copy: (t, url) => freshDatabase(t, new URL(url).pathname.slice(1)),
  async run(url, text) {
    const sql = postgres(url, { max: 1, fetch_types: false, onnotice: () => {} });
    try {
      return await sql.unsafe(text);
    } finally {
      await sql.end();
    }
  },
};

export const kinds: readonly Kind[] = [sqlite, postgresql];
