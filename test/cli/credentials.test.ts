/** `opentill credentials`: secrets from a file, which no output and no mistake repeats. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { freshDirectory, runToEnd } from '../support/process.ts';
import { CREDENTIALS_KEY, serveHere } from '../support/service.ts';

const good = { secret_key: 'rk_test_canary0123456789', webhook_secret: 'whsec_canary0123456789' };

async function begin(t: TestContext) {
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
  return { run, set };
}

suite('opentill credentials', () => {
  test('sets, lists and removes them, and shows their hints alone', async (t) => {
    const { run, set } = await begin(t);
    const line = /^stripe {2}secret_key=…6789 {2}webhook_secret=…6789 {2}20\S+Z {2}operator\n$/;
    for (const { code, stdout, stderr } of [await set(good), await run(['list'])]) {
      assert.deepEqual([code, stderr], [0, '']);
      assert.match(stdout, line);
    }
    const changed = await set({ webhook_secret: 'whsec_canary0123451234' });
    assert.match(changed.stdout, /secret_key=…6789 {2}webhook_secret=…1234/);
    const rotated = { CREDENTIALS_KEY: 'c3'.repeat(32), CREDENTIALS_KEY_PREVIOUS: CREDENTIALS_KEY };
    assert.match((await run(['list'], rotated)).stdout, /operator {2}key:previous\n$/);
    assert.match((await run(['list'], { CREDENTIALS_KEY: '' })).stdout, /key:unknown\n$/);
    assert.match((await run(['list', '--live'])).stderr, /has no credentials of its own/);
    assert.equal((await run(['remove', 'stripe'])).stdout, 'the credentials for stripe are removed\n');
    const gone = await run(['remove', 'stripe']);
    assert.deepEqual([gone.code, gone.stdout], [1, '']);
    assert.match(gone.stderr, /account 1 has no credentials for stripe/);
  });

  test('refuses mistakes with all of them, without what was in the file', async (t) => {
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
});
