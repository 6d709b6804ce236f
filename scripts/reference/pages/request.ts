/** Example requests, as commands for a shell. */
import { DOCUMENTED_URL } from '../../../src/http/docs.ts';
import { ANY_BYTES } from '../api/operations.ts';
import { isObject, type Json, type JsonObject } from '../api/schemas.ts';

type Parameter = {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: JsonObject;
};

/** `parameters` are those of the path and the query. */
export function curl(
  method: string,
  path: string,
  parameters: readonly Parameter[],
  body: { readonly type: string; readonly example: Json | undefined } | null,
  { isCreation }: { readonly isCreation: boolean },
): string {
  const exampleOf = ({ schema }: Parameter) =>
    String(Array.isArray(schema.examples) ? schema.examples[0] : '');
  const filled = parameters
    .filter((each) => each.in === 'path')
    .reduce((left, each) => left.replace(`{${each.name}}`, exampleOf(each)), path);
  const query = parameters
    .filter((each) => each.in === 'query' && each.required)
    .map((each) => `${each.name}=${encodeURIComponent(exampleOf(each))}`)
    .join('&');
  const url = `${DOCUMENTED_URL}${filled}${query === '' ? '' : `?${query}`}`;
  const lines = [
    `curl ${quoted(url)}`,
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
