/** The API document in the repository: what clients are made from says what the routes declare. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { declaredOperations, openApiDocument } from '../../scripts/reference/api/document.ts';

const text = readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8');
const declared = JSON.parse(JSON.stringify(openApiDocument(await declaredOperations())));

test('openapi.json says what the routes declare', () => {
  assert.deepEqual(declared, JSON.parse(text), 'npm run generate writes it anew');
});

test('openapi.json can still be read by a person: what repeats is a component', () => {
  const lines = text.split('\n').length;
  assert.ok(lines <= 10_000, `${lines} lines`);
});

test('operations that accept the same body refer to one component', () => {
  const { paths } = declared;
  assert.deepEqual(paths['/v3/payin'].post.requestBody, paths['/v3/checkout'].post.requestBody);
});

test('a resource with more fields than another one refers to those, and stays closed', () => {
  const { PayinFields, Payin, ConfirmedPayin } = declared.components.schemas;
  assert.equal('additionalProperties' in PayinFields, false);
  assert.deepEqual(PayinFields.required, Object.keys(PayinFields.properties));
  const { description: _, examples, ...whole } = Payin;
  assert.equal(examples.length, 1);
  const allOf = [{ $ref: '#/components/schemas/PayinFields' }];
  assert.deepEqual(whole, { type: 'object', allOf, unevaluatedProperties: false });
  const { properties } = ConfirmedPayin;
  assert.deepEqual(Object.keys(properties), ['redirect_url']);
  assert.deepEqual(ConfirmedPayin, { ...ConfirmedPayin, ...whole, required: ['redirect_url'] });
});

test('texts of the same kind have examples of their own where they say other things', () => {
  const exampleOf = (path: string): unknown => {
    const { schema } = declared.paths[path].post.requestBody.content['application/json'];
    const { properties } = declared.components.schemas[schema.$ref?.split('/').at(-1)] ?? schema;
    const { $ref = '', examples } = properties.reason;
    return (examples ?? declared.components.schemas[$ref.split('/').at(-1)].examples)[0];
  };
  assert.deepEqual(
    ['refund', 'refund/{id}/settle', 'bank_entry/{id}/reopen', 'bank_entry/{id}/send_back'].map((path) =>
      exampleOf(`/v3/${path}`),
    ),
    [
      'The parcel was lost.',
      'Paid in cash at the counter.',
      'The bank has refused the transfer.',
      'We know of no such order.',
    ],
  );
});
