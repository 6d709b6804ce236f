/** The command line on PostgreSQL: starts that cannot be, several servers on one database, and keys beside them. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import postgres from 'postgres';
import { freePort } from '../../src/cli/free-port.ts';
import { cleanUp } from '../support/clean-up.ts';
import { postgresDatabase } from '../support/database-postgres.ts';
import { freshDatabase, migratedDatabase } from '../support/postgres.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { startStandby } from '../support/postgres-standby.ts';
import { runToEnd, serve } from '../support/process.ts';
import { serveHere } from '../support/service.ts';

const PASSWORD = 'hunter2-canary';

/** The same address with other parts. */
const changed = (url: string, parts: Partial<URL>): string => Object.assign(new URL(url), parts).href;

/** Works on a database as somebody else beside the service. */
async function aside(url: string, ...statements: string[]): Promise<void> {
  const database = postgresDatabase(url, async () => {});
  for (const statement of statements) await database.query(statement);
  await database.remove();
}

async function assertCannotStart(t: Parameters<typeof runToEnd>[0], url: string, reason: RegExp) {
  const DATABASE_URL = changed(url, { password: PASSWORD });
  const settings = { PORT: '0', DATABASE_URL };
  const { code, stdout, stderr } = await runToEnd(t, ['serve'], settings, { startsNothing: true });
  assert.match(stderr, /^opentill: [^\n]+\n$/);
  assert.match(stderr, reason);
  const { host, pathname } = new URL(url);
  assert.ok(stderr.includes(host + pathname), `${stderr} does not name ${host}${pathname}`);
  assert.equal(stderr.includes(PASSWORD), false, 'it repeats the password');
  assert.equal(stdout, '');
  assert.equal(code, 1);
}

