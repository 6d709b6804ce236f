/** `doctor`: what is wrong with an installation is found and said, and nothing is changed by looking. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, after as suiteAfter, before as suiteBefore, type TestContext, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { promisify } from 'node:util';
import { examineAddresses } from '../../src/cli/doctor/addresses.ts';
import { examineRails } from '../../src/cli/doctor/rails.ts';
import { examineReceivers } from '../../src/cli/doctor/receivers.ts';
import { examineStatements } from '../../src/cli/doctor/settings.ts';
import { freePort } from '../../src/cli/free-port.ts';
import { readConfig } from '../../src/config.ts';
import { networkRules } from '../../src/webhooks/guard.ts';
import { createSession } from '../api/shop.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { freshDirectory, runToEnd, serve, welcomeOf } from '../support/process.ts';
import { startService } from '../support/service.ts';
import { startStripe } from '../support/stripe-stand-in.ts';
import { certificateFor } from '../webhooks/build-certificate.ts';

type Settings = Readonly<Record<string, string>>;
type Finding = {
  readonly area: string;
  readonly status: string;
  readonly text: string;
  readonly advice: string;
};

/** Runs it with `--json`, and without an address of the service where none is given; the findings, and how it ended. */
async function examined(t: TestContext, settings: Settings, ...args: readonly string[]) {
  const { code, stdout, stderr } = await runToEnd(t, ['doctor', '--json', ...args], {
    PORT: '0',
    ...settings,
  });
  assert.equal(stderr, '');
  const records = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const findings: readonly Finding[] = records.slice(0, -1);
  const { record: _, ...counts } = records.at(-1);
  for (const status of ['ok', 'advice', 'wrong'])
    assert.equal(counts[status], findings.filter((each) => each.status === status).length, status);
  assert.equal(code, counts.wrong > 0 ? 3 : 0, stdout);
  for (const { status, text, advice } of findings) {
    assert.match(text, /^[^\n]+\.$/);
    assert.equal(status === 'ok', advice === '', text);
  }
  return findings;
}

