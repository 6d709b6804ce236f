import assert from 'node:assert/strict';
import { statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, test } from 'node:test';
import { announced } from '../../src/cli/first-start.ts';
import { settings } from '../../src/config/settings.ts';
import { cleanUp } from '../support/clean-up.ts';
import { freshDirectory, runToEnd, serve, welcomeIn, welcomeOf } from '../support/process.ts';
import { serveHere } from '../support/service.ts';
import { curlLines, requestOf, send } from './pasted.ts';

const secretOf = (stdout: string) => /sk_test_\w+/.exec(stdout)?.[0] ?? '';
const bearer = (secret: string) => ({ headers: { authorization: `Bearer ${secret}` } });

suite('the first start', () => {
  test('makes a key, shows it once, and prints commands that work as they are', async () => {
    await using t = cleanUp();
    const directory = freshDirectory(t);
    const settings = { DATABASE_URL: `sqlite:${join(directory, 'new', 'till.db')}` };
    const first = await serve(t, settings);
    const stdout = await welcomeOf(first);
    assert.match(first.output.stdout, new RegExp(`^opentill listening on ${first.url}\n.+\n$`));
    assert.doesNotMatch(first.output.stdout, /sk_test_|whsec_/);
    const { mode } = statSync(join(directory, 'new', 'till.db.first-start.txt'));
    assert.equal(mode & 0o777, 0o600);
    assert.match(stdout, /API key {9}ak_test_\w{16}\n/);
    assert.match(stdout, /Webhook secret {2}whsec_[\w+/=]{40,}\n/);
    const { stdout: users } = await runToEnd(t, ['users', 'list', '--json'], settings);
    const [owner, ...otherUsers] = JSON.parse(users);
    assert.deepEqual([owner.role, owner.status, otherUsers], ['owner', 'invited', []]);
    const link = new RegExp(`\\n  ${first.url}/dashboard/link/${owner.id}\\.[0-9a-z]{40}\\n`);
    assert.match(stdout, link);
    assert.match(stdout, /"opentill users reset" .+ "opentill users invite owner" /);

    const [create, list, ...others] = curlLines(stdout);
    assert.ok(create && list && others.length === 0, stdout);
    const created = await send(requestOf(create));
    assert.equal(created.status, 201);
    const { data } = (await created.json()) as { data: { id: string; url: string; amount: number } };
    assert.equal(data.amount, 2500);
    const page = await fetch(data.url);
    assert.equal(page.status, 200);
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
    const listed = await send(requestOf(list));
    assert.equal(listed.status, 200);
    assert.deepEqual(
      ((await listed.json()) as { data: Array<{ id: string }> }).data.map(({ id }) => id),
      [data.id],
    );
    const docs = /at (http:\S+\/docs)\n/.exec(stdout)?.[1] ?? '';
    assert.equal((await fetch(docs)).status, 200);
    assert.deepEqual(await first.kill('SIGTERM'), { code: 0, signal: null });

    const second = await serve(t, settings);
    const again = await fetch(`${second.url}/v3/checkout/${data.id}`, bearer(secretOf(stdout)));
    assert.equal(again.status, 200);
    await second.kill('SIGTERM');
    assert.equal(second.output.stdout, `opentill listening on ${second.url}\n`);
    assert.equal(second.output.stderr, '');
  });

  test('invites nobody where there is an account already', async () => {
    await using t = cleanUp();
    const settings = { DATABASE_URL: `sqlite:${join(freshDirectory(t), 'till.db')}` };
    await (await serveHere(t, settings)).stop();
    {
      using tables = new DatabaseSync(settings.DATABASE_URL.slice('sqlite:'.length));
      tables.exec('DELETE FROM dashboard_user');
    }
    const second = await serve(t, settings);
    await second.kill('SIGTERM');
    assert.equal(second.output.stdout, `opentill listening on ${second.url}\n`);
    assert.equal((await runToEnd(t, ['users', 'list'], settings)).stdout, '');
  });

  test('is told whole on a terminal, and where no file can be written', (t) => {
    const database = { kind: 'sqlite', path: join(freshDirectory(t), 'till.db') } as const;
    assert.equal(announced('the secret', true, database), 'the secret');
    const elsewhere = { ...database, path: join(database.path, 'nowhere', 'till.db') };
    assert.equal(announced('the secret', false, elsewhere), 'the secret');
    assert.equal(welcomeIn(announced('the secret', false, database)), 'the secret\n');
    assert.equal(welcomeIn(announced('another', false, database)), 'another\n');
  });

  test('prints addresses as they are reached from outside, on any free port if asked', async () => {
    await using t = cleanUp();
    const DATABASE_URL = `sqlite:${join(freshDirectory(t), 'till.db')}`;
    const server = await serve(t, { DATABASE_URL, PORT: '0', PUBLIC_URL: 'https://pay.example.com/till/' });
    assert.ok(Number(new URL(server.url).port) > 0);
    const urls = curlLines(await welcomeOf(server)).map((line) => requestOf(line).url);
    assert.deepEqual(urls, Array(2).fill('https://pay.example.com/till/v3/checkout'));
    assert.equal((await fetch(`${server.url}/livez`)).status, 200);
  });

  test('writes no secret to the log, whatever its level', async () => {
    await using t = cleanUp();
    const DATABASE_URL = `sqlite:${join(freshDirectory(t), 'till.db')}`;
    const server = await serve(t, { DATABASE_URL, LOG_LEVEL: 'trace' });
    const stdout = await welcomeOf(server);
    const secret = secretOf(stdout);
    const authorization = requestOf(curlLines(stdout)[0] ?? '').headers.authorization ?? '';
    const json = { 'content-type': 'application/json' };
    const body = JSON.stringify({
      invoice_currency: 'EUR',
      amount: 100,
      webhook_url: 'http://127.0.0.1:9/hook?token=hook-canary',
      customer_details: { name: 'Name Canary', email: 'canary@example.com' },
    });
    const created = await fetch(`${server.url}/v3/checkout`, {
      method: 'POST',
      headers: { authorization, ...json },
      body,
    });
    const { data } = (await created.json()) as { data: { id: string; url: string } };
    await fetch(data.url);
    await fetch(`${server.url}/v3/checkout/${data.id}`, bearer(secret));
    await fetch(`${server.url}/v3/checkout`, bearer(`${secret}x`));
    await fetch(`${server.url}/v3/checkout`, {
      method: 'POST',
      headers: { authorization, ...json },
      body: '{"amount',
    });
    await fetch(`${server.url}/v3/nowhere?secret=${secret}`, bearer(secret));
    await server.kill('SIGTERM');
    const token = data.url.split('/').at(-1) ?? '';
    const webhookSecret = /whsec_\S+/.exec(stdout)?.[0] ?? '';
    const link = /\/dashboard\/link\/\w+\.(\w+)/.exec(stdout)?.[1] ?? '';
    const canaries = [secret, authorization.slice(6), token, webhookSecret, link, 'canary', 'Canary'];
    for (const canary of canaries) {
      assert.ok(canary.length > 5 && !server.output.stderr.includes(canary), `${canary} is in the log`);
    }
  });
});

