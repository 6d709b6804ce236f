/** Files and folders that settings name: who can read them, and whether the service can. */
import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite, test } from 'node:test';
import { examineStatements, isMounted, mountsOf, secretFinding } from '../../../src/cli/doctor/files.ts';
import { cleanUp } from '../../support/clean-up.ts';
import { freshDirectory } from '../../support/process.ts';
import { examined, found, made } from './findings.ts';

suite('doctor looks at files', () => {
  test('that others can read, with the files of secrets', async () => {
    await using t = cleanUp();
    const { path, settings } = await made(t);
    const secret = join(path, '../key');
    writeFileSync(secret, 'sk_test_canary:');
    chmodSync(secret, 0o444);
    chmodSync(path, 0o640);
    const examine = () => examined(t, { ...settings, STRIPE_TEST_SECRET_KEY_FILE: secret });
    chmodSync(dirname(path), 0o755);
    const open = await examine();
    assert.equal(found(open, 'files', new RegExp(`^Every user .* ${secret},`)).advice, `chmod 600 ${secret}`);
    assert.equal(found(open, 'files', new RegExp(`^The group of ${path} `)).status, 'advice');
    // The directory is closed to all others now.
    chmodSync(dirname(path), 0o700);
    const closed = await examine();
    for (const file of [secret, path])
      assert.equal(found(closed, 'files', new RegExp(`^Only its owner can read ${file}\\.$`)).status, 'ok');
  });

  const [user, root] = [1000, 0];
  const rows = [
    { name: 'of the user alone', mode: 0o600, owner: user, is: 'ok' },
    { name: 'of the user, open to its group', mode: 0o640, owner: user, is: 'advice' },
    { name: 'of the user, open to all', mode: 0o444, owner: user, is: 'wrong' },
    { name: 'of root, lent to a group', mode: 0o640, owner: root, is: 'ok' },
    { name: 'of root, which a group may write', mode: 0o660, owner: root, is: 'advice' },
    { name: 'of root, open to all', mode: 0o444, owner: root, is: 'wrong' },
    { name: 'of root, mounted', mode: 0o444, owner: root, isMounted: true, is: 'ok' },
    {
      name: 'of the user, mounted from a machine where that is its own',
      mode: 0o644,
      owner: user,
      isMounted: true,
      is: 'ok',
    },
    { name: 'mounted, which all may write', mode: 0o666, owner: root, isMounted: true, is: 'wrong' },
  ];
  for (const { name, mode, owner, isMounted = false, is } of rows) {
    test(`${name}: ${is}`, () => {
      const { status, advice } = secretFinding('/run/key', { mode, owner, isMounted }, user);
      assert.equal(status, is);
      // The advice leaves the file readable for the service.
      const close =
        owner === user ? 'chmod 600 /run/key' : 'As root: chown 1000 /run/key && chmod 600 /run/key';
      assert.equal(advice, is === 'ok' ? '' : close);
    });
  }

  test('that are mounted for a container', () => {
    const mounts = mountsOf(
      [
        '22 27 0:21 / / ro,relatime - overlay overlay rw',
        '501 22 8:1 /srv/till/secrets/key /run/secrets/database\\040url ro,relatime - ext4 /dev/sda1 rw',
        '502 22 0:40 / /etc/till rw,relatime master:3 - tmpfs tmpfs ro',
        '503 22 0:41 / /etc/keys ro,relatime - tmpfs tmpfs rw',
        '',
      ].join('\n'),
    );
    for (const file of ['/run/secrets/database url', '/etc/keys/stripe'])
      assert.ok(isMounted(file, mounts), file);
    for (const file of ['/run/secrets/other', '/etc/till/key', '/etc/keys/sub/key', '/key'])
      assert.ok(!isMounted(file, mounts), file);
  });

  test('in the folder of statements', async () => {
    await using t = cleanUp();
    const directory = freshDirectory(t);
    const settings = { DATABASE_URL: `sqlite:${join(directory, 'till.db')}`, STATEMENT_DIR: directory };
    assert.equal(found(await examined(t, settings), 'files', /^Statements in /).status, 'ok');
    assert.equal(examineStatements({ STATEMENT_DIR: join(directory, 'nowhere') })[0]?.status, 'wrong');
    assert.deepEqual(examineStatements({}), []);
  });
});
