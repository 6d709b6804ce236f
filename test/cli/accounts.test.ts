import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, test } from 'node:test';
import postgres from 'postgres';
import { Webhook } from 'standardwebhooks';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { type Delivery, startReceiver } from '../api/receiver.ts';
import { cleanUp } from '../support/clean-up.ts';
import { freshDatabase } from '../support/postgres.ts';
import { freshDirectory, runToEnd } from '../support/process.ts';
import { serveHere } from '../support/service.ts';

const KEY = 'ak_test_boot:sk_test_boot';

/** Lines about accounts in the log of changes. */
async function linesOf(url: string): Promise<string[]> {
  const lines: string[] = [];
  const keep = (rows: Iterable<Record<string, unknown>>) => {
    for (const { actor, action, live } of rows) lines.push(`${actor} ${action} ${live ? 'live' : 'test'}`);
  };
  const asked = "SELECT actor, action, live FROM audit WHERE subject = 'account'";
  if (url.startsWith('sqlite:')) {
    using tables = new DatabaseSync(url.slice('sqlite:'.length));
    keep(tables.prepare(asked).all());
  } else {
    const sql = postgres(url, { onnotice: () => {} });
    keep(await sql.unsafe(asked));
    await sql.end();
  }
  return lines.sort();
}

for (const [name, database] of [
  ['SQLite', async (t) => `sqlite:${join(freshDirectory(t), 'till.db')}`],
  ['PostgreSQL', freshDatabase],
] as const satisfies ReadonlyArray<readonly [string, typeof freshDatabase]>) {
  suite(`the command accounts on ${name}`, () => {
    test('renames what payers see, and makes further accounts, beside a server that runs', async () => {
      await using t = cleanUp();
      const settings = { DATABASE_URL: await database(t) };
      const server = await serveHere(t, { ...settings, BOOTSTRAP_API_KEY: KEY, ACCOUNT_NAME: 'Old Shop' });
      const accounts = async (...args: string[]) => runToEnd(t, ['accounts', ...args], settings);
      const page = async () => {
        const response = await fetch(`${server.url}/v3/checkout`, {
          method: 'POST',
          headers: { authorization: `Basic ${btoa(KEY)}`, 'content-type': 'application/json' },
          body: '{"invoice_currency":"EUR","amount":100}',
        });
        const { data } = (await response.json()) as { data: { url: string } };
        return (await fetch(data.url)).text();
      };
      assert.match(await page(), /Old Shop/);
      assert.equal(
        (await accounts('rename', 'New & Shiny')).stdout,
        'the account is now called New & Shiny\n',
      );
      // Another process may take a moment to hear of it.
      for (let text = await page(); !text.includes('New &amp; Shiny'); text = await page()) {
        assert.match(text, /Old Shop/);
      }
      assert.match((await accounts('create', 'Second')).stdout, /^account 2 is created; .*--account 2 /);
      assert.equal((await accounts('list')).stdout, '2  Second\n1  New & Shiny\n');
      await accounts('configure', '--compatibility', 'v3');
      await accounts('rotate-webhook-secret');
      await accounts('configure', '--compatibility', 'v3');
      assert.deepEqual(await linesOf(settings.DATABASE_URL), [
        'operator change_settings test',
        'operator create_account live',
        'operator rename_account live',
        'operator rotate_webhook_secret test',
      ]);
      await server.stop();
    });

    test('replaces the secret of webhooks, and both sign for as long as is asked', async () => {
      await using t = cleanUp();
      const settings = { DATABASE_URL: await database(t) };
      const server = await serveHere(t, { ...settings, BOOTSTRAP_API_KEY: KEY });
      const receiver = await startReceiver(t);
      const rotate = async (...args: string[]) => {
        const { stdout } = await runToEnd(t, ['accounts', 'rotate-webhook-secret', ...args], settings);
        return { secret: /^Webhook secret {2}(whsec_\S+)$/m.exec(stdout)?.[1] ?? '', stdout };
      };
      let count = 0;
      /** The secrets, of those given, that a new delivery is signed with. */
      const signedWith = async (...secrets: string[]) => {
        await fetch(`${server.url}/v3/checkout`, {
          method: 'POST',
          headers: { authorization: `Basic ${btoa(KEY)}`, 'content-type': 'application/json' },
          body: JSON.stringify({ invoice_currency: 'EUR', amount: 100, webhook_url: receiver.url }),
        });
        const { text, headers } = (await receiver.received(++count)).at(-1) as Delivery;
        return secrets.filter((secret) => {
          try {
            new Webhook(secret).verify(text, headers as Record<string, string>);
            return true;
          } catch {
            return false;
          }
        });
      };
      /** Another process may take a moment to hear of it. */
      const until = async (expected: readonly string[], ...secrets: string[]) => {
        while (String(await signedWith(...secrets)) !== String(expected));
      };
      const first = await rotate('--overlap', '0');
      assert.match(first.stdout, /The previous secret no longer signs\./);
      await until([first.secret], first.secret);
      const second = await rotate();
      assert.match(second.stdout, /The previous secret signs too until 20\d\d-/);
      await until([first.secret, second.secret], first.secret, second.secret);
      const third = await rotate();
      assert.match(third.stdout, /^The one before that, valid until 20\S+Z, no longer signs\.\n$/m);
      const live = await rotate('--live');
      assert.deepEqual(await signedWith(live.secret), []);
      await server.stop();
    });
  });
}