suite('a wrong setting', () => {
  const wrong: Record<keyof typeof settings, string[]> = {
    PORT: ['http', '-1', '65536', '80.5'],
    HOST: ['203.0.113.1', 'not a host'],
    OPERATIONS_PORT: ['0', '65536', 'metrics'],
    OPERATIONS_HOST: ['not a host', 'ops.example.com'],
    PUBLIC_URL: ['pay.example.com', 'ftp://pay.example.com', 'https://pay.example.com/?a=1'],
    CHECKOUT_URL: ['//pay.example.com', 'https://user@pay.example.com'],
    DATABASE_URL: [
      './data.db',
      'mysql://localhost/x',
      'sqlite:/dev/null/x.db',
      `sqlite:${import.meta.filename}`,
      'postgres://127.0.0.1',
    ],
    DATABASE_COMMITS: ['0', '65', 'four'],
    BOOTSTRAP_API_KEY: ['ak_test_1', 'ak_live_1:sk_live_1'],
    WEBHOOK_ALLOW: ['10.0.0.0/33', 'example.com'],
    WEBHOOK_CONCURRENCY: ['many'],
    WEBHOOK_LOG_DAYS: ['3', '1.5', 'month'],
    EVENT_RETENTION_DAYS: ['30', '-1', 'always'],
    STRIPE_TEST_SECRET_KEY: ['sk_live_1', 'pk_test_1'],
    STRIPE_TEST_WEBHOOK_SECRET: ['secret'],
    STRIPE_LIVE_SECRET_KEY: ['sk_test_1'],
    STRIPE_LIVE_WEBHOOK_SECRET: ['whsec_'],
    STRIPE_ACCOUNT: ['0', 'first'],
    STRIPE_API_URL: ['api.stripe.com'],
    CREDENTIALS_KEY: ['secret', 'a'.repeat(63), 'a'.repeat(42)],
    CREDENTIALS_KEY_PREVIOUS: ['secret'],
    OIDC_ISSUER: ['login.example.com', 'http://login.example.com'],
    OIDC_CLIENT_ID: ['a b'],
    OIDC_CLIENT_SECRET: ['a b'],
    STATEMENT_DIR: [import.meta.filename, '/nowhere/at/all'],
    LOG_LEVEL: ['loud'],
    TRUST_PROXY: ['yes'],
    RATE_LIMIT: ['1e3'],
    ADDRESS_RATE_LIMIT: ['-1', 'none'],
    ADDRESS_CONNECTION_LIMIT: ['-1', 'none'],
    ACCOUNT_NAME: ['x'.repeat(300), 'My\u200bshop'],
  };

  /** Settings whose value is only tested by a service that starts to listen. */
  const ofMachine: ReadonlySet<string> = new Set(['HOST', 'OPERATIONS_HOST']);

  test('is known here for every setting', () => {
    assert.deepEqual(Object.keys(wrong).sort(), Object.keys(settings).sort());
  });

  for (const [name, values] of Object.entries(wrong)) {
    test(`${name} stops the start with one line that names it`, async () => {
      await using t = cleanUp();
      const directory = freshDirectory(t);
      for (const [index, value] of values.entries()) {
        const given = { PORT: '0', DATABASE_URL: `sqlite:${join(directory, `${index}.db`)}` };
        const where = { directory, startsNothing: !ofMachine.has(name) };
        const ended = await runToEnd(t, ['serve'], { ...given, [name]: value }, where);
        const isOfMachine = /database \S+|listen|EACCES|EADDRNOTAVAIL|ENOTFOUND|EAI_AGAIN/.test(ended.stderr);
        assert.equal(ended.code, isOfMachine ? 1 : 2, ended.stderr);
        assert.equal(ended.stdout, '');
        assert.match(ended.stderr, /^opentill: [^\n]+\n$/, value);
        if (name !== 'HOST')
          assert.match(
            ended.stderr,
            /DATABASE_URL|database/.test(ended.stderr) ? /database|DATABASE/ : new RegExp(name),
          );
        if (/KEY|SECRET/.test(name)) assert.ok(!ended.stderr.includes(`"${value}"`), 'it repeats the secret');
      }
    });
  }
});

