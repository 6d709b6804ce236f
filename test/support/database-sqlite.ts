import { chmodSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { migrate } from '../../src/store/sqlite/migrate.ts';
import { enterToWrite } from '../../src/store/sqlite/ownership.ts';
import type { Row, TestDatabase } from './database.ts';

let template: string | undefined;

/** A file with the newest schema, which goes with this process: to copy it takes a tenth of what the migrations do. */
function migratedTemplate(): string {
  if (template !== undefined) return template;
  const directory = mkdtempSync(join(tmpdir(), 'opentill-template-'));
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  template = join(directory, 'migrated.db');
  const database = new DatabaseSync(template);
  database.exec('PRAGMA journal_mode = WAL');
  migrate(database, template);
  database.close();
  return template;
}

export async function freshSqlite(): Promise<TestDatabase> {
  const directory = mkdtempSync(join(tmpdir(), 'opentill-test-'));
  const path = join(directory, 'test.db');
  copyFileSync(migratedTemplate(), path);
  chmodSync(path, 0o600);
  // The file is not opened before a test asks for something.
  let connection: DatabaseSync | undefined;
  let leave = () => {};
  function opened(): DatabaseSync {
    if (connection === undefined) {
      // Services start again beside it.
      leave = enterToWrite(path);
      connection = new DatabaseSync(path);
    }
    return connection;
  }
  async function query(sql: string, ...values: ReadonlyArray<string | number>): Promise<Row[]> {
    return opened()
      .prepare(sql)
      .all(...values);
  }
  async function tables(): Promise<string[]> {
    const rows = await query(`SELECT name FROM sqlite_schema WHERE type = 'table'`);
    return rows.map(({ name }) => name);
  }
  return {
    kind: 'sqlite',
    url: `sqlite:${path}`,
    // The version that was seen last counts for a millisecond.
    directoryLagMs: 2,
    query,
    tables,
    tablesOfChanges: tables,
    // The number changes with every commit of another connection.
    state: () => query('PRAGMA data_version'),
    async lock() {
      opened().exec('BEGIN EXCLUSIVE');
      return async () => opened().exec('ROLLBACK');
    },
    async remove() {
      connection?.close();
      leave();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
