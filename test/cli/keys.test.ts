import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, test } from 'node:test';
import { createApiKey, usualPermissions } from '../../src/accounts/api-key.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { cleanUp, type Ends } from '../support/clean-up.ts';
import { freshDirectory, runToEnd } from '../support/process.ts';
import { serveHere } from '../support/service.ts';

const BOOT = 'ak_test_boot:sk_test_boot';

/** A server, and the command line beside it on the same database. */
async function setUp(t: Ends) {
  const settings = { DATABASE_URL: `sqlite:${join(freshDirectory(t), 'till.db')}` };
  const server = await serveHere(t, { ...settings, BOOTSTRAP_API_KEY: BOOT });
  const keys = (...args: string[]) => runToEnd(t, ['keys', ...args], settings);
  const status = async (id: string, secret: string, method = 'GET') => {
    const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
    const body = { invoice_currency: 'EUR', amount: 100 };
    const response = await fetch(`${server.url}/v3/checkout`, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(method === 'POST' ? { body: JSON.stringify(body) } : {}),
    });
    return response.status;
  };
  return { server, keys, status, settings };
}

function made(stdout: string): { id: string; secret: string } {
  const [, id = ''] = /^API key {9}(ak_(?:test|live)_\w+)$/m.exec(stdout) ?? [];
  const [, secret = ''] = /^API secret {6}(sk_(?:test|live)_\w+)$/m.exec(stdout) ?? [];
  assert.ok(id && secret, stdout);
  return { id, secret };
}