suite('a start that cannot be', () => {
  test('for another process serves the database ends with one line, and that one goes on', async () => {
    await using t = cleanUp();
    const DATABASE_URL = `sqlite:${join(freshDirectory(t), 'till.db')}`;
    const server = await serve(t, { DATABASE_URL });
    const refused = { PORT: '0', DATABASE_URL };
    const { code, stderr } = await runToEnd(t, ['serve'], refused, { startsNothing: true });
    assert.equal(code, 1);
    assert.match(stderr, /^opentill: another process is serving the database \S+\n$/);
    assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
    await server.kill('SIGKILL');
    await serveHere(t, { DATABASE_URL });
  });

  test('for the database is of a newer version ends with one line', async () => {
    await using t = cleanUp();
    const path = join(freshDirectory(t), 'till.db');
    const database = new DatabaseSync(path);
    database.exec('PRAGMA user_version = 999');
    database.close();
    const settings = { PORT: '0', DATABASE_URL: `sqlite:${path}` };
    const { code, stderr } = await runToEnd(t, ['serve'], settings, { startsNothing: true });
    assert.equal(code, 1);
    assert.match(stderr, /^opentill: [^\n]*newer opentill[^\n]*\n$/);
  });

  test('for Node is too old says what to do', async () => {
    await using t = cleanUp();
    const directory = freshDirectory(t);
    const old = join(directory, 'old.cjs');
    writeFileSync(
      old,
      `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.8' } });`,
    );
    const { code, stderr, stdout } = await runToEnd(
      t,
      ['serve'],
      { PORT: '0', NODE_OPTIONS: `--require=${old}` },
      { directory },
    );
    assert.equal(code, 1);
    assert.equal(stdout, '');
    assert.match(stderr, /^opentill needs Node\.js 24\.7 [^\n]*18\.20\.8[^\n]*npm ci[^\n]*\n$/);
  });
});

