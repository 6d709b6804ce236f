/** The description of the tables, held against the schema that the migrations make of each database. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import postgres from 'postgres';
import { prepareDatabase } from '../../src/store/postgres/prepare.ts';
import type { Dialect } from '../../src/store/sql.ts';
import { openDatabase } from '../../src/store/sqlite/connection.ts';
import { booleanFields, schemaOf } from '../../src/store/tables.ts';
import { freshDatabase } from '../support/postgres.ts';
import { freshDirectory } from '../support/process.ts';

type Found = {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly nullable: unknown;
};

/** Each column in a line, as it is described and as it was found. */
const described = (dialect: Dialect, typeOf = (type: string): string => type): string[] =>
  Object.entries(schemaOf(dialect))
    .flatMap(([table, columns]) =>
      columns.map(
        ({ name, type, isNullable, isKey }) =>
          `${table}.${name} ${typeOf(type)}${isNullable ? '?' : ''}${isKey ? '*' : ''}`,
      ),
    )
    .sort();

/** The keys of both databases are compared by their columns; of an event in SQLite it is that of its id. */
const lines = (columns: readonly Found[], keys: ReadonlySet<string>): string[] =>
  columns
    .map(({ table, name, type, nullable }) => {
      const key = keys.has(`${table}.${name}`);
      return `${table}.${name} ${type}${nullable && !key ? '?' : ''}${key ? '*' : ''}`;
    })
    .sort();

suite('the tables are described as they are', () => {
  test('on SQLite, which has numbers for true and false', (t) => {
    const database = openDatabase(join(freshDirectory(t), 'test.db'));
    t.after(() => database.close());
    const rows = database
      .prepare(
        `SELECT tables.name AS "table", columns.name, columns.type, NOT columns."notnull" AS nullable, pk
         FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
         WHERE tables.type = 'table' AND tables.name <> 'directory'`,
      )
      .all() as unknown as Array<Found & { pk: number }>;
    const keys = new Set(rows.filter(({ pk }) => pk > 0).map(({ table, name }) => `${table}.${name}`));
    assert.ok(keys.delete('event.position') && keys.add('event.id'));
    assert.deepEqual(
      lines(rows, keys),
      described('sqlite', (type) => (type === 'text' ? 'TEXT' : 'INTEGER')),
    );
  });

  test('on PostgreSQL', async (t) => {
    const url = await freshDatabase(t);
    await prepareDatabase(url);
    const sql = postgres(url, { max: 1, fetch_types: false });
    t.after(() => sql.end());
    // Columns that follow from others of the row are the server's own: nobody writes or reads one.
    const rows = await sql<Found[]>`
      SELECT table_name AS table, column_name AS name, data_type AS type, is_nullable = 'YES' AS nullable
      FROM information_schema.columns
      WHERE table_schema = 'public' AND table_name NOT IN ('directory', 'schema_version') AND is_generated = 'NEVER'`;
    const keys = await sql`
      SELECT indrelid::regclass || '.' || attname AS name
      FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY (indkey[0:indnkeyatts - 1]) WHERE indisprimary`;
    assert.deepEqual(lines(rows, new Set(keys.map(({ name }) => name))), described('postgres'));
    // Both databases put texts in the same order, whatever the language of the server is.
    const ofServer = await sql`
      SELECT DISTINCT indrelid::regclass || '.' || attname AS name
      FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY (indkey)
      WHERE indrelid::regclass::text IN (SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace)
        AND atttypid = 'text'::regtype AND attcollation <> '"C"'::regcollation`;
    assert.deepEqual([...ofServer], [], 'columns of keys and indexes have COLLATE "C"');
  });

  test('and columns that are true or false are so wherever their name is used', () => {
    for (const [table, columns] of Object.entries(schemaOf('sqlite'))) {
      for (const { field, type } of columns) {
        assert.equal(booleanFields.has(field), type === 'boolean', `${table}.${field}`);
      }
    }
  });
});