test('a mistake with accounts is one clear line', async () => {
  await using t = cleanUp();
  const settings = { DATABASE_URL: `sqlite:${join(freshDirectory(t), 'till.db')}` };
  const server = await serveHere(t, settings);
  await server.stop();
  for (const [args, message, status = 2] of [
    [['toString'], /there is no command "accounts toString"/],
    [['list', 'all'], /unexpected argument "all"/],
    [['create'], /<name> is missing/],
    [['create', 'x'.repeat(101)], /<name> takes a name, which must have 1 to 100 characters/],
    [['create', 'x\ny\u001b[31m'], /<name> takes a name, which must have no characters that cannot be seen/],
    [['rename', 'Sh\u200bop'], /<name> takes a name, which must have no characters that cannot be seen/],
    [['rename', 'Shop', '--account', 'one'], /--account takes the number of an account/],
    [['rename', 'Shop', '--account', '7'], /there is no account 7/, 1],
    [['rename'], /<name> is missing/],
    [['rotate-webhook-secret', '--account', '7'], /there is no account 7/, 1],
    [['rotate-webhook-secret', '--overlap', '8d'], /--overlap is at most 7d/],
    [['rotate-webhook-secret', '--overlap', '2'], /--overlap takes a span of time/],
    [['rotate-webhook-secret', '--overlap', 'long'], /--overlap takes a span of time/],
  ] as const) {
    const { code, stdout, stderr } = await runToEnd(t, ['accounts', ...args], settings);
    assert.equal(code, status);
    assert.equal(stdout, '');
    assert.match(stderr, message);
    assert.equal(stderr.trim().split('\n').length, 1, stderr);
  }
});

test('names from elsewhere are listed so that they cannot steer a terminal', async () => {
  await using t = cleanUp();
  const path = join(freshDirectory(t), 'till.db');
  const server = await serveHere(t, { DATABASE_URL: `sqlite:${path}` });
  await server.stop();
  const store = openSqliteStore(path, { serve: false });
  const webhookSecrets = { test: 'whsec_a', live: 'whsec_b' };
  await store.accounts.create({ name: 'a\u001b[31mb', webhookSecrets, testClockOffsetMs: 0 }, Date.now());
  await store.close();
  const { stdout } = await runToEnd(t, ['accounts', 'list'], { DATABASE_URL: `sqlite:${path}` });
  assert.match(stdout, /^2 {2}a \[31mb\n/);
});