suite('the bootstrap key', () => {
  const key = 'ak_test_boot:sk_test_boot';
  const call = (url: string, secret = 'sk_test_boot') => fetch(`${url}/v3/checkout`, bearer(secret));

  test('exists after every start, once; the webhook secret and the link of the owner are printed, once', async () => {
    await using t = cleanUp();
    const settings = { DATABASE_URL: `sqlite:${join(freshDirectory(t), 'till.db')}`, BOOTSTRAP_API_KEY: key };
    for (const start of [1, 2]) {
      const server = await serve(t, settings);
      assert.equal((await call(server.url)).status, 200);
      await server.kill('SIGTERM');
      const [ready, ...rest] = server.output.stdout.trimEnd().split('\n');
      assert.equal(ready, `opentill listening on ${server.url}`);
      assert.equal(rest.length, start === 1 ? 1 : 0);
      if (start === 1) {
        const lines =
          /^Webhook secret {2}whsec_\S+\n\nTo sign in [^\n]+\n\n {2}http\S+\/dashboard\/link\/usr_\S+\n\n[^\n]+\n$/;
        assert.match(await welcomeOf(server), lines);
      }
      const { stdout } = await runToEnd(t, ['keys', 'list'], settings);
      assert.equal(stdout.trim().split('\n').length, 1);
    }
    const { BOOTSTRAP_API_KEY: _, ...without } = settings;
    const server = await serveHere(t, without);
    assert.equal((await call(server.url)).status, 200);
  });

  for (const [what, other] of [
    ['with another secret', 'ak_test_boot:sk_test_other'],
    ['whose secret belongs to another key', 'ak_test_other:sk_test_boot'],
  ] as const) {
    test(`${what} stops the start with one line`, async () => {
      await using t = cleanUp();
      const settings = { DATABASE_URL: `sqlite:${join(freshDirectory(t), 'till.db')}`, LOG_LEVEL: 'warn' };
      await (await serveHere(t, { ...settings, BOOTSTRAP_API_KEY: key })).stop();
      const { code, stderr, stdout } = await runToEnd(t, ['serve'], {
        ...settings,
        PORT: '0',
        BOOTSTRAP_API_KEY: other,
      });
      assert.equal(stdout, '');
      assert.match(stderr, /^opentill: [^\n]*BOOTSTRAP_API_KEY[^\n]*\n$/);
      assert.doesNotMatch(stderr, /sk_test/);
      assert.equal(code, 1);
    });
  }

  test('that was revoked stops the start with one line', async () => {
    await using t = cleanUp();
    const settings = { DATABASE_URL: `sqlite:${join(freshDirectory(t), 'till.db')}`, BOOTSTRAP_API_KEY: key };
    await (await serveHere(t, settings)).stop();
    await runToEnd(t, ['keys', 'revoke', 'ak_test_boot'], settings);
    const { code, stderr } = await runToEnd(t, ['serve'], { ...settings, PORT: '0', LOG_LEVEL: 'warn' });
    assert.match(stderr, /^opentill: [^\n]*revoked[^\n]*\n$/);
    assert.equal(code, 1);
  });
});

