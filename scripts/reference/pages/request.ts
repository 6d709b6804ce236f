/** Example requests, as commands for a shell. */
import { DOCUMENTED_URL } from '../../../src/http/docs.ts';
import { sample } from '../api/examples.ts';
import { ANY_BYTES } from '../api/operations.ts';
import { type Components, isObject, type Json, type JsonObject } from '../api/schemas.ts';

type Parameter = {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: JsonObject;
};

/** `parameters` are those of the path and the query, whose schemas may refer to the components. */
export function curl(
  method: string,
  path: string,
  parameters: readonly Parameter[],
  body: { readonly type: string; readonly example: Json | undefined } | null,
  { isCreation, components }: { readonly isCreation: boolean; readonly components: Components },
): string {
  const exampleOf = ({ name, schema }: Parameter): string => {
    const example = String(sample(schema, components));
    if (example === '') throw new Error(`${method} ${path}: the parameter ${name} has no example`);
    return example;
  };
  const filled = parameters
    .filter((each) => each.in === 'path')
    .reduce((left, each) => left.replace(`{${each.name}}`, exampleOf(each)), path);
  const query = parameters
    .filter((each) => each.in === 'query' && each.required)
    .map((each) => `${each.name}=${encodeURIComponent(exampleOf(each))}`)
    .join('&');
  const url = `${DOCUMENTED_URL}${filled}${query === '' ? '' : `?${query}`}`;
  const lines = [
    // To curl, brackets are a pattern of addresses, unless it is told otherwise.
    `curl ${url.includes('[') ? '-g ' : ''}${quoted(url)}`,
    '-u "$KEY"',
    ...(method === 'GET' || (method === 'POST' && body) ? [] : [`-X ${method}`]),
    ...(isCreation ? ["-H 'Idempotency-Key: order-1001'"] : []),
  ];
  if (body?.type === ANY_BYTES) lines.push('--data-binary @statement.xml');
  else if (body?.type.startsWith('image/')) {
    lines.push(`-H ${quoted(`Content-Type: ${body.type}`)}`, '--data-binary @logo.png');
  } else if (body) {
    lines.push(
      `-H ${quoted(`Content-Type: ${body.type}`)}`,
      `-d ${quoted(JSON.stringify(body.example, null, 2))}`,
    );
  }
  return lines.join(' \\\n  ');
}

/** Quotes what a shell would take for more than a word. */
function quoted(text: string): string {
  return /^[\w:/.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

export function isParameter(value: unknown): value is Parameter {
  return isObject(value) && typeof value.name === 'string' && isObject(value.schema);
}
