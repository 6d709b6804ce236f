import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import Type from 'typebox';
import { formatOf, line } from '../../src/lib/formats.ts';
import { validator, worded } from '../../src/lib/schema-problems.ts';
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
});
