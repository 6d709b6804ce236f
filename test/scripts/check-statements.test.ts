/** The check of statements finds what databases in shards refuse, or hold to less than one server does. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { objectionsIn, objectionsInMigration, objectionsTo } from '../../scripts/check-statements.ts';

suite('a statement that databases in shards do not take is found', () => {
  for (const [statement, objection] of [
    ['SELECT id FROM checkout FOR UPDATE', 'a locking SELECT that returns something'],
    ['SELECT 12 FROM checkout FOR NO KEY UPDATE', 'a locking SELECT that returns something'],
    ['UPDATE a SET b = 1; UPDATE a SET b = 2', 'several statements in one text'],
    ['LOCK TABLE account', 'a lock of a table'],
    ['SELECT pg_try_advisory_xact_lock(1)', 'an advisory lock'],
    ['CREATE TEMP TABLE x (a integer)', 'a temporary table'],
    ['ALTER TABLE a RENAME CONSTRAINT b TO c', 'a name that is changed'],
    ['ALTER TABLE account ALTER COLUMN number RESTART WITH 7', 'a sequence that begins anew'],
    ['ALTER TABLE a ADD COLUMN b bigint REFERENCES c', 'a foreign key'],
  ] as const)
    test(statement, () => assert.deepEqual(objectionsTo(statement), [objection]));

  test('and one that they take is not', () => {
    for (const statement of [
      'SELECT 1 FROM checkout ORDER BY id FOR UPDATE',
      'WITH due AS (SELECT id FROM timer FOR UPDATE SKIP LOCKED) UPDATE timer SET due_at = 1 FROM due;\n',
      "UPDATE account SET name = 'LOCK TABLE; SAVEPOINT' -- FOR UPDATE",
    ])
      assert.deepEqual(objectionsTo(statement), []);
  });
});

test('texts of a script are looked at where they stand, with what is put into them', () => {
  const script = [
    `const where = sql\`account = \${key({ of: \`SELECT\` })}\`;`,
    `const locked = sql\`SELECT id FROM checkout WHERE \${where} FOR UPDATE\`;`,
    "send('LOCK TABLE account');",
    '// LOCK TABLE account',
    "say('a sentence; LOCK TABLE is in it');",
  ].join('\n');
  assert.deepEqual(objectionsIn(script, 'x.ts'), [
    'x.ts:2: a locking SELECT that returns something',
    'x.ts:3: a lock of a table',
  ]);
});

test('keys of a table of tenants begin with the account', () => {
  const migration = `-- One.
CREATE TABLE note (
  account bigint NOT NULL,
  live boolean NOT NULL,
  id text UNIQUE,
  PRIMARY KEY (account, live, id)
);
CREATE UNIQUE INDEX note_id ON note (id);
CREATE INDEX note_live ON note (live);
`;
  assert.deepEqual(objectionsInMigration(migration, 'x.sql'), [
    'x.sql: a unique key that does not begin with the account: UNIQUE',
    'x.sql: a unique key that does not begin with the account: CREATE UNIQUE INDEX note_id ON note (id)',
  ]);
});
