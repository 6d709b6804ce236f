/** `opentill users`: people who sign in, invited and brought back on the machine of the service or at a server. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { executeOn } from '../../src/cli/with-store.ts';
import { newId } from '../../src/lib/id.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import type { Store } from '../../src/store/store.ts';
import { readLinkToken } from '../../src/users/links.ts';
import { installation, type UserId } from '../../src/users/user.ts';
import { ownOrigin } from '../../src/writer/command.ts';
import { cleanUp, type Ends } from '../support/clean-up.ts';
import { freshDirectory, runToEnd } from '../support/process.ts';
import { serveHere } from '../support/service.ts';
import { acceptedUser } from '../support/users.ts';

const PUBLIC_URL = 'https://pay.example';

/** A server, whose first start has invited an owner, and the command line beside it on the same database. */
async function setUp(t: Ends) {
  const path = join(freshDirectory(t), 'till.db');
  const settings = { DATABASE_URL: `sqlite:${path}`, PUBLIC_URL };
  const server = await serveHere(t, settings);
  const run = (words: readonly string[], env: Readonly<Record<string, string>> = settings) =>
    runToEnd(t, words, env);
  const users = (...args: string[]) => run(['users', ...args]);
  async function json(...args: string[]) {
    const { code, stdout, stderr } = await users(...args, '--json');
    assert.deepEqual([code, stderr], [0, ''], args.join(' '));
    return JSON.parse(stdout);
  }
  async function withStore<T>(use: (store: Store) => Promise<T>): Promise<T> {
    const store = openSqliteStore(path, { serve: false });
    try {
      return await use(store);
    } finally {
      await store.close();
    }
  }
  const stored = (id: string) => withStore((store) => store.dashboardUsers.fetch(id as UserId));
  async function keyOf(...args: string[]): Promise<string> {
    const made = await run(['keys', 'create', '--json', '--permissions', 'manage', ...args]);
    const { id, secret } = JSON.parse(made.stdout);
    return `${id}:${secret}`;
  }
  return { server, path, run, users, json, stored, withStore, keyOf };
}

const linkIn = (stdout: string) => /^Link {2}(\S+)$/m.exec(stdout)?.[1] ?? assert.fail(stdout);
const readLink = (url: string) => readLinkToken(url.slice(`${PUBLIC_URL}/dashboard/link/`.length));

