import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Row, TestDatabase } from './database.ts';

export async function freshSqlite(): Promise<TestDatabase> {
  const directory = mkdtempSync(join(tmpdir(), 'opentill-test-'));
  const path = join(directory, 'test.db');
  // Whoever serves makes the file; it is not opened before a test asks for something.
  let connection: DatabaseSync | undefined;
  function opened(): DatabaseSync {
    connection ??= new DatabaseSync(path);
    return connection;
  }
  async function query(sql: string, ...values: ReadonlyArray<string | number>): Promise<Row[]> {
    return opened()
      .prepare(sql)
      .all(...values);
  }
  return {
    url: `sqlite:${path}`,
    directoryLagMs: 0,
    query,
    async tables() {
      const rows = await query(`SELECT name FROM sqlite_schema WHERE type = 'table'`);
      return rows.map(({ name }) => name);
    },
    // It counts the commits of other connections.
    state: () => query('PRAGMA data_version'),
    async lock() {
      opened().exec('BEGIN EXCLUSIVE');
      return async () => opened().exec('ROLLBACK');
    },
    async remove() {
      connection?.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