/** Looks at a database file as a user who is not root: tests run as root in containers, to whom no file is closed. */
async function examinedByOthers(path: string): Promise<readonly Finding[]> {
  const module = new URL('../../src/store/sqlite/examine.ts', import.meta.url);
  const code = `
    const { examineFile } = await import('${module}');
    if (process.getuid?.() === 0) process.setuid(65534);
    console.log(JSON.stringify(examineFile(process.argv[1])));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code, path]);
  return JSON.parse(stdout);
}

/** The one finding of an area whose text fits. */
function found(findings: readonly Finding[], area: string, text: RegExp): Finding {
  const [only, ...others] = findings.filter((each) => each.area === area && text.test(each.text));
  assert.ok(only && others.length === 0, `${area} ${text}: ${JSON.stringify(findings, null, 1)}`);
  return only;
}

const wrongIn = (findings: readonly Finding[]) =>
  findings.filter(({ status }) => status === 'wrong').map(({ area }) => area);

suite('doctor', () => {
  test('finds nothing wrong with a service that has just been started', async (t) => {
    const DATABASE_URL = `sqlite:${join(freshDirectory(t), 'till.db')}`;
    const server = await serve(t, { DATABASE_URL });
    await welcomeOf(server);
    const settings = { DATABASE_URL, PORT: String(server.port) };
    const findings = await examined(t, settings);
    assert.deepEqual(wrongIn(findings), []);
    assert.deepEqual(
      [...new Set(findings.map(({ area }) => area))],
      ['settings', 'files', 'database', 'addresses', 'clock', 'receivers', 'rails'],
    );
    found(findings, 'addresses', new RegExp(`^The service answers at ${server.url}\\.$`));
    found(findings, 'addresses', new RegExp(`^${server.url} leads to the service\\.$`));
    assert.equal(found(findings, 'files', /first start/).status, 'advice');
    assert.equal(found(findings, 'rails', /cannot be paid in live mode/).status, 'advice');

    const { stdout } = await runToEnd(t, ['doctor'], settings);
    assert.match(stdout, /^✓ settings: All settings can be read\.$/m);
    assert.match(
      stdout,
      /^! rails: Account 1 \(My shop\) cannot be paid in live mode\.\n {4}Create a receiving account \(opentill bank account set --account 1 --live\), or set the keys of Stripe\.$/m,
    );
    assert.match(stdout, /\n\d+ good, \d+ with advice, 0 wrong\.\n$/);
  });

  test('finds it at an address of its own for operators', async (t) => {
    const DATABASE_URL = `sqlite:${join(freshDirectory(t), 'till.db')}`;
    const OPERATIONS_PORT = String(await freePort());
    const server = await serve(t, { DATABASE_URL, OPERATIONS_PORT });
    const findings = await examined(t, { DATABASE_URL, PORT: String(server.port), OPERATIONS_PORT });
    found(
      findings,
      'addresses',
      new RegExp(`^The service answers at http://127\\.0\\.0\\.1:${OPERATIONS_PORT}\\.$`),
    );
    const forgotten = await examined(t, { DATABASE_URL, PORT: String(server.port) });
    assert.match(
      found(forgotten, 'addresses', /is answered with 404: .* OPERATIONS_PORT /).advice,
      /the settings of the service/,
    );
    const wanted = { DATABASE_URL, PORT: String(server.port), OPERATIONS_PORT: String(await freePort()) };
    assert.match(
      found(await examined(t, wanted), 'addresses', /^Nothing answers at /).text,
      new RegExp(`:${wanted.OPERATIONS_PORT},`),
    );
  });

  test('tells of all wrong settings at once, and repeats no secret', async (t) => {
    const { code, stdout } = await runToEnd(t, ['doctor'], {
      DATABASE_URL: `sqlite:${join(freshDirectory(t), 'till.db')}`,
      PORT: 'http',
      LOG_LEVEL: 'loud',
      STRIPE_LIVE_SECRET_KEY: 'sk_test_canary',
    });
    assert.equal(code, 3);
    for (const name of ['PORT', 'LOG_LEVEL', 'STRIPE_LIVE_SECRET_KEY'])
      assert.match(stdout, new RegExp(`^✗ settings: ${name} must be `, 'm'));
    assert.doesNotMatch(stdout, /canary/);
  });

  test('tells of settings that do not go together, and of names that are almost those of settings', async (t) => {
    const DATABASE_URL = `sqlite:${join(freshDirectory(t), 'till.db')}`;
    const findings = await examined(t, {
      DATABASE_URL,
      STRIPE_LIVE_SECRET_KEY: 'sk_live_canary',
      PUBLIC_URI: 'https://pay.example.com',
      TRUST_PROXIES: '127.0.0.1',
    });
    found(findings, 'settings', /^STRIPE_LIVE_WEBHOOK_SECRET must be set: STRIPE_LIVE_SECRET_KEY is\.$/);
    assert.match(found(findings, 'settings', /^There is no setting PUBLIC_URI;/).advice, /PUBLIC_URL\?/);
    assert.match(found(findings, 'settings', /^There is no setting TRUST_PROXIES;/).advice, /TRUST_PROXY\?/);
    assert.equal(found(findings, 'rails', /to HTTPS alone/).status, 'wrong');
  });

  test('tells of a mistake once, and not again of the settings that follow from it', async (t) => {
    const DATABASE_URL = `sqlite:${join(freshDirectory(t), 'till.db')}`;
    for (const [name, value] of [
      ['PORT', '99999'],
      ['PUBLIC_URL', 'pay.example.com'],
    ] as const) {
      const findings = await examined(t, { DATABASE_URL, [name]: value });
      const texts = findings.filter(({ status }) => status === 'wrong').map(({ text }) => text);
      assert.equal(texts.length, 1, texts.join('\n'));
      assert.match(texts.join('\n'), new RegExp(`^${name} must be `));
    }
  });

  test('goes on where a secret is no file, or what a setting names cannot be looked at', async (t) => {
    const directory = freshDirectory(t);
    const loop = join(directory, 'loop');
    symlinkSync(loop, loop);
    const findings = await examined(t, {
      DATABASE_URL: `sqlite:${join(directory, 'till.db')}`,
      STRIPE_TEST_SECRET_KEY_FILE: loop,
      STRIPE_TEST_WEBHOOK_SECRET_FILE: directory,
      STATEMENT_DIR: loop,
    });
    found(findings, 'settings', /^STATEMENT_DIR names .*, which cannot be read: ELOOP\.$/);
    found(findings, 'settings', /^STRIPE_TEST_SECRET_KEY_FILE names .*, which cannot be read: ELOOP\.$/);
    found(findings, 'settings', /^STRIPE_TEST_WEBHOOK_SECRET_FILE names .*, which cannot be read: EISDIR\.$/);
    assert.ok(!findings.some(({ advice }) => advice.startsWith('chmod')));
    found(findings, 'database', /^There is no database/);
  });

  test('looks at the folder of statements', async (t) => {
    const directory = freshDirectory(t);
    const settings = { DATABASE_URL: `sqlite:${join(directory, 'till.db')}`, STATEMENT_DIR: directory };
    assert.equal(found(await examined(t, settings), 'files', /^Statements in /).status, 'ok');
    assert.equal(examineStatements({ STATEMENT_DIR: join(directory, 'nowhere') })[0]?.status, 'wrong');
    assert.deepEqual(examineStatements({}), []);
  });

  test('creates nothing where there is no database yet', async (t) => {
    const directory = freshDirectory(t);
    const findings = await examined(t, { DATABASE_URL: `sqlite:${join(directory, 'new/till.db')}` });
    assert.deepEqual(wrongIn(findings), []);
    assert.equal(found(findings, 'database', /^There is no database/).status, 'advice');
    assert.deepEqual(readdirSync(directory), []);
  });
});