suite('opentill keys, beside a server that runs', () => {
  test('a key works as soon as it is made, and not any more once it is revoked', async () => {
    await using t = cleanUp();
    const { keys, status } = await setUp(t);
    const created = await keys('create', '--name', 'Till 2');
    assert.deepEqual([created.code, created.stderr], [0, '']);
    const { id, secret } = made(created.stdout);
    assert.equal(await status(id, secret), 200);
    assert.equal(await status(id, secret, 'POST'), 201);

    const revoked = await keys('revoke', id);
    assert.deepEqual([revoked.code, revoked.stdout, revoked.stderr], [0, `${id} is revoked\n`, '']);
    assert.equal(await status(id, secret), 401);
    assert.equal(await status(id, secret, 'POST'), 401);
    assert.equal(await status('ak_test_boot', 'sk_test_boot'), 200);
    const again = await keys('revoke', id);
    assert.deepEqual(again, revoked);
  });

  test('a key can be for live mode, and for some things only', async () => {
    await using t = cleanUp();
    const { keys, status } = await setUp(t);
    const { id, secret } = made((await keys('create', '--live', '--permissions', 'read, webhooks')).stdout);
    assert.match(id, /^ak_live_/);
    assert.match(secret, /^sk_live_/);
    assert.equal(await status(id, secret), 200);
    assert.equal(await status(id, secret, 'POST'), 403);
  });

  test('the list shows every key and its state, but no secret', async () => {
    await using t = cleanUp();
    const { keys } = await setUp(t);
    const { id, secret } = made((await keys('create', '--name', 'Till 2', '--permissions', 'read')).stdout);
    await keys('revoke', id);
    const { code, stdout, stderr } = await keys('list');
    assert.deepEqual([code, stderr], [0, '']);
    const lines = stdout.trimEnd().split('\n');
    assert.equal(lines.length, 2);
    assert.match(lines[0] ?? '', new RegExp(`^${id}  read  Till 2  revoked \\d{4}-\\d\\d-\\d\\dT`));
    assert.equal(lines[1], `ak_test_boot  ${usualPermissions}  bootstrap  active`);
    assert.ok(!stdout.includes(secret) && !/sk_test|whsec/.test(stdout));
    const live = await keys('list', '--live');
    assert.deepEqual([live.code, live.stdout], [0, '']);
    assert.match(live.stderr, /^opentill: there are no API keys; [^\n]+\n$/);
  });

  test('a key manages others only if that was named, and what is done here is on record as the operator’s', async () => {
    await using t = cleanUp();
    const { keys, settings, server } = await setUp(t);
    const asked = async ({ id, secret }: { id: string; secret: string }) => {
      const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
      return (await fetch(`${server.url}/v3/api_key`, { headers: { authorization } })).status;
    };
    assert.equal(await asked(made((await keys('create')).stdout)), 403);
    assert.equal(await asked({ id: 'ak_test_boot', secret: 'sk_test_boot' }), 403);
    const admin = made((await keys('create', '--permissions', 'manage')).stdout);
    assert.equal(await asked(admin), 200);
    await keys('revoke', admin.id);
    assert.equal(await asked(admin), 401);
    using tables = new DatabaseSync(settings.DATABASE_URL.slice('sqlite:'.length));
    const lines = tables.prepare('SELECT action, actor FROM audit WHERE subject = ?').all(admin.id);
    assert.deepEqual(
      lines.map((line) => ({ ...line })),
      ['create_api_key', 'revoke_api_key'].map((action) => ({ action, actor: 'operator' })),
    );
  });

  test('a name from elsewhere cannot steer the terminal that lists it', async () => {
    await using t = cleanUp();
    const { keys } = await setUp(t);
    await keys('create', '--name', 'Till\u001b[2J\nsecond line');
    const { stdout } = await keys('list');
    assert.match(stdout, / {2}Till \[2J {2}active$/m);
    assert.ok(!stdout.includes('\u001b') && !stdout.includes('second line'));
  });

  test('the list goes on behind its first page', async () => {
    await using t = cleanUp();
    const { keys, settings } = await setUp(t);
    const store = openSqliteStore(settings.DATABASE_URL.slice('sqlite:'.length));
    t.after(() => store.close());
    const given = { tenant: { account: 1, mode: 'live' }, permissions: ['read'], name: '' } as const;
    const ids: string[] = [];
    for (let nowMs = 1; nowMs <= 101; nowMs++)
      ids.unshift((await createApiKey(store, { ...given, nowMs })).id);
    const { stdout } = await keys('list', '--live', '--json');
    assert.deepEqual(
      JSON.parse(stdout).map(({ id }: { id: string }) => id),
      ids,
    );
  });

  const mistakes: ReadonlyArray<[what: string, args: string[], status: number]> = [
    ['an unknown action', ['delete'], 2],
    ['an unknown permission', ['create', '--permissions', 'read,admin'], 2],
    ['no permission', ['create', '--permissions', ''], 2],
    ['a name without end', ['create', '--name', 'x'.repeat(101)], 2],
    ['an unknown account', ['create', '--account', '7'], 1],
    ['an account that is no number', ['create', '--account', 'first'], 2],
    ['an unknown option', ['create', '--mode', 'live'], 2],
    ['a missing value', ['create', '--name'], 2],
    ['no id', ['revoke'], 2],
    ['an unknown id', ['revoke', 'ak_test_unknown'], 1],
    ['keys of an unknown account', ['list', '--account', '7'], 1],
  ];
  test('a mistake is answered in one line and changes nothing', async () => {
    await using t = cleanUp();
    const { keys } = await setUp(t);
    for (const [what, args, status] of mistakes) {
      const { code, stdout, stderr } = await keys(...args);
      assert.equal(code, status, what);
      assert.equal(stdout, '', what);
      assert.match(stderr, /^opentill: [^\n]+\n$/, what);
    }
    assert.equal((await keys('list')).stdout.trimEnd().split('\n').length, 1);
  });

  test('keys of a database that was never served cannot be made', async () => {
    await using t = cleanUp();
    const settings = { DATABASE_URL: `sqlite:${join(freshDirectory(t), 'till.db')}` };
    const { code, stderr } = await runToEnd(t, ['keys', 'create'], settings);
    assert.equal(code, 1);
    assert.match(stderr, /^opentill: [^\n]*first start[^\n]*\n$/);
  });
});

suite('opentill keys at a server, without its database', () => {
  test('the permission for all accounts is given here alone, and to keys of live mode', async () => {
    await using t = cleanUp();
    const { keys, server } = await setUp(t);
    const refused = await keys('create', '--permissions', 'accounts');
    assert.deepEqual([refused.code, refused.stdout], [1, '']);
    assert.equal(refused.stderr, 'opentill: The permission accounts is for keys of live mode.\n');
    const { id, secret } = made((await keys('create', '--live', '--permissions', 'manage,accounts')).stdout);
    const env = { OPENTILL_API_KEY: `${id}:${secret}` };
    const at = (...args: string[]) => runToEnd(t, [...args, '--url', server.url], env);
    assert.match((await at('accounts', 'list')).stdout, /^1 {2}/);
    const other = await at('keys', 'create', '--permissions', 'accounts');
    assert.equal(other.code, 1);
    assert.match(other.stderr, /refused the request: .*permissions/);
  });

  test('lists, creates and revokes the keys of the account and mode of its own', async () => {
    await using t = cleanUp();
    const { keys, server, status } = await setUp(t);
    const admin = made((await keys('create', '--permissions', 'manage', '--name', 'Admin')).stdout);
    const env = { OPENTILL_API_KEY: `${admin.id}:${admin.secret}` };
    const there = (...args: string[]) => runToEnd(t, ['keys', ...args, '--url', server.url], env);
    const created = await there('create', '--name', 'Till 2', '--permissions', 'read');
    assert.deepEqual([created.code, created.stderr], [0, '']);
    const { id, secret } = made(created.stdout);
    assert.equal(await status(id, secret), 200);
    assert.equal((await there('list')).stdout, (await keys('list')).stdout);
    const revoked = await there('revoke', id);
    assert.deepEqual([revoked.code, revoked.stdout, revoked.stderr], [0, `${id} is revoked\n`, '']);
    assert.equal(await status(id, secret), 401);
    assert.deepEqual(await there('revoke', id), revoked);
  });

  test('says in one line what the server refuses, and what does not go together', async () => {
    await using t = cleanUp();
    const { keys, server } = await setUp(t);
    const admin = made((await keys('create', '--permissions', 'manage')).stdout);
    const before = (await keys('list')).stdout;
    const key = `${admin.id}:${admin.secret}`;
    for (const [args, given, status, expected] of [
      [['list'], BOOT, 1, /refused the request: .*permission/],
      [['revoke', 'ak_test_unknown'], key, 1, /refused the request: There is no such API key$/],
      [['list'], 'ak_test_x:sk_test_x', 1, /does not know the API key/],
      [['list', '--live'], key, 2, /--account and --live do not go with --url/],
      [['create', '--account', '1'], key, 2, /--account and --live do not go with --url/],
      [['list'], '', 2, /OPENTILL_API_KEY must be a key and its secret, ak_…:sk_…$/],
    ] as const) {
      const words = ['keys', ...args, '--url', server.url];
      const { code, stdout, stderr } = await runToEnd(t, words, { OPENTILL_API_KEY: given });
      assert.deepEqual([code, stdout], [status, ''], stderr);
      assert.match(stderr.trimEnd(), expected);
      assert.match(stderr, /^opentill: [^\n]+\n$/);
      assert.ok(!stderr.includes('sk_test'), stderr);
    }
    assert.equal((await keys('list')).stdout, before);
  });
});

test('the database and the key of a command can be named by files', async () => {
  await using t = cleanUp();
  const directory = freshDirectory(t);
  const DATABASE_URL = `sqlite:${join(directory, 'till.db')}`;
  const server = await serveHere(t, { DATABASE_URL, BOOTSTRAP_API_KEY: BOOT });
  const [database, key] = [join(directory, 'database'), join(directory, 'key')];
  writeFileSync(database, `${DATABASE_URL}\n`);
  writeFileSync(key, `${BOOT}\n`);
  const listed = await runToEnd(t, ['keys', 'list'], { DATABASE_URL_FILE: database });
  assert.match(listed.stdout, /ak_test_boot/);
  const checked = await runToEnd(t, ['db', 'check'], { DATABASE_URL_FILE: database });
  assert.equal(checked.code, 0, checked.stderr);
  const byKey = { OPENTILL_URL: server.url, OPENTILL_API_KEY_FILE: key };
  assert.equal((await runToEnd(t, ['webhooks', 'list'], byKey)).code, 0);

  const both = await runToEnd(t, ['keys', 'list'], { DATABASE_URL, DATABASE_URL_FILE: database });
  assert.equal(both.code, 2);
  assert.equal(
    both.stderr,
    'opentill: DATABASE_URL and DATABASE_URL_FILE are both set; set only one of them\n',
  );
  const twice = await runToEnd(t, ['webhooks', 'list'], { ...byKey, OPENTILL_API_KEY: BOOT });
  assert.equal(twice.code, 2);
  assert.match(twice.stderr, /^opentill: OPENTILL_API_KEY and OPENTILL_API_KEY_FILE are both set[^\n]*\n$/);
});
