/** The description of the tables, held against the schema that the migrations make of each database. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import postgres from 'postgres';
import { prepareDatabase } from '../../src/store/postgres/open.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { booleanColumns, columnsOf, type Table, tables } from '../../src/store/tables.ts';
import { freshDatabase } from '../support/postgres.ts';
import { freshDirectory } from '../support/process.ts';

const names = Object.keys(tables) as Table[];

suite('the tables are described as they are', () => {
  test('on SQLite, which has numbers for true and false', (t) => {
    const database = openDatabase(join(freshDirectory(t), 'test.db'));
    t.after(() => database.close());
    for (const table of names) {
      const rows = database.prepare('SELECT * FROM pragma_table_info(?)').all(table);
      const found = new Map(
        rows.map(({ name, type, notnull, pk }) => [name, `${type}${notnull || pk ? '' : '?'}`]),
      );
      for (const [name, type] of columnsOf(table)) {
        const kept = type.startsWith('text') ? 'TEXT' : 'INTEGER';
        assert.equal(found.get(name), kept + (type.endsWith('?') ? '?' : ''), `${table}.${name}`);
      }
    }
  });

  test('on PostgreSQL', async (t) => {
    const url = await freshDatabase(t);
    await prepareDatabase(url);
    const sql = postgres(url, { max: 1, fetch_types: false });
    t.after(() => sql.end());
    for (const table of names) {
      const rows = await sql`
        SELECT column_name AS name, data_type AS type, is_nullable AS empty FROM information_schema.columns
        WHERE table_name = ${table}`;
      const found = new Map(
        rows.map(({ name, type, empty }) => [name, `${type}${empty === 'YES' ? '?' : ''}`]),
      );
      for (const [name, type] of columnsOf(table)) assert.equal(found.get(name), type, `${table}.${name}`);
    }
  });

  test('and columns that are true or false are so wherever their name is used', () => {
    for (const table of names) {
      for (const [name, type] of columnsOf(table)) {
        assert.equal(booleanColumns.has(name), type === 'boolean', `${table}.${name}`);
      }
    }
  });
});