suite('doctor finds a database', () => {
  async function made(t: TestContext): Promise<{ readonly path: string; readonly settings: Settings }> {
    const path = join(freshDirectory(t), 'till.db');
    const settings = { DATABASE_URL: `sqlite:${path}` };
    const server = await serve(t, settings);
    await welcomeOf(server);
    await server.kill('SIGTERM');
    return { path, settings };
  }

  test('that others can read, with the files of secrets', async (t) => {
    const { path, settings } = await made(t);
    const secret = join(path, '../key');
    writeFileSync(secret, 'sk_test_canary:');
    chmodSync(secret, 0o644);
    chmodSync(path, 0o640);
    const findings = await examined(t, { ...settings, STRIPE_TEST_SECRET_KEY_FILE: secret });
    assert.equal(
      found(findings, 'files', new RegExp(`^Every user .* ${secret},`)).advice,
      `chmod 600 ${secret}`,
    );
    assert.equal(found(findings, 'files', new RegExp(`^The group of ${path} `)).status, 'advice');
  });

  test('that this user cannot read, which is no damage', async (t) => {
    const { path } = await made(t);
    chmodSync(dirname(path), 0o755);
    chmodSync(path, 0);
    const findings = await examinedByOthers(path);
    assert.ok(
      findings.some(({ status, text }) => status === 'wrong' && text === `This user cannot write ${path}.`),
    );
    assert.ok(!findings.some(({ advice }) => advice.includes('restore')), JSON.stringify(findings));
  });

  test('of a newer version, and one of something else', async (t) => {
    const { path, settings } = await made(t);
    const database = new DatabaseSync(path);
    database.exec('PRAGMA user_version = 999');
    database.close();
    const newer = await examined(t, settings);
    assert.equal(found(newer, 'database', /schema 999 of a newer opentill/).status, 'wrong');
    rmSync(path);
    writeFileSync(path, 'no database at all, and long enough for SQLite to see that '.repeat(40), {
      mode: 0o600,
    });
    assert.deepEqual(wrongIn(await examined(t, settings)), ['database']);
  });

  test('that is damaged', async (t) => {
    const { path, settings } = await made(t);
    const database = new DatabaseSync(path);
    const { page_size: size } = database.prepare('PRAGMA page_size').get() as { page_size: number };
    // The root of an index: it can be opened, and only a look at all pages finds it.
    const { page } = database
      .prepare(`SELECT max(rootpage) AS page FROM sqlite_schema WHERE type = 'index'`)
      .get() as { page: number };
    database.close();
    const file = openSync(path, 'r+');
    writeSync(file, Buffer.alloc(size, 0xff), 0, size, (page - 1) * size);
    closeSync(file);
    const damaged = await examined(t, settings);
    assert.equal(found(damaged, 'database', /^\S+ (is damaged|cannot be read): /).status, 'wrong');
    truncateSync(path, size * 4);
    assert.ok(wrongIn(await examined(t, settings)).includes('database'));
  });

  test('whose newest event is still to come', async (t) => {
    const service = await startService(t, { realNow: () => Date.now() + 3_600_000 });
    await createSession(service);
    const settings = { DATABASE_URL: service.database.url, PORT: new URL(service.url).port };
    const findings = await examined(t, settings);
    assert.match(found(findings, 'clock', /behind the newest event/).text, /is 3(599|600) s behind/);
  });
});

