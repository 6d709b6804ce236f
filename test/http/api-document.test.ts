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

/** Mean of an operation, with its share of the components. */
const MAX_LINES = 200;

test('openapi.json can still be read by a person: what repeats is a component', async () => {
  const lines = readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8').split('\n').length;
  const operations = (await declaredOperations()).length;
  assert.ok(lines <= MAX_LINES * operations, `${lines} lines for ${operations} operations`);
});
