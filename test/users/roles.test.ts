/** Roles, as people are told of them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { meaningOf, roleNames } from '../../src/users/roles.ts';

test('the guide has a row for each role, with what it may do', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../docs/guides/dashboard.md'), 'utf8');
  const rows = [...guide.matchAll(/^\| `(\w+)` +\| (.+?) +\|$/gm)].map(([, role, may]) => [role, may]);
  assert.deepEqual(
    rows,
    roleNames.map((role) => [role, meaningOf(role)]),
  );
});
