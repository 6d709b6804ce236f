import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import Type, { type TSchema } from 'typebox';
import { formatOf, line } from '../../src/lib/formats.ts';
import { createAjv, escapedName, problemsOf, validator, worded } from '../../src/lib/schema-problems.ts';
import { closedObject, either, hasField, nullable } from '../../src/lib/schemas.ts';

const formats = { line, even: formatOf((text) => (text.length % 2 === 0 ? null : `has ${text.length}`)) };
const column = Type.Unsafe<number>({
  type: 'integer',
  minimum: 1,
  ...worded({ mistake: 'must be a column' }),
});
const validate = validator(
  closedObject(
    {
      name: Type.String({ maxLength: 4, format: 'even' }),
      note: nullable(Type.String({ format: 'line' })),
      size: either(
        hasField('width', 'height'),
        closedObject({ width: Type.Integer(), height: Type.Integer() }),
        closedObject({ area: column }),
      ),
      rows: Type.Record(Type.String(), Type.Boolean(), {
        maxProperties: 2,
        propertyNames: { pattern: '^[a-z]+$', ...worded({ mistake: 'must have a name of letters' }) },
      }),
    },
    worded({ unknownField: 'is no field; there are four' }),
  ),
  formats,
);

const right = { name: 'even', note: null, size: { area: 1 }, rows: { a: true } };

function mistakes(changes: object): Record<string, string> {
  const validated = validate({ ...right, ...changes });
  assert.ok('problems' in validated, 'it was accepted');
  return Object.fromEntries(validated.problems.map(({ pointer, detail }) => [pointer, detail]));
}

suite('validation by schema', () => {
  test('gives back what is valid', () => {
    assert.deepEqual(validate(right), { valid: right });
    const other = { ...right, note: 'x', size: { width: 1, height: 2 } };
    assert.deepEqual(validate(other), { valid: other });
  });

  const rows: ReadonlyArray<readonly [what: string, changes: object, mistakes: Record<string, string>]> = [
    ['words of a format about the value', { name: 'odd' }, { '/name': 'has 3' }],
    ['the first mistake of a place', { name: 'oddly' }, { '/name': 'must have at most 4 characters' }],
    ['a type, or null', { note: 1 }, { '/note': 'must be a string or null' }],
    [
      'a control character',
      { note: '\u0000' },
      { '/note': 'must have no control characters and no line breaks' },
    ],
    [
      'what is missing in the branch that is meant',
      { size: { width: 1 } },
      { '/size/height': 'is required' },
    ],
    [
      'a field of the other branch',
      { size: { width: 1, height: 1, area: 1 } },
      { '/size/area': 'is not a known field' },
    ],
    ['words of a schema', { size: { area: 0 } }, { '/size/area': 'must be a column' }],
    ['no object where branches are', { size: [] }, { '/size': 'must be an object' }],
    [
      'a name of a field, escaped',
      { rows: { 'a/~': true } },
      { '/rows/a~1~0': 'must have a name of letters' },
    ],
    ['too many fields', { rows: { a: true, b: true, c: true } }, { '/rows': 'must have at most 2 fields' }],
    ['an unknown field', { extra: 1 }, { '/extra': 'is no field; there are four' }],
    [
      'everything at once',
      { name: 5, rows: { a: 1 }, size: {}, 'x y': null },
      {
        '/name': 'must be a string',
        '/rows/a': 'must be true or false',
        '/size/area': 'is required',
        '/x y': 'is no field; there are four',
      },
    ],
  ];
  for (const [what, changes, expected] of rows) {
    test(`tells ${what}`, () => assert.deepEqual(mistakes(changes), expected));
  }

  const sentences: ReadonlyArray<readonly [schema: TSchema, value: unknown, detail: string]> = [
    [Type.Integer({ minimum: 2 }), 1, 'must be at least 2'],
    [Type.Integer({ maximum: 2 }), 3, 'must be at most 2'],
    [Type.Integer(), 1.5, 'must be a whole number'],
    [Type.Number(), '', 'must be a number'],
    [Type.String({ minLength: 1 }), '', 'must not be empty'],
    [Type.String({ minLength: 2 }), 'a', 'must have at least 2 characters'],
    [Type.String({ pattern: '^a$' }), 'b', 'has characters that are not allowed here'],
    [Type.Array(Type.Null(), { minItems: 1 }), [], 'must have at least 1 element'],
    [Type.Array(Type.Null(), { minItems: 2 }), [], 'must have at least 2 elements'],
    [Type.Array(Type.Null(), { maxItems: 2 }), [null, null, null], 'must have at most 2 elements'],
    [Type.Array(Type.Null(), { uniqueItems: true }), [null, null], 'must not have duplicates'],
    [Type.Enum(['one', 'two']), 'three', 'must be one of one, two'],
    [Type.Unsafe({ enum: ['one', null] }), 'three', 'must be one of one, null'],
    [Type.Union([Type.Array(Type.Null()), Type.Boolean()]), '', 'must be a list or true or false'],
    [Type.Unsafe({ anyOf: [] }), '', 'is invalid'],
    [Type.Unsafe({ const: 1 }), 2, 'is invalid'],
  ];
  for (const [schema, value, detail] of sentences) {
    test(`says that ${JSON.stringify(value)} ${detail}`, () => {
      const validated = validator(schema, formats)(value);
      assert.ok('problems' in validated);
      assert.equal(validated.problems[0]?.detail, detail);
    });
  }

  test('tells a name that a schema without words refuses', () => {
    const names = Type.Unsafe({ type: 'object', propertyNames: { maxLength: 1 } });
    const problems = [{ pointer: '/bb', detail: 'is not a name that can be used' }];
    assert.deepEqual(validator(names, formats)({ a: 1, bb: 2 }), { problems });
  });

  test('tells of several forms what is wrong in the one that is meant', () => {
    const list = Type.Array(Type.Enum(['one']), { maxItems: 1 });
    const forms = validator(closedObject({ of: Type.Union([list, Type.String({ maxLength: 2 })]) }), formats);
    for (const [of, pointer, detail] of [
      [['two'], '/of/0', 'must be one of one'],
      [['one', 'one'], '/of', 'must have at most 1 elements'],
      ['too long', '/of', 'must have at most 2 characters'],
      [null, '/of', 'must be a list or a string'],
    ] as const)
      assert.deepEqual(forms({ of }), { problems: [{ pointer, detail }] });
  });

  test('tells no more than it is asked for', () => {
    const check = createAjv({}, false).compile(Type.Array(Type.Null()));
    assert.equal(check([1, 2, 3]), false);
    const told = (most?: number) => problemsOf(check.errors ?? [], {}, most).map(({ pointer }) => pointer);
    assert.deepEqual([told(0), told(2), told()], [[], ['/0', '/1'], ['/0', '/1', '/2']]);
  });

  test('shortens the name of a field beyond a hundred characters, and leaves no half of one', () => {
    const name = 'x'.repeat(99);
    const shown = [`${name}x`, `${name}xx`, `${name}💶`].map(escapedName);
    assert.deepEqual(shown, [`${name}x`, `${name}x…`, `${name}\ufffd…`]);
  });
});