suite('opentill users', () => {
  test('invites somebody by a link that is printed, and lists them', async () => {
    await using t = cleanUp();
    const { users, stored } = await setUp(t);
    const invited = await users('invite', 'support', '--email', 'Ada@Example.com', '--name', 'Ada');
    assert.deepEqual([invited.code, invited.stderr], [0, '']);
    const { id, hash } = readLink(linkIn(invited.stdout)) ?? assert.fail(invited.stdout);
    assert.match(invited.stdout, new RegExp(`^User {2}${id}\n`));
    assert.equal((await stored(id))?.link?.hash, hash);
    const { stdout } = await users('list');
    const [first, second, ...others] = stdout.split('\n');
    assert.equal(first, `${id}  support  ada@example.com  Ada  invited`);
    assert.match(second ?? '', /^usr_\w+ {2}owner {2}- {2}- {2}invited$/);
    assert.deepEqual(others, ['']);
  });

  test('brings anybody back, whatever accounts they work for', async () => {
    await using t = cleanUp();
    const { users, run, json, stored } = await setUp(t);
    await run(['accounts', 'create', 'Other']);
    const { id } = await json('invite', 'support', '--email', 'ada@example.com', '--account', '2');
    const reset = await users('reset', id);
    assert.deepEqual([reset.code, reset.stderr], [0, '']);
    const link = readLink(linkIn(reset.stdout));
    assert.deepEqual(link, { id, hash: (await stored(id))?.link?.hash });
    const unknown = await users('reset', 'usr_nobody');
    assert.deepEqual([unknown.code, unknown.stderr], [1, 'opentill: There is no such user.\n']);
  });

  test('changes and takes roles, but for that of the last owner', async () => {
    await using t = cleanUp();
    const { users, json, stored, withStore } = await setUp(t);
    const owner = await withStore((store) => acceptedUser(store));
    for (const args of [
      ['set-role', owner.id, 'support'],
      ['remove', owner.id],
    ]) {
      const { code, stderr } = await users(...args);
      assert.deepEqual([code, stderr], [1, 'opentill: The account would have no owner left.\n']);
    }
    const { id } = await withStore((store) =>
      acceptedUser(store, { email: 'bob@example.com', role: 'finance' }),
    );
    assert.equal((await json('set-role', id, 'owner')).role, 'owner');
    const { code, stdout } = await users('remove', owner.id);
    assert.deepEqual([code, stdout], [0, `${owner.id} has no role on the account any more\n`]);
    assert.equal(await stored(owner.id), null);
    const { stderr } = await users('remove', owner.id);
    assert.equal(stderr, 'opentill: There is no such member of the account.\n');
  });

  test('says of somebody without a role that they are an operator still', async () => {
    await using t = cleanUp();
    const { users, stored, withStore } = await setUp(t);
    const { id } = await withStore((store) => acceptedUser(store, { role: 'finance', isOperator: true }));
    const { code, stdout } = await users('remove', id);
    assert.deepEqual(
      [code, stdout],
      [
        0,
        `${id} has no role on the account any more\n${id} is still an operator of the installation; opentill users set-operator ${id} --off takes that\n`,
      ],
    );
    assert.equal((await stored(id))?.isOperator, true);
  });

  test('makes operators of the installation, and lists them; the first user is one', async () => {
    await using t = cleanUp();
    const { users, json, stored, withStore } = await setUp(t);
    const [owner] = await json('list');
    const listed = async () => (await json('operators')).map(({ id }: { id: string }) => id);
    assert.deepEqual(await listed(), [owner.id]);
    const invited = await json('invite', 'support', '--operator');
    assert.equal((await stored(invited.id))?.isOperator, true);
    const ada = await withStore((store) => acceptedUser(store, { role: 'finance' }));
    const made = await users('set-operator', ada.id);
    assert.deepEqual([made.code, made.stdout], [0, `${ada.id} is an operator of the installation\n`]);
    assert.deepEqual(await listed(), [ada.id, invited.id, owner.id]);
    const lines = (await users('operators')).stdout.split('\n');
    assert.equal(lines[0], `${ada.id}  ada@example.com  Ada Lovelace  active`);
    for (const id of await listed()) await users('set-operator', id, '--off');
    const none = await users('operators');
    assert.deepEqual([none.code, none.stdout], [0, '']);
    assert.match(none.stderr, /there are no operators; opentill users set-operator makes a user one/);
    // Their roles are as they were.
    assert.equal((await stored(ada.id))?.roles[1], 'finance');
    const unknown = await users('set-operator', 'usr_nobody');
    assert.deepEqual([unknown.code, unknown.stderr], [1, 'opentill: There is no such user.\n']);
  });

  test('makes no operator at a server', async () => {
    await using t = cleanUp();
    const { server, run, keyOf } = await setUp(t);
    const args = ['users', 'invite', 'owner', '--operator', '--url', server.url];
    const { code, stderr } = await run(args, { OPENTILL_API_KEY: await keyOf('--live') });
    assert.equal(code, 2);
    assert.match(stderr, /--operator does not go with --url/);
  });

  test('does the same at a server, by a key of live mode', async () => {
    await using t = cleanUp();
    const { server, run, json, keyOf } = await setUp(t);
    const at = async (key: string, ...args: string[]) =>
      run(['users', ...args, '--url', server.url], { OPENTILL_API_KEY: key });
    const live = await keyOf('--live');
    const invited = await at(live, 'invite', 'support');
    assert.equal(invited.code, 0, invited.stderr);
    const { id } = readLink(linkIn(invited.stdout)) ?? assert.fail(invited.stdout);
    assert.equal((await at(live, 'set-role', id, 'finance')).code, 0);
    assert.ok(linkIn((await at(live, 'reset', id)).stdout));
    assert.match((await at(await keyOf(), 'list')).stdout, new RegExp(`^${id}  finance  `));
    const test = await at(await keyOf(), 'remove', id);
    assert.deepEqual([test.code, test.stdout], [1, '']);
    assert.match(test.stderr, /Only keys of live mode may call this operation\n$/);
    assert.equal((await at(live, 'remove', id, '--account', '2')).code, 2);
    assert.equal((await at(live, 'remove', id)).code, 0);
    assert.deepEqual(
      (await json('list')).map(({ role }: { role: string }) => role),
      ['owner'],
    );
  });

  test('refuses wrong values, all of them at once, and accounts that are not there', async () => {
    await using t = cleanUp();
    const { users } = await setUp(t);
    const { code, stderr } = await users('invite', 'admin', '--email', 'ada', '--name', 'a\nb');
    assert.equal(code, 2);
    for (const said of [
      /takes one of owner, finance, support, read_only/,
      /takes an e-mail address/,
      /in one line/,
    ])
      assert.match(stderr, said);
    for (const args of [['list'], ['invite', 'owner']]) {
      const elsewhere = await users(...args, '--account', '9');
      assert.match(elsewhere.stderr, /there is no account 9/);
    }
    assert.equal((await users('reset', 'ada@example.com')).code, 2);
  });

  test('lists what is behind the first page as well', async () => {
    await using t = cleanUp();
    const { users, path } = await setUp(t);
    const store = openSqliteStore(path);
    const execute = executeOn(store);
    const origin = ownOrigin(installation, 'operator');
    const made = Array.from({ length: 100 }, (_, index) => {
      const id = newId('usr', Date.now() + index);
      const link = { hash: 'a'.repeat(64), until: Date.now() };
      const given = { id, name: '', email: '', account: 1, role: 'support', link, now: Date.now() } as const;
      return execute({ subject: 'user', origin, id, command: { type: 'invite_user', ...given } });
    });
    await Promise.all(made);
    await store.close();
    assert.equal((await users('list')).stdout.trimEnd().split('\n').length, 101);
  });

  test('prints names from elsewhere so that they cannot steer a terminal', async () => {
    await using t = cleanUp();
    const { users } = await setUp(t);
    await users('invite', 'support', '--name', 'Ada\u202eB');
    assert.ok(!(await users('list')).stdout.includes('\u202e'));
  });
});
