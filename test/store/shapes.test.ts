/** Sessions have one shape, wherever they come from: V8 makes a hash table of 1.3 KB more of those that are copied freely. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

test('sessions that are created, read and updated have one shape', () => {
  const program = join(import.meta.dirname, 'shapes.ts');
  const options = ['--allow-natives-syntax', '--disable-warning=ExperimentalWarning'];
  assert.equal(execFileSync(process.execPath, [...options, program], { encoding: 'utf8' }), '');
});
