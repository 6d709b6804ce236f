/** Findings of `doctor` about PostgreSQL: on a real server, and about servers that cannot be had here. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { examineServer, serverFindings } from '../../../src/cli/doctor/database-server.ts';
import { cleanUp } from '../../support/clean-up.ts';
import { freshDatabase, migratedDatabase } from '../../support/postgres.ts';

const facts = {
  number: 180_000,
  version: '18.0',
  encoding: 'UTF8',
  durable: 'on',
  standby: false,
  read_only: 'off',
  now: 1_800_000_000_000,
  checksums: 'on',
  most: 100,
  tls: null,
  remote: false,
  nodes: null,
};

suite('an examination of PostgreSQL', () => {
  test('finds nothing wrong with a database that a service uses, and changes nothing in an empty one', async () => {
    await using t = cleanUp();
    const used = await examineServer(await migratedDatabase(t), 4);
    assert.deepEqual(
      used.filter(({ status }) => status === 'wrong'),
      [],
    );
    assert.ok(used.some(({ text }) => /has the schema \d+, that of this version\.$/.test(text)));
    const url = await freshDatabase(t);
    for (let times = 0; times < 2; times++)
      assert.ok(
        (await examineServer(url, 4)).some(({ text }) => / has no tables of opentill yet\.$/.test(text)),
      );
  });

  test('says why a server is not reached, without the password', async () => {
    const [only, ...others] = await examineServer('postgres://till:canary@127.0.0.1:1/till', 4);
    assert.ok(only && others.length === 0);
    assert.match(only.text, /^Cannot use the database 127\.0\.0\.1:1\/till: .*ECONNREFUSED/);
    assert.doesNotMatch(JSON.stringify(only), /canary/);
  });

  for (const [other, status, text] of [
    [{ standby: true }, 'wrong', /it is a standby/],
    [{ number: 140_000, version: '14.1' }, 'wrong', /too old/],
    [{ now: facts.now - 60_000 }, 'wrong', /is 60 s ahead of that of the server/],
    [{ now: facts.now + 60_000 }, 'wrong', /is 60 s behind that of the server/],
    [{ checksums: 'off' }, 'advice', /does not notice damaged pages/],
    [{ most: 12 }, 'wrong', /accepts 12 connections, and each process holds 12/],
    // The nodes are watched over a connection of its own, and each is asked over another.
    [{ most: 15, nodes: 2 }, 'wrong', /accepts 15 connections, and each process holds 15/],
    [{ remote: true, tls: false }, 'advice', /is not encrypted/],
  ] as const)
    test(`finds ${JSON.stringify(other)} (${status})`, () => {
      const changed = serverFindings('db/till', { ...facts, ...other }, 4, facts.now);
      const found = changed.filter((each) => each.status !== 'ok');
      assert.equal(found.length, 1, JSON.stringify(found));
      assert.equal(found[0]?.status, status);
      assert.match(found[0]?.text ?? '', text);
    });

  test('has nothing to say of a server that is as it should be', () => {
    const findings = serverFindings('db/till', { ...facts, remote: true, tls: true }, 4, facts.now);
    assert.deepEqual(
      findings.filter(({ status }) => status !== 'ok'),
      [],
    );
  });
});
