/** Settings that are wrong, do not go together, or are misspelled: `doctor` tells of all of them at once. */
import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { cleanUp } from '../../support/clean-up.ts';
import { freshDirectory, runToEnd } from '../../support/process.ts';
import { examined, found } from './findings.ts';

suite('doctor', () => {
  test('tells of all wrong settings at once, and repeats no secret', async () => {
    await using t = cleanUp();
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

  test('tells of settings that do not go together, and of names that are almost those of settings', async () => {
    await using t = cleanUp();
    const DATABASE_URL = `sqlite:${join(freshDirectory(t), 'till.db')}`;
    const findings = await examined(t, {
      DATABASE_URL,
      STRIPE_LIVE_SECRET_KEY: 'sk_live_canary',
      PUBLIC_URI: 'https://pay.example.com',
      TRUST_PROXIES: '127.0.0.1',
    });
    found(
      findings,
      'settings',
      /^STRIPE_LIVE_WEBHOOK_SECRET must be set, because STRIPE_LIVE_SECRET_KEY is\.$/,
    );
    assert.match(found(findings, 'settings', /^There is no setting PUBLIC_URI;/).advice, /PUBLIC_URL\?/);
    assert.match(found(findings, 'settings', /^There is no setting TRUST_PROXIES;/).advice, /TRUST_PROXY\?/);
    assert.equal(found(findings, 'rails', /to HTTPS alone/).status, 'wrong');
  });

  test('tells of a mistake once, and not again of the settings that follow from it', async () => {
    await using t = cleanUp();
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

  test('goes on where a secret is no file, or what a setting names cannot be looked at', async () => {
    await using t = cleanUp();
    const directory = freshDirectory(t);
    const loop = join(directory, 'loop');
    symlinkSync(loop, loop);
    const findings = await examined(t, {
      DATABASE_URL: `sqlite:${join(directory, 'till.db')}`,
      STRIPE_TEST_SECRET_KEY_FILE: loop,
      STRIPE_TEST_WEBHOOK_SECRET_FILE: directory,
      STATEMENT_DIR: loop,
    });
    found(findings, 'settings', /^STATEMENT_DIR names a folder that cannot be read: ELOOP\.$/);
    found(findings, 'settings', /^STRIPE_TEST_SECRET_KEY_FILE names .*, which cannot be read: ELOOP\.$/);
    found(findings, 'settings', /^STRIPE_TEST_WEBHOOK_SECRET_FILE names .*, which cannot be read: EISDIR\.$/);
    assert.ok(!findings.some(({ advice }) => advice.startsWith('chmod')));
    found(findings, 'database', /^There is no database/);
  });
});
