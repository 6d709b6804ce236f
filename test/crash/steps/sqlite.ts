/** A service on SQLite that is killed behind a statement, by `hook.ts` in its process. */
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';
import { freshDirectory, serve } from '../../support/process.ts';
import { openBooks } from '../books.ts';
import { COMMIT, type Order, type Place } from './order.ts';
import { BESIDE, COUNTED, type Rows } from './rows.ts';
import { quickClock, program as quickService, SOON_MS, type Stepped } from './stepped.ts';

const hook = join(import.meta.dirname, 'hook.ts');

export type SteppedSqlite = Stepped & {
  readonly path: string;
  /** The same for the steps of another kind. */
  order(of: Order['of'], end: Place | null): { steps(): readonly string[] };
};

export function steppedSqlite(
  t: TestContext,
  settings: Readonly<Record<string, string>>,
  { program = quickService } = {},
): SteppedSqlite {
  const directory = freshDirectory(t);
  const path = join(directory, 'till.db');
  const left = join(directory, 'left.db');
  const clock = quickClock();
  const orders = join(directory, 'order');
  let count = 0;
  let noted = () => [] as readonly string[];

  function order(of: Order['of'], end: Place | null) {
    const notes = join(directory, `notes-${++count}`);
    // The file appears at once, so that it is never read half written.
    writeFileSync(`${orders}.new`, JSON.stringify({ of, end, notes } satisfies Order));
    renameSync(`${orders}.new`, orders);
    noted = () => (existsSync(notes) ? readFileSync(notes, 'utf8').split('\n').slice(0, -1) : []);
    return { steps: noted };
  }

  return {
    name: 'SQLite',
    kills: true,
    directoryLagMs: 0,
    path,
    order,
    start: () =>
      serve(
        t,
        {
          DATABASE_URL: `sqlite:${path}`,
          NODE_OPTIONS: `--import ${hook}`,
          KILL_STEPS: orders,
          ...clock.settings,
          ...settings,
        },
        { program },
      ),
    openStore: async () => openSqliteStore(path),
    arm: (server, end) => ({
      ...order('commits', end),
      reached: server.ended.then(() => {}),
    }),
    disarm() {
      rmSync(orders, { force: true });
      noted = () => [];
    },
    rows: async () => rowsOf(path),
    async rowsLeft() {
      for (const part of ['', '-wal', '-shm']) rmSync(left + part, { force: true });
      for (const part of ['', '-wal']) if (existsSync(path + part)) copyFileSync(path + part, left + part);
      return rowsOf(left);
    },
    async isIdle() {
      // The commit may be visible to others before it is on the disk.
      if (noted().at(-1) === COMMIT) return false;
      using database = new DatabaseSync(path, { readOnly: true });
      const found = database
        .prepare(`
          SELECT (SELECT count(*) FROM delivery WHERE state = 'pending') +
            (SELECT count(*) FROM checkout
              WHERE due_at <= $soon + (SELECT max(test_clock_offset_ms) FROM account)) AS due`)
        .get({ soon: clock.now() + SOON_MS });
      return found?.due === 0;
    },
    check: () => checkBooks(path),
    checkLeft: () => checkBooks(left),
  };
}

async function checkBooks(path: string): Promise<void> {
  const books = openBooks(path);
  await books.check();
  books.close();
}

function rowsOf(path: string): Rows {
  using database = new DatabaseSync(path, { readOnly: true });
  const one = (sql: string) => Number(Object.values(database.prepare(sql).get() ?? {})[0]);
  const tables = database
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
    .all()
    .map(({ name }) => String(name))
    .filter((name) => name !== BESIDE);
  return new Map([
    ...tables.map((table) => [table, one(`SELECT count(*) FROM ${table}`)] as const),
    ...COUNTED.map(
      ([table, column]) =>
        [`${column} of ${table}`, one(`SELECT coalesce(sum(${column}), 0) FROM ${table}`)] as const,
    ),
  ]);
}