suite('doctor finds an address', () => {
  async function elsewhere(t: TestContext, answer: string): Promise<string> {
    const server = createServer((_request, response) => response.end(answer)).listen(0, '127.0.0.1');
    t.after(() => server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  test('at which somebody else answers, or another opentill, or nobody', async (t) => {
    const directory = freshDirectory(t);
    const DATABASE_URL = `sqlite:${join(directory, 'till.db')}`;
    const { port } = await serve(t, { DATABASE_URL });
    const examine = async (PUBLIC_URL: string) => {
      const findings = await examined(t, { DATABASE_URL, PORT: String(port), PUBLIC_URL });
      assert.deepEqual(wrongIn(findings), ['addresses']);
      return findings.find(({ status }) => status === 'wrong')?.text ?? '';
    };
    assert.match(await examine(await elsewhere(t, 'hello')), /and not by opentill\.$/);
    const other = '{"servers":[{"url":"https://pay.example.com"}]}';
    assert.match(
      await examine(await elsewhere(t, other)),
      /takes https:\/\/pay\.example\.com for its address/,
    );
    assert.match(await examine(`http://127.0.0.1:${await freePort()}`), /does not answer: .*ECONNREFUSED/);
    assert.match(await examine(`https://127.0.0.1:${port}`), /does not answer: /);
  });

  test('that is not encrypted, or behind a proxy that is not named', async (t) => {
    const DATABASE_URL = `sqlite:${join(freshDirectory(t), 'till.db')}`;
    // The names exist nowhere (RFC 6761), so nobody is asked.
    const plain = await examined(t, { DATABASE_URL, PUBLIC_URL: 'http://pay.invalid' });
    assert.equal(found(plain, 'addresses', /is not encrypted/).status, 'wrong');
    const behind = await examined(t, { DATABASE_URL, PUBLIC_URL: 'https://pay.invalid' });
    assert.deepEqual(wrongIn(behind), []);
    assert.equal(found(behind, 'addresses', /TRUST_PROXY names none/).status, 'advice');
    const named = {
      DATABASE_URL,
      PUBLIC_URL: 'https://pay.invalid',
      TRUST_PROXY: '127.0.0.1',
      BOOTSTRAP_API_KEY: 'ak_test_canary:sk_test_canary',
    };
    const last = await examined(t, named);
    assert.equal(found(last, 'addresses', /^TRUST_PROXY names the proxy: 127/).status, 'ok');
    assert.equal(found(last, 'settings', /^BOOTSTRAP_API_KEY is for development/).status, 'advice');
  });
});

suite('doctor looks at a certificate', () => {
  const known = certificateFor('localhost');
  const stranger = certificateFor('localhost');
  const before = getCACertificates('default');
  suiteBefore(() => setDefaultCACertificates([...before, known.cert]));
  suiteAfter(() => setDefaultCACertificates(before));

  /** A proxy that passes on what the service says of itself, and shows metrics too. */
  async function findingsBehind(
    t: TestContext,
    certificate: { readonly key: string; readonly cert: string },
  ) {
    const server = createTlsServer(certificate, (request, response) => {
      response.writeHead(/^\/(openapi\.json|metrics)$/.test(request.url ?? '') ? 200 : 404);
      response.end(JSON.stringify({ servers: [{ url: PUBLIC_URL }] }));
    }).listen(0, '127.0.0.1');
    t.after(() => {
      server.close();
      server.closeAllConnections();
    });
    await new Promise((resolve) => server.once('listening', resolve));
    const PUBLIC_URL = `https://localhost:${(server.address() as AddressInfo).port}`;
    const values = readConfig({ PUBLIC_URL, PORT: String(await freePort()), TRUST_PROXY: '127.0.0.1' });
    return (await examineAddresses(values, false)).map(({ status, text }) => `${status} ${text}`);
  }

  test('that ends soon, and at metrics that everybody sees', async (t) => {
    const findings = await findingsBehind(t, known);
    assert.ok(
      findings.some((each) =>
        /^advice The certificate of localhost expires on \d{4}-\d\d-\d\d\.$/.test(each),
      ),
      findings.join('\n'),
    );
    assert.ok(findings.some((each) => /^ok https:\/\/localhost:\d+ leads to the service\.$/.test(each)));
    assert.ok(findings.some((each) => /^advice https:.*\/metrics is open to everybody\.$/.test(each)));
  });

  test('that nobody vouches for', async (t) => {
    const findings = await findingsBehind(t, stranger);
    assert.ok(
      findings.some((each) => /^advice https:\S+ does not answer: .*self-signed/.test(each)),
      findings.join('\n'),
    );
    assert.ok(!findings.some((each) => each.includes('expires')));
  });
});

test('doctor finds a database on PostgreSQL as it should be', async (t) => {
  const url = await migratedDatabase(t);
  const findings = await examined(t, { DATABASE_URL: url });
  assert.deepEqual(wrongIn(findings), []);
  found(findings, 'database', /is reached: PostgreSQL/);
  found(findings, 'clock', /is not behind the newest event/);
  found(findings, 'receivers', /^No webhook endpoints/);
});

test('doctor finds receivers that get nothing, and why', async (t) => {
  const { service, account, call } = await startService(t);
  for (const url of [
    'http://127.0.0.1:9/a',
    'https://shop.test/',
    'https://inside.test/',
    'https://gone.test/',
  ])
    assert.equal((await call('POST', '/v3/webhook_endpoint', { body: { url, events: ['*'] } })).status, 201);
  const addresses: Readonly<Record<string, string>> = {
    'shop.test': '93.184.216.34',
    'inside.test': '10.1.2.3',
  };
  const resolve = async (name: string) => {
    const address = addresses[name];
    if (address === undefined) throw Object.assign(new Error('no'), { code: 'ENOTFOUND' });
    return [{ address, family: 4 }];
  };
  const examine = async (allowed: readonly string[]) => {
    const findings = await examineReceivers(service.store, [account], networkRules(allowed, false), resolve);
    return findings.map(({ status, text }) => `${status} ${text.replace(/^.* at /, '')}`);
  };
  assert.deepEqual(await examine([]), [
    'wrong http://127.0.0.1:9 gets nothing: its address must not be an address in a private or otherwise special network.',
    'ok https://shop.test may be sent to: 93.184.216.34.',
    'wrong https://inside.test gets nothing: its name leads to 10.1.2.3.',
    'wrong https://gone.test gets nothing: its name has no address (ENOTFOUND).',
  ]);
  assert.deepEqual(
    (await examine(['127.0.0.1/32', '10.0.0.0/8'])).map((line) => line.split(' ')[0]),
    ['ok', 'ok', 'ok', 'wrong'],
  );
});

test('doctor advises only what makes an account payable', async (t) => {
  const { account } = await startService(t);
  const advice = (STRIPE_ACCOUNT: number) => examineRails({ STRIPE_ACCOUNT }, [account])[0]?.advice ?? '';
  assert.match(advice(account.number), /--account 1 --live.*Stripe/);
  assert.doesNotMatch(advice(account.number + 1), /Stripe/);
});

test('doctor asks Stripe only if it is told to, and says what the answer means', async (t) => {
  const stripe = await startStripe(t);
  const DATABASE_URL = `sqlite:${join(freshDirectory(t), 'till.db')}`;
  const { secretKey, webhookSecret } = stripe.keys.test;
  const settings = {
    DATABASE_URL,
    STRIPE_API_URL: stripe.url,
    STRIPE_TEST_SECRET_KEY: secretKey,
    STRIPE_TEST_WEBHOOK_SECRET: webhookSecret,
  };
  await examined(t, settings);
  assert.equal(stripe.calls.length, 0);
  const asked = async () => found(await examined(t, settings, '--ask-stripe'), 'rails', /Stripe|test mode/);
  assert.deepEqual(await asked(), {
    record: 'finding',
    area: 'rails',
    status: 'ok',
    text: 'Stripe takes the key of test mode.',
    advice: '',
  });
  assert.equal(stripe.calls.length, 1);
  stripe.next('unauthorized');
  assert.match((await asked()).text, /does not know the key/);
  stripe.next('forbidden');
  assert.match((await asked()).advice, /permissions/);
  stripe.next('error_before');
  assert.equal((await asked()).status, 'advice');
  stripe.next('reset_before');
  assert.match((await asked()).text, /does not answer at /);
  assert.equal(existsSync(DATABASE_URL.slice('sqlite:'.length)), false);
});
