/** Headers of requests and answers, described once. */
import { type JsonObject, refTo } from './schemas.ts';

const schema = (example: string) => ({ type: 'string', examples: [example] });

const described = {
  'Idempotency-Key': [
    'Makes it safe to repeat the request: 1 to 255 printable ASCII characters, quoted or bare.',
    'order-1001',
  ],
  'If-Match': ['ETag of the version to change; the request fails if that has changed since.', '"3"'],
  'If-None-Match': [
    'To fetch: ETag of the version that you have. To set: `*`, so that nothing is changed that exists.',
    '"3"',
  ],
  'Last-Event-ID': ['For a stream: id after which it starts. It overrides `after`.', '42'],
  'X-Request-Id': ['Identifies the request in the log; a request can bring its own.', 'req_1x2y3z0001'],
  ETag: ['Version of what is told, in quotes.', '"3"'],
  Location: ['Path of the new resource.', '/v3/checkout/chk_01k9zq4tn30000x5r7m2c9w1he'],
  'Idempotent-Replayed': [
    '`true` if this is the stored answer to an earlier request with the same key.',
    'true',
  ],
  'Retry-After': ['Seconds until the next request.', '1'],
  'WWW-Authenticate': ['Authentication schemes.', 'Basic realm="opentill", charset="UTF-8"'],
  RateLimit: ['Rest of the quota, and seconds until it is renewed.', '"default";r=0;t=1'],
  'RateLimit-Policy': ['Quota.', '"default";q=100;w=1'],
} as const satisfies Record<string, readonly [description: string, example: string]>;

export type HeaderName = keyof typeof described;

export function headersOf(names: readonly HeaderName[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, refTo('headers', name)]));
}

/** Headers of requests, as parameters. */
export function parametersOf(names: readonly HeaderName[]): readonly JsonObject[] {
  return names.map((name) => refTo('parameters', name));
}

const requestHeaders = ['Idempotency-Key', 'If-Match', 'If-None-Match', 'Last-Event-ID'] as const;

export function headerComponents() {
  const isOfRequest = (name: string) => (requestHeaders as readonly string[]).includes(name);
  const rows = Object.entries(described);
  return {
    headers: Object.fromEntries(
      rows
        .filter(([name]) => !isOfRequest(name))
        .map(([name, [description, example]]) => [name, { description, schema: schema(example) }]),
    ),
    parameters: Object.fromEntries(
      rows
        .filter(([name]) => isOfRequest(name))
        .map(([name, [description, example]]) => [
          name,
          { name, in: 'header', description, schema: schema(example) },
        ]),
    ),
  };
}