suite('a start cannot be', () => {
  test('where no PostgreSQL is', async () => {
    await using t = cleanUp();
    await assertCannotStart(t, `postgres://till@127.0.0.1:${await freePort()}/till`, /ECONNREFUSED/);
  });

  test('with a wrong password or user', async () => {
    await using t = cleanUp();
    const server = await startPostgres();
    t.after(() => server.remove());
    const rules = join(server.directory, 'pg_hba.conf');
    writeFileSync(rules, `host all all 127.0.0.1/32 scram-sha-256\n`);
    await server.stop();
    await server.start();
    await assertCannotStart(t, changed(server.url, { username: 'till' }), /authentication failed/);
    await assertCannotStart(t, server.url, /authentication failed/);
  });

  test('on a database that does not exist', async () => {
    await using t = cleanUp();
    await assertCannotStart(t, changed(await freshDatabase(t), { pathname: 'nowhere' }), /does not exist/);
  });

  test('on a database that holds something else, which stays as it is', async () => {
    await using t = cleanUp();
    const url = await freshDatabase(t);
    await aside(url, 'CREATE TABLE invoices (id integer)');
    await assertCannotStart(t, url, /another program’s tables \(invoices\)/);
    // Others have a table of this name, too.
    const other = await freshDatabase(t);
    await aside(other, 'CREATE TABLE schema_version (installed_rank integer, version text)');
    await assertCannotStart(t, other, /another program’s tables \(schema_version\)/);
    const database = postgresDatabase(url, async () => {});
    assert.deepEqual(await database.tables(), ['invoices']);
    await database.remove();
  });

  test('on a database that is read-only', async () => {
    await using t = cleanUp();
    const url = await freshDatabase(t);
    await aside(
      url,
      `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only = on`,
    );
    await assertCannotStart(t, url, /read-only/);
  });

  test('on a standby', async () => {
    await using t = cleanUp();
    const primary = await startPostgres();
    t.after(() => primary.remove());
    const standby = await startStandby(primary);
    t.after(() => standby.remove());
    await assertCannotStart(t, standby.url, /standby/);
  });

  test('on a database of a newer version', async () => {
    await using t = cleanUp();
    const url = await migratedDatabase(t);
    await aside(url, 'UPDATE schema_version SET version = 999');
    await assertCannotStart(t, url, /newer opentill \(schema 999/);
  });
});

test('the command line makes nothing in an empty database, and says so', async () => {
  await using t = cleanUp();
  const url = await freshDatabase(t);
  for (const args of [
    ['keys', 'list'],
    ['accounts', 'list'],
    ['db', 'check'],
  ]) {
    const { code, stderr } = await runToEnd(t, args, { DATABASE_URL: url });
    assert.equal(code, 1);
    assert.match(stderr, /^opentill: the database [^\n]+ has no tables of opentill; [^\n]+\n$/);
  }
  assert.deepEqual(await postgresDatabase(url, async () => {}).tables(), []);
});

const boot = { id: 'ak_test_boot', secret: 'sk_test_boot' };

test('a server is ready when all of its start is done, however long the database takes', async () => {
  await using t = cleanUp();
  const DATABASE_URL = await freshDatabase(t);
  await (await serveHere(t, { DATABASE_URL })).stop();
  const holder = postgres(DATABASE_URL, { max: 1 });
  t.after(() => holder.end());
  // All can be read and written but the table of keys, which can only be read.
  await holder.unsafe('BEGIN');
  await holder.unsafe('LOCK TABLE api_key IN SHARE MODE');
  const port = await freePort();
  const started = serve(t, {
    DATABASE_URL,
    PORT: String(port),
    BOOTSTRAP_API_KEY: `${boot.id}:${boot.secret}`,
  });
  const ask = (path: string, init?: RequestInit) =>
    fetch(`http://127.0.0.1:${port}${path}`, init).catch(() => null);
  // A server that ends answers nothing any more.
  let hasEnded = false;
  started.catch(() => {
    hasEnded = true;
  });
  async function answers(path: string): Promise<void> {
    while ((await ask(path))?.status !== 200) assert.equal(hasEnded, false, 'the server has ended');
  }
  await answers('/livez');
  const early = await ask('/readyz');
  assert.deepEqual([early?.status, await early?.json()], [503, { status: 'starting' }]);
  assert.equal(early?.headers.get('retry-after'), '1');
  await holder.unsafe('COMMIT');
  await answers('/readyz');
  const headers = { authorization: `Bearer ${boot.secret}` };
  assert.equal((await ask('/v3/checkout', { headers }))?.status, 200);
  await started;
});

suite('several servers on one database', () => {
  test('serve the same sessions, and keys that are made and revoked beside them', async () => {
    await using t = cleanUp();
    const settings = { DATABASE_URL: await freshDatabase(t) };
    const withKey = { ...settings, BOOTSTRAP_API_KEY: `${boot.id}:${boot.secret}` };
    const first = await serve(t, withKey);
    const second = await serve(t, withKey);
    const keys = (...args: string[]) => runToEnd(t, ['keys', ...args], settings);
    const call = (url: string, secret: string, path = '', init: RequestInit = {}) =>
      fetch(`${url}/v3/checkout${path}`, {
        ...init,
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      });
    /** The answers of both servers, once they have to know of a change of keys. */
    async function statuses(secret: string, expected: number): Promise<number[]> {
      const deadline = performance.now() + 1_000;
      const ask = () => Promise.all([first, second].map(async ({ url }) => (await call(url, secret)).status));
      while (performance.now() < deadline) if ((await ask()).every((status) => status === expected)) break;
      return ask();
    }

    const body = '{"invoice_currency":"EUR","amount":100}';
    const created = await call(first.url, boot.secret, '', { method: 'POST', body });
    assert.equal(created.status, 201);
    const { data } = (await created.json()) as { data: { id: string } };
    assert.equal((await call(second.url, boot.secret, `/${data.id}`)).status, 200);

    const made = await keys('create', '--name', 'Till 2');
    const secret = /sk_test_\w+/.exec(made.stdout)?.[0] ?? '';
    const id = /ak_test_\w+/.exec(made.stdout)?.[0] ?? '';
    assert.deepEqual(await statuses(secret, 200), [200, 200]);
    assert.equal((await keys('revoke', id)).code, 0);
    assert.deepEqual(await statuses(secret, 401), [401, 401]);
    assert.deepEqual(await statuses(boot.secret, 200), [200, 200]);
    const lines = (await keys('list')).stdout.trimEnd().split('\n');
    assert.match(lines[0] ?? '', new RegExp(`^${id}  .* revoked`));
    assert.match(lines[1] ?? '', /^ak_test_boot {2}.* active$/);
    assert.equal(lines.length, 2);

    for (const server of [first, second]) {
      assert.deepEqual(await server.kill('SIGTERM'), { code: 0, signal: null });
      const said = server.output.stderr
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      assert.deepEqual(
        said.map(({ msg }) => msg),
        ['credentials refused'],
      );
    }
  });

  test('of which one was never there: keys of an empty database cannot be made', async () => {
    await using t = cleanUp();
    const { code, stderr } = await runToEnd(t, ['keys', 'create'], { DATABASE_URL: await freshDatabase(t) });
    assert.equal(code, 1);
    assert.match(stderr, /^opentill: [^\n]*first start[^\n]*\n$/);
  });
});
