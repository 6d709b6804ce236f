import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type as TypeBox } from 'typebox';
import { Type } from '../../src/lib/json-schema.ts';

const options = { description: 'A field.', examples: ['one'] };

/** The same schemas, by the builders of either. */
const made: Record<keyof typeof Type, (type: typeof Type) => readonly unknown[]> = {
  Array: (T) => [T.Array(T.String()), T.Array(T.String(options), { ...options, maxItems: 3 })],
  Boolean: (T) => [T.Boolean(), T.Boolean(options)],
  Enum: (T) => [T.Enum(['one', 'two']), T.Enum(['one'], { type: 'string', ...options })],
  Integer: (T) => [T.Integer(), T.Integer({ minimum: 0, ...options })],
  Literal: (T) => [T.Literal('one'), T.Literal(true), T.Literal(1, options)],
  Null: (T) => [T.Null(), T.Null(options)],
  Object: (T) => [
    T.Object({}),
    T.Object({ one: T.String(), two: T.Optional(T.String(options)) }),
    T.Object({ one: T.Optional(T.String()) }, { ...options, additionalProperties: false }),
    // A copy is a field that has to be there.
    T.Object({ one: { ...T.Optional(T.String()) } }),
  ],
  Optional: (T) => [T.Optional(T.String(options))],
  Record: (T) => [
    T.Record(T.String(), T.Integer()),
    T.Record(T.String(), T.Integer(), { ...options, maxProperties: 2 }),
  ],
  String: (T) => [T.String(), T.String({ pattern: '^a$', ...options })],
  Union: (T) => [T.Union([T.String(), T.Null()]), T.Union([T.String()], options)],
  Unknown: (T) => [T.Unknown(), T.Unknown(options)],
  Unsafe: (T) => [T.Unsafe(T.String(options)), T.Unsafe({ $ref: 'Session' })],
};

for (const [name, schemas] of Object.entries(made)) {
  test(`${name} makes what TypeBox makes, in the same order`, () => {
    assert.equal(JSON.stringify(schemas(Type)), JSON.stringify(schemas(TypeBox)));
  });
}

test('there are no other builders', () => {
  assert.deepEqual(Object.keys(Type).sort(), Object.keys(made).sort());
});
