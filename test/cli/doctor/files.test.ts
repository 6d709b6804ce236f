/** Files and folders that settings name: who can read them, and whether the service can. */
import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { examineStatements } from '../../../src/cli/doctor/settings.ts';
import { freshDirectory } from '../../support/process.ts';
import { examined, found, made } from './findings.ts';

suite('doctor looks at files', () => {
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

  test('in the folder of statements', async (t) => {
    const directory = freshDirectory(t);
    const settings = { DATABASE_URL: `sqlite:${join(directory, 'till.db')}`, STATEMENT_DIR: directory };
    assert.equal(found(await examined(t, settings), 'files', /^Statements in /).status, 'ok');
    assert.equal(examineStatements({ STATEMENT_DIR: join(directory, 'nowhere') })[0]?.status, 'wrong');
    assert.deepEqual(examineStatements({}), []);
  });
});