suite('being told to end', () => {
  const settings = (path: string) => ({
    DATABASE_URL: `sqlite:${path}`,
    BOOTSTRAP_API_KEY: 'ak_test_boot:sk_test_boot',
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`by ${signal} finishes what has begun, then ends with 0`, async () => {
      await using t = cleanUp();
      const path = join(freshDirectory(t), 'till.db');
      const server = await serve(t, settings(path));
      // A request whose body has come only in part when the signal does.
      const body = '{"invoice_currency":"EUR","amount":100,"reference_id":"in-flight"}';
      const socket = connect(server.port, '127.0.0.1');
      let answer = '';
      socket.setEncoding('utf8').on('data', (text: string) => {
        answer += text;
      });
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.write(
        `POST /v3/checkout HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sk_test_boot\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 20)}`,
      );
      // An idle connection must not hold the process up.
      const idle = connect(server.port, '127.0.0.1');
      idle.on('error', () => {});
      // The answer shows that the part sent above has arrived.
      assert.equal((await fetch(`${server.url}/livez`)).status, 200);
      const ended = server.kill(signal);
      await refusesConnections(server.port);
      socket.write(body.slice(20));
      await closed;
      assert.match(answer, /^HTTP\/1\.1 201 Created\r\n/);
      assert.deepEqual(await ended, { code: 0, signal: null });
      idle.destroy();
      const database = new DatabaseSync(path, { readOnly: true });
      assert.equal(
        database.prepare(`SELECT count(*) AS n FROM checkout WHERE reference_id = 'in-flight'`).get()?.n,
        1,
      );
      database.close();
    });
  }

  test('under load loses nothing that was acknowledged', async () => {
    await using t = cleanUp();
    const path = join(freshDirectory(t), 'till.db');
    const server = await serve(t, settings(path));
    const acknowledged: string[] = [];
    const client = async () => {
      for (;;) {
        const response = await fetch(`${server.url}/v3/checkout`, {
          method: 'POST',
          headers: { ...bearer('sk_test_boot').headers, 'content-type': 'application/json' },
          body: '{"invoice_currency":"EUR","amount":100}',
        }).catch(() => null);
        if (response === null) return;
        assert.ok([201, 503].includes(response.status), `status ${response.status}`);
        const { data } = (await response.json()) as { data?: { id: string } };
        if (response.status === 201 && data) acknowledged.push(data.id);
        if (acknowledged.length === 200) server.child.kill('SIGTERM');
      }
    };
    await Promise.all(Array.from({ length: 20 }, client));
    assert.deepEqual(await server.ended, { code: 0, signal: null });
    assert.equal(server.output.stderr, '');
    const database = new DatabaseSync(path, { readOnly: true });
    const stored = new Set(
      database
        .prepare('SELECT id FROM checkout')
        .all()
        .map(({ id }) => id),
    );
    database.close();
    assert.deepEqual(
      acknowledged.filter((id) => !stored.has(id)),
      [],
    );
    assert.ok(acknowledged.length >= 200);
  });
});

suite('the command line', () => {
  test('prints its help', async () => {
    await using t = cleanUp();
    for (const args of [[], ['help'], ['--help'], ['-h']]) {
      const { code, stdout, stderr } = await runToEnd(t, args, {});
      assert.equal(code, 0);
      assert.match(stdout, /^ {2}serve /m);
      assert.equal(stderr, '');
    }
  });

  test('says in one line that there is no such command', async () => {
    await using t = cleanUp();
    const { code, stderr } = await runToEnd(t, ['sevre'], {});
    assert.equal(code, 2);
    assert.match(stderr, /^opentill: [^\n]*sevre[^\n]*\n$/);
  });
});

/** Resolves when the server listens no more. */
async function refusesConnections(port: number): Promise<void> {
  for (let refused = false; !refused; ) {
    refused = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => {
        socket.destroy();
        resolve(false);
      });
      socket.once('error', () => resolve(true));
    });
  }
}

suite('a first start that cannot listen', () => {
  test('loses no key: the next start shows it', async () => {
    await using t = cleanUp();
    const settings = { DATABASE_URL: `sqlite:${join(freshDirectory(t), 'till.db')}` };
    const other = await serveHere(t, { DATABASE_URL: `sqlite:${join(freshDirectory(t), 'other.db')}` });
    const PORT = new URL(other.url).port;
    const failed = await runToEnd(t, ['serve'], { ...settings, PORT, LOG_LEVEL: 'warn' });
    assert.equal(failed.code, 1);
    assert.match(
      failed.stderr,
      new RegExp(`^opentill: [^\\n]*EADDRINUSE[^\\n]*${PORT}; set PORT to another one\\n$`),
    );
    assert.equal(failed.stdout, '');
    const second = await runToEnd(t, ['serve'], { ...settings, PORT: '0', OPERATIONS_PORT: PORT });
    assert.match(second.stderr, /EADDRINUSE[^\n]*; set OPERATIONS_PORT to another one\n$/);
    await other.stop();
    const server = await serve(t, settings);
    await server.kill('SIGTERM');
    assert.match(await welcomeOf(server), /API secret {6}sk_test_/);
  });
});
