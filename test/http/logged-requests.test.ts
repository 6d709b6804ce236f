/** Pointers in the log of requests: keys that a client has chosen are in none of them, whatever fields have such keys. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { declaredOperations } from '../../scripts/reference/api/document.ts';
import { fieldNames, withoutKeys } from '../../src/http/logged-requests.ts';
import type { DeclaredOperation } from '../../src/http/operation.ts';
import { OF_OURS } from '../../src/http/schemas/fields.ts';
import { type TSchema, Type } from '../../src/lib/json-schema.ts';

const operations = await declaredOperations();
/** A name that a field has somewhere: as a key that a client has chosen, it may be about anything. */
const NAME = 'email';

// biome-ignore lint/suspicious/noExplicitAny: schemas are walked here by nothing but what JSON Schema says of them.
type Schema = any;

/**
 * Pointers to keys that a schema does not name, and takes: found without what the service makes of schemas. What is below
 * such a key goes without saying.
 */
function* openKeys(schema: Schema, at: string): Generator<string> {
  if (schema === null || typeof schema !== 'object') return;
  for (const each of schema.anyOf ?? []) yield* openKeys(each, at);
  if (schema.items !== undefined) yield* openKeys(schema.items, `${at}/0`);
  for (const [name, each] of Object.entries(schema.properties ?? {})) yield* openKeys(each, `${at}/${name}`);
  const constrains = ['type', 'anyOf', 'enum', 'const', '$ref'].some((key) => key in schema);
  const isObject = [schema.type].flat().includes('object');
  const isClosed = schema.additionalProperties === false && !('patternProperties' in schema);
  if (at !== '' && (!constrains || (isObject && !isClosed))) yield `${at}/${NAME}`;
}

const pointersOf = (all: readonly DeclaredOperation[]) =>
  all.flatMap(({ accepted }) =>
    [accepted.body, accepted.querystring].flatMap((each) => [...openKeys(each, '')]),
  );

/** The operation with one more field in its body. */
const withField = (field: TSchema): DeclaredOperation[] => {
  const [first] = operations;
  assert.ok(first);
  return [
    ...operations,
    { ...first, accepted: { body: Type.Object({ added: field }, { additionalProperties: false }) } },
  ];
};

suite('a pointer', () => {
  const names = fieldNames(operations);

  test('has what is of ours: the root, fields, and places in lists, also in those that may be null', () => {
    for (const pointer of ['', '/items/0/name', '/business/address_lines/1', '/webhook_url_events/0'])
      assert.equal(withoutKeys(pointer, names), pointer);
  });

  test('has nothing else, and an end', () => {
    assert.equal(withoutKeys('/', names), '/*');
    assert.equal(withoutKeys('/items/4111 1111/1111', names), '/items/*/*');
    assert.equal(withoutKeys('Ada', names), '*');
    assert.ok(withoutKeys('/'.repeat(200_000), names).length < 50);
    assert.ok(withoutKeys('/items/1111'.repeat(20_000), names).length < 200);
  });
});

suite('a key that the client has chosen', () => {
  test('is in no pointer, whichever field of a request has such keys', () => {
    const found = [...new Set(pointersOf(operations))];
    assert.ok(
      found.includes(`/metadata/${NAME}`) && found.includes(`/csv_mappings/${NAME}`),
      found.join(' '),
    );
    const names = fieldNames(operations);
    for (const pointer of found) assert.doesNotMatch(withoutKeys(pointer, names), /email/, pointer);
  });

  const open = Type.Object({}, { additionalProperties: true });
  const added: Readonly<Record<string, TSchema>> = {
    'of any content': open,
    'that may be null': Type.Union([open, Type.Null()]),
    'or a text': Type.Union([Type.String(), open]),
    'in a list': Type.Array(open),
    'by a pattern': Type.Record(Type.String(), Type.String()),
    'with values of a kind': Type.Unsafe<unknown>({
      type: ['object', 'null'],
      additionalProperties: { type: 'string' },
    }),
    'beside declared ones': Type.Object({ name: Type.String() }),
    'of which nothing is said': Type.Unknown(),
  };
  for (const [which, field] of Object.entries(added))
    test(`is in no pointer of a field that is added: keys ${which}`, () => {
      const all = withField(field);
      const own = [...new Set(pointersOf(all))].filter((pointer) => pointer.startsWith('/added'));
      assert.equal(own.length, 1);
      const names = fieldNames(all);
      for (const pointer of own) assert.doesNotMatch(withoutKeys(pointer, names), /email/, pointer);
      assert.equal(withoutKeys(`/added/${NAME}/${NAME}`, names), '/added/*/*');
    });
});

test('names that are ours stay, also beside and below keys that are not', () => {
  const names = fieldNames(withField(Type.Object({ name: Type.Object({ email: Type.String() }) })));
  for (const [pointer, logged] of [
    ['/items/0/quantity', '/items/0/quantity'],
    ['/added/name', '/added/name'],
    ['/added/email', '/added/*'],
    ['/csv_mappings/email/amount', '/csv_mappings/*/amount'],
    ['/metadata/email/amount', '/metadata/*/*'],
    ['/4711', '/*'],
    ['', ''],
  ] as const)
    assert.equal(withoutKeys(pointer, names), logged);
  const marked = { ...Type.Record(Type.String(), Type.String()), [OF_OURS]: true };
  assert.equal(withoutKeys('/added/email/amount', fieldNames(withField(marked))), '/added/*/amount');
});
