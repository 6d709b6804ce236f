/** The API document in the repository: what clients are made from says what the routes declare. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { declaredOperations, openApiDocument } from '../../scripts/reference/api/document.ts';

test('openapi.json says what the routes declare', async () => {
  const kept: unknown = JSON.parse(readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8'));
  const declared: unknown = JSON.parse(JSON.stringify(openApiDocument(await declaredOperations())));
  assert.deepEqual(declared, kept, 'npm run generate writes it anew');
});

test('openapi.json can still be read by a person: what repeats is a component', () => {
  const lines = readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8').split('\n').length;
  assert.ok(lines <= 10_000, `${lines} lines`);
});
