/** Schemas of the routes as schemas of the API document: named ones become components, and are referred to. */
import { isDeepStrictEqual } from 'node:util';
import type { TSchema } from 'typebox';
import { commonFields } from '../../../src/http/schemas/answer-fields.ts';
import { errorBodies, resources } from '../../../src/http/schemas/answers.ts';

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };

export type Components = Map<string, JsonObject>;

/** Keeps what is plain JSON of a schema. */
export const plain = (schema: TSchema): JsonObject => JSON.parse(JSON.stringify(schema));

export const refTo = (kind: string, name: string): JsonObject => ({ $ref: `#/components/${kind}/${name}` });

const annotations = ['description', 'examples'] as const;
const constraintsOf = (schema: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(schema).filter(([key]) => !(annotations as readonly string[]).includes(key)),
  );

/**
 * Moves every subschema with a `title` into the components, and refers to it. Where its description or examples are
 * others than there, they stand beside the reference, as JSON Schema 2020-12 allows.
 */
export function hoisted(schema: Json, components: Components): Json {
  if (Array.isArray(schema)) return schema.map((each) => hoisted(each, components));
  if (!isObject(schema)) return schema;
  const entries = Object.entries(schema)
    // Examples are data, whatever their keys are.
    .map(([key, value]) => [key, key === 'examples' ? value : hoisted(value, components)] as const);
  const { title, ...rest } = Object.fromEntries(entries) as JsonObject;
  if (typeof rest.$ref === 'string') return { ...rest, ...refTo('schemas', rest.$ref) };
  if (typeof title !== 'string') return title === undefined ? rest : { title, ...rest };
  const known = components.get(title);
  if (known === undefined) components.set(title, rest);
  else if (!isDeepStrictEqual(constraintsOf(known), constraintsOf(rest)))
    throw new Error(`two different schemas have the title ${title}`);
  const own = annotations.flatMap((key) => {
    const value = rest[key];
    const saysMore = known !== undefined && value !== undefined && !isDeepStrictEqual(value, known[key]);
    return saysMore ? [[key, value] as const] : [];
  });
  return { ...refTo('schemas', title), ...Object.fromEntries(own) };
}

/** Adds a schema under a name of its own, unless it is there under another one. */
export function addSchema(name: string, schema: TSchema, components: Components): JsonObject {
  const added = hoisted(plain(schema), components) as JsonObject;
  for (const [other, known] of components) {
    if (isDeepStrictEqual(known, added)) return refTo('schemas', other);
  }
  components.set(name, added);
  return refTo('schemas', name);
}

/** The components that answers and errors consist of. */
export function answerComponents(): Components {
  const components: Components = new Map();
  for (const schema of commonFields) hoisted(plain(schema), components);
  for (const [name, schema] of Object.entries({ ...resources, ...errorBodies })) {
    addSchema(name, schema, components);
  }
  return components;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
