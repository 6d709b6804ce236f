/** Servers that are refused at the start. Tests in test/cli start those that can be had. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectionTo, type ServerFacts } from '../../src/store/postgres/prepare.ts';

const good: ServerFacts = {
  number: 150_000,
  version: '15.0',
  encoding: 'UTF8',
  durable: 'on',
  standby: false,
  read_only: 'off',
};

test('a server that is writable, durable and recent is accepted', () => {
  for (const facts of [good, { ...good, number: 180_004 }, { ...good, durable: 'remote_apply' }])
    assert.equal(objectionTo(facts), null);
});

for (const [facts, objection] of [
  [{ number: 149_999, version: '14.99' }, /^PostgreSQL 14\.99 is too old, 15 or newer is needed$/],
  [{ standby: true, read_only: 'on' }, /standby/],
  [{ read_only: 'on' }, /read-only/],
  [{ encoding: 'SQL_ASCII' }, /SQL_ASCII.*UTF8/],
  [{ durable: 'off' }, /synchronous_commit is off/],
] as const) {
  test(`a server with ${JSON.stringify(facts)} is refused`, () => {
    assert.match(objectionTo({ ...good, ...facts }) ?? '', objection);
  });
}
