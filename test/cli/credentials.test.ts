/** `opentill credentials`: secrets from a file, which no output and no mistake repeats. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { cleanUp, type Ends } from '../support/clean-up.ts';
import { freshDirectory, runToEnd } from '../support/process.ts';
import { CREDENTIALS_KEY, serveHere } from '../support/service.ts';

const good = { secret_key: 'rk_test_canary0123456789', webhook_secret: 'whsec_canary0123456789' };

async function begin(t: Ends) {
  const directory = freshDirectory(t);
  const settings = { DATABASE_URL: `sqlite:${join(directory, 'till.db')}`, CREDENTIALS_KEY };
  await (await serveHere(t, settings)).stop();
  const file = (content: string | object): string => {
    const path = join(directory, 'credentials.json');
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  };
  const run = (args: string[], further: Readonly<Record<string, string>> = {}) =>
    runToEnd(t, ['credentials', ...args], { ...settings, ...further });
  const set = (content: string | object, ...args: string[]) =>
    run(['set', 'stripe', '--file', file(content), ...args]);
  return { settings, run, set };
}

const rotated = { CREDENTIALS_KEY: 'c3'.repeat(32), CREDENTIALS_KEY_PREVIOUS: CREDENTIALS_KEY };
const afterRotation = { CREDENTIALS_KEY: rotated.CREDENTIALS_KEY };

suite('opentill credentials', () => {
  test('sets, lists and removes them, and shows their hints alone', async () => {
    await using t = cleanUp();
    const { run, set } = await begin(t);
    const line = /^stripe {2}secret_key=…6789 {2}webhook_secret=…6789 {2}20\S+Z {2}operator\n$/;
    for (const { code, stdout, stderr } of [await set(good), await run(['list'])]) {
      assert.deepEqual([code, stderr], [0, '']);
      assert.match(stdout, line);
    }
    const changed = await set({ webhook_secret: 'whsec_canary0123451234' });
    assert.match(changed.stdout, /secret_key=…6789 {2}webhook_secret=…1234/);
    assert.match((await run(['list'], rotated)).stdout, /operator {2}key:previous\n$/);
    assert.match((await run(['list'], { CREDENTIALS_KEY: '' })).stdout, /key:unknown\n$/);
    assert.match((await run(['list', '--live'])).stderr, /has no credentials of its own/);
    assert.equal((await run(['remove', 'stripe'])).stdout, 'the credentials for stripe are removed\n');
    const gone = await run(['remove', 'stripe']);
    assert.deepEqual([gone.code, gone.stdout], [1, '']);
    assert.match(gone.stderr, /account 1 has no credentials for stripe/);
  });

  test('refuses mistakes with all of them, without what was in the file', async () => {
    await using t = cleanUp();
    const { run, set } = await begin(t);
    for (const [content, ...expected] of [
      [{ secret_key: 'sk_live_canary', other: 'canary' }, 'secret_key must', 'webhook_secret is', 'other is'],
      [{ ...good, secret_key: 'canary' }, 'secret_key must be a secret or restricted key'],
      ['sk_test_canary', 'cannot be read: it is not JSON'],
      ['"sk_test_canary"', 'secret_key is required', 'webhook_secret is required'],
    ] as ReadonlyArray<readonly [string | object, ...string[]]>) {
      const { code, stdout, stderr } = await set(content);
      assert.deepEqual([code, stdout], [1, '']);
      for (const each of expected) assert.ok(stderr.includes(each), stderr);
      assert.ok(!stderr.includes('canary'), stderr);
    }
    const without = await run(['set', 'stripe', '--file', '/dev/null'], { CREDENTIALS_KEY: '' });
    assert.deepEqual([without.code, without.stdout], [1, '']);
    assert.match(without.stderr, /CREDENTIALS_KEY is not set; openssl rand -base64 32/);
    assert.equal((await run(['list'])).stdout, '');
  });

  test('encrypts them anew when the key is replaced, beside a server, and has nothing to do the next time', async () => {
    await using t = cleanUp();
    const { settings, run, set } = await begin(t);
    const live = { secret_key: 'rk_live_canary0123456789', webhook_secret: 'whsec_canary0123456789' };
    for (const each of [await set(good), await set(live, '--live')]) assert.equal(each.code, 0, each.stderr);
    const before = await run(['list']);
    await serveHere(t, { ...settings, ...rotated });
    const done = await run(['reseal'], rotated);
    assert.deepEqual(done, {
      ...{ code: 0, signal: null, stderr: '' },
      stdout: [
        'account 1  test  stripe  encrypted anew',
        'account 1  live  stripe  encrypted anew',
        '2 encrypted anew; under CREDENTIALS_KEY: 2 of 2\n',
      ].join('\n'),
    });
    const again = await run(['reseal'], rotated);
    assert.deepEqual([again.code, again.stdout], [0, '0 encrypted anew; under CREDENTIALS_KEY: 2 of 2\n']);
    // Without the previous key: hints, time and who set them are those from before.
    for (const env of [rotated, afterRotation])
      assert.equal((await run(['list'], env)).stdout, before.stdout);
    assert.match((await run(['list'])).stdout, /key:unknown/);
    const records = JSON.parse((await run(['reseal', '--json'], afterRotation)).stdout);
    assert.deepEqual(
      records,
      ['test', 'live'].map((mode) => ({
        ...{ account: 1, mode, rail: 'stripe' },
        ...{ was_resealed: false, encryption_key: 'current' },
      })),
    );
  });

  test('encrypts anew what it can read, and says what is left', async () => {
    await using t = cleanUp();
    const { run, set } = await begin(t);
    await set(good);
    const other = { CREDENTIALS_KEY: 'd4'.repeat(32) };
    const left = await run(['reseal'], other);
    assert.deepEqual(left, {
      ...{ code: 1, signal: null },
      stdout: 'account 1  test  stripe  key:unknown\n0 encrypted anew; under CREDENTIALS_KEY: 0 of 1\n',
      stderr:
        'opentill: 1 cannot be read; set CREDENTIALS_KEY_PREVIOUS to the key that they were set with, or set them again\n',
    });
    assert.equal((await run(['reseal'], rotated)).code, 0);
    const without = await run(['reseal'], { CREDENTIALS_KEY: '' });
    assert.deepEqual([without.code, without.stdout], [1, '']);
    assert.match(without.stderr, /CREDENTIALS_KEY is not set; run this with the settings of the server/);
    assert.equal((await run(['remove', 'stripe'])).code, 0);
    const none = await run(['reseal'], rotated);
    assert.deepEqual([none.code, none.stdout], [0, '']);
    assert.equal(none.stderr, 'opentill: no account has credentials of its own\n');
  });
});

suite('opentill credentials at a server, without its database', () => {
  async function beginThere(t: Ends, further: Readonly<Record<string, string>> = {}) {
    const directory = freshDirectory(t);
    const settings = { DATABASE_URL: `sqlite:${join(directory, 'till.db')}`, ...further };
    const server = await serveHere(t, settings);
    const made = await runToEnd(t, ['keys', 'create', '--permissions', 'manage', '--json'], settings);
    const { id, secret } = JSON.parse(made.stdout);
    const there = (args: readonly string[], content?: unknown, key = `${id}:${secret}`) => {
      const path = join(directory, 'credentials.json');
      writeFileSync(path, JSON.stringify(content ?? null));
      const words = ['credentials', ...args, ...(content === undefined ? [] : ['--file', path])];
      return runToEnd(t, [...words, '--url', server.url], { OPENTILL_API_KEY: key });
    };
    const here = (...args: string[]) => runToEnd(t, ['credentials', ...args], settings);
    return { there, here, id };
  }

  test('sets, lists and removes those of the account and mode of its key', async () => {
    await using t = cleanUp();
    const { there, here, id } = await beginThere(t, { CREDENTIALS_KEY });
    const none = await there(['list']);
    assert.deepEqual([none.code, none.stdout], [0, '']);
    assert.match(none.stderr, /has no credentials of its own/);
    const set = await there(['set', 'stripe'], good);
    assert.deepEqual([set.code, set.stderr], [0, '']);
    assert.match(set.stdout, new RegExp(`^stripe {2}secret_key=…6789 {2}\\S+ {2}\\S+Z {2}${id}\n$`));
    for (const listed of [await there(['list']), await here('list')]) assert.equal(listed.stdout, set.stdout);
    const removed = await there(['remove', 'stripe']);
    assert.equal(removed.stdout, 'the credentials for stripe are removed\n');
    assert.equal((await here('list')).stdout, '');
  });

  test('says what the server refuses in the same words, without what was in the file', async () => {
    await using t = cleanUp();
    const { there, here } = await beginThere(t, { CREDENTIALS_KEY });
    for (const [args, content, status, expected] of [
      [
        ['set', 'stripe'],
        { secret_key: 'canary', other: 'canary' },
        1,
        /3 mistakes.*secret_key.*webhook_secret is required/s,
      ],
      [['set', 'stripe'], 'sk_test_canary', 1, /json: it must be an object; nothing is changed$/],
      [['set', 'stripe'], null, 1, /json: it must be an object; nothing is changed$/],
      [['set', 'stripe', '--live'], good, 2, /--account and --live do not go with --url/],
      [['remove', 'stripe'], undefined, 1, /no credentials of its own for this rail$/],
      [['list', '--account', '1'], undefined, 2, /--account and --live do not go with --url/],
    ] as const) {
      const { code, stdout, stderr } = await there(args, content);
      assert.deepEqual([code, stdout], [status, ''], stderr);
      assert.match(stderr.trimEnd(), expected);
      assert.ok(!stderr.includes('canary'), stderr);
    }
    assert.equal((await here('list')).stdout, '');
  });

  test('says so where the server has no key to encrypt them', async () => {
    await using t = cleanUp();
    const { there } = await beginThere(t);
    const { code, stderr } = await there(['set', 'stripe'], good);
    assert.equal(code, 1);
    assert.match(stderr, /refused the request: .*CREDENTIALS_KEY/);
  });
});
