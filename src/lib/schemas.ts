/** Building blocks of schemas, in terms of TypeBox. */
import { type Static, type TSchema, Type } from './json-schema.ts';

/** An object with these fields and no others. */
export const closedObject = <T extends Record<string, TSchema>>(fields: T, options: object = {}) =>
  Type.Object(fields, { ...options, additionalProperties: false });

/** The schema, or null. */
export function nullable<T extends TSchema & { readonly type?: unknown }>(schema: T) {
  return Type.Unsafe<Static<T> | null>({ ...schema, type: [schema.type, 'null'].flat() });
}

/** The first schema for values that fulfil the condition, the second for all others. */
export function either<T extends TSchema, U extends TSchema>(condition: object, one: T, other: U) {
  const keywords = { if: condition, else: other };
  return Type.Unsafe<Static<T> | Static<U>>(Object.assign(keywords, Object.fromEntries([[THEN, one]])));
}
/** Spelled apart from the object: one with a property of this name would look like a promise. */
const THEN = 'then';

/** The condition that an object has one of these fields. */
export function hasField(...names: readonly string[]): object {
  return { type: 'object', anyOf: names.map((name) => ({ required: [name] })) };
}
