/** Fields of a schema as nested lists: names, types, limits and descriptions. */
import { LINE, TEXT } from '../../../src/http/schemas/fields.ts';
import { type Content, type Html, html } from '../../../src/lib/html.ts';
import { isObject, type Json, type JsonObject } from '../api/schemas.ts';
import { inline } from './layout.ts';

export type Schemas = { readonly [name: string]: JsonObject };

/** Names of resources, which have a section of their own: fields refer to them instead of repeating them. */
export type Linked = ReadonlySet<string>;

const asObject = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
const asList = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

export const refName = ({ $ref }: JsonObject): string | undefined =>
  typeof $ref === 'string' ? $ref.split('/').at(-1) : undefined;

/** The schema itself, where a field refers to one that has no section of its own. */
function resolved(schema: JsonObject, schemas: Schemas, linked: Linked): JsonObject {
  const name = refName(schema);
  if (name === undefined || linked.has(name)) return schema;
  const { $ref, ...rest } = schema;
  return { ...schemas[name], ...rest };
}

export const resourceLink = (name: string): Html => html`<a href="#${name}">${name}</a>`;

export function fieldList(schema: JsonObject, schemas: Schemas, linked: Linked): Html {
  const required = asList(schema.required);
  const properties = Object.entries(asObject(schema.properties));
  return html`<ul class="fields">
${properties.map(([name, value]) => {
  const isRequired = required.includes(name);
  return html`<li>${fieldHead(name, asObject(value), schemas, linked, { isRequired })}${nested(asObject(value), schemas, linked)}</li>\n`;
})}</ul>`;
}

/** The description of one field, without the fields inside of it. `place` is where a parameter goes. */
export function fieldHead(
  name: string,
  given: JsonObject,
  schemas: Schemas,
  linked: Linked,
  { isRequired, place }: { readonly isRequired?: boolean; readonly place?: string },
): Html {
  const schema = resolved(given, schemas, linked);
  const limits = limitsOf(schema, schemas, linked);
  const description = schema.description ?? schemas[refName(schema) ?? '']?.description ?? '';
  return html`<code class="name">${name}</code> <span class="type">${typeOf(schema, schemas, linked)}${place !== undefined && `, in ${place}`}</span>${
    isRequired && html` <span class="required">required</span>`
  }${description !== '' && html` <span class="says">${inline(String(description))}</span>`}${
    limits.length > 0 &&
    html` <span class="limits">${limits.map((limit, index) => html`${index > 0 && ' · '}${limit}`)}</span>`
  }`;
}

/** The description of the fields inside of a field. */
function nested(schema: JsonObject, schemas: Schemas, linked: Linked): Content {
  const inner = innerObject(schema, schemas, linked);
  if (inner === undefined || Object.keys(asObject(inner.properties)).length === 0) return false;
  return html`<details><summary>Fields</summary>${fieldList(inner, schemas, linked)}</details>`;
}

function innerObject(given: JsonObject, schemas: Schemas, linked: Linked): JsonObject | undefined {
  const schema = resolved(given, schemas, linked);
  if (refName(schema) !== undefined) return undefined;
  if (schema.type === 'array') return innerObject(asObject(schema.items), schemas, linked);
  const options = asList(schema.anyOf).map(asObject);
  for (const option of options) {
    const inner = innerObject(option, schemas, linked);
    if (inner) return inner;
  }
  return schema.type === 'object' ? schema : undefined;
}

function typeOf(given: JsonObject, schemas: Schemas, linked: Linked): Content {
  const schema = resolved(given, schemas, linked);
  const name = refName(schema);
  if (name !== undefined) return resourceLink(name);
  const options = asList(schema.anyOf).map(asObject);
  if (options.length > 0) {
    return options.map((each, index) => [index > 0 && ' or ', typeOf(each, schemas, linked)]);
  }
  if (schema.type === 'array') return ['list of ', plural(typeOf(asObject(schema.items), schemas, linked))];
  if (Array.isArray(schema.type)) return schema.type.join(' or ');
  return schema.type === undefined ? 'any' : String(schema.type);
}

const plural = (type: Content): Content => (typeof type === 'string' ? `${type}s` : type);

const patterns: Readonly<Record<string, string>> = {
  [LINE]: 'one line',
  [TEXT]: 'no control characters',
};

function patternInWords(pattern: string): Content {
  const prefix = /^\^([a-z]+_)\[0-9a-z\]\{20,40\}\$$/.exec(pattern)?.[1];
  if (prefix !== undefined) return html`begins with <code>${prefix}</code>`;
  return patterns[pattern] ?? html`pattern <code>${pattern}</code>`;
}

function limitsOf(given: JsonObject, schemas: Schemas, linked: Linked): readonly Content[] {
  const schema = resolved(given, schemas, linked);
  const { minLength, maxLength, minimum, maximum, minItems, maxItems, pattern, format } = schema;
  const values = schema.const === undefined ? asList(schema.enum) : [schema.const];
  const limits: Content[] = [];
  if (values.length > 0) {
    limits.push(
      values.map(
        (value, index) =>
          html`${index > 0 && ', '}<code>${typeof value === 'string' && value !== '' ? value : JSON.stringify(value)}</code>`,
      ),
    );
  }
  if (format !== undefined) limits.push(`format ${String(format)}`);
  if (minLength !== undefined)
    limits.push(minLength === 1 ? 'not empty' : `at least ${String(minLength)} characters`);
  if (maxLength !== undefined) limits.push(`at most ${String(maxLength)} characters`);
  if (minimum !== undefined) limits.push(`minimum ${String(minimum)}`);
  if (maximum !== undefined) limits.push(`maximum ${String(maximum)}`);
  if (minItems !== undefined)
    limits.push(`at least ${String(minItems)} ${minItems === 1 ? 'element' : 'elements'}`);
  if (maxItems !== undefined) limits.push(`at most ${String(maxItems)} elements`);
  if (schema.uniqueItems === true) limits.push('no duplicates');
  if (schema.default !== undefined) limits.push(html`default <code>${JSON.stringify(schema.default)}</code>`);
  if (typeof pattern === 'string') limits.push(patternInWords(pattern));
  for (const option of asList(schema.anyOf).map(asObject)) limits.push(...limitsOf(option, schemas, linked));
  return limits;
}
