/** Resources that are another one with more fields: they refer to its fields instead of repeating them. */
import { isDeepStrictEqual } from 'node:util';
import { type Components, isObject, type Json, type JsonObject, refTo } from './schemas.ts';

/**
 * A new API key begins with all fields of an API key. Those are a component of their own, open for more: each of the two
 * resources allows no field but its own.
 */
export function withSharedFields(components: Components): Components {
  const bases = new Map([...components.keys()].map((name) => [name, baseOf(name, components)]));
  const extended = new Set(bases.values());
  return new Map(
    [...components].flatMap(([name, schema]) => {
      const base = bases.get(name);
      if (base !== undefined) return [[name, extending(base, schema, components)] as const];
      if (!extended.has(name)) return [[name, schema] as const];
      return [
        [fieldsOf(name), without(schema, 'description', 'additionalProperties')] as const,
        [name, closedOver(name, without(schema, 'required', 'properties'))] as const,
      ];
    }),
  );
}

/** The resource whose fields another one begins with. */
function baseOf(name: string, components: Components): string | undefined {
  const own = properties(components.get(name));
  return [...components.keys()].find((other) => {
    const fields = properties(components.get(other));
    const isShorter = fields.length > 0 && fields.length < own.length;
    return isShorter && isDeepStrictEqual(fields, own.slice(0, fields.length));
  });
}

function extending(base: string, schema: JsonObject, components: Components): JsonObject {
  const added = properties(schema).slice(properties(components.get(base)).length);
  const required = added.map(([field]) => field);
  return closedOver(base, { ...schema, required, properties: Object.fromEntries(added) });
}

const fieldsOf = (name: string): string => `${name}Fields`;

const closedOver = (base: string, schema: JsonObject): JsonObject => ({
  ...without(schema, 'additionalProperties'),
  allOf: [refTo('schemas', fieldsOf(base))],
  unevaluatedProperties: false,
});

/** The schema with the fields that it refers to among its own. */
export function flattened(schema: JsonObject, find: (name: string) => JsonObject | undefined): JsonObject {
  if (!Array.isArray(schema.allOf)) return schema;
  const parts = schema.allOf.map((part) =>
    isObject(part) && typeof part.$ref === 'string' ? find(part.$ref.split('/').at(-1) ?? '') : undefined,
  );
  const fields = [...parts, schema].flatMap(properties);
  return { ...without(schema, 'allOf', 'unevaluatedProperties'), properties: Object.fromEntries(fields) };
}

export const properties = (schema: JsonObject | undefined): ReadonlyArray<readonly [string, Json]> =>
  isObject(schema?.properties) ? Object.entries(schema.properties) : [];

const without = (schema: JsonObject, ...names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => !names.includes(name)));
