import assert from 'node:assert/strict';
import { test } from 'node:test';
import { version } from '../../src/version.ts';
import { runToEnd } from '../support/process.ts';

test('the command line says which version it is', async (t) => {
  const { code, stdout, stderr } = await runToEnd(t, ['--version'], {});
  assert.deepEqual([code, stdout, stderr], [0, `${version}\n`, '']);
});

test('a word that is no command is named in one line', async (t) => {
  const { code, stdout, stderr } = await runToEnd(t, ['server'], {});
  assert.deepEqual([code, stdout], [2, '']);
  assert.equal(stderr, 'opentill: there is no command "server"; did you mean "serve"? See opentill --help\n');
});
