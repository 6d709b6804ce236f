/** How a route of the API is declared: what it is called, who may call it, what it accepts and every answer it has. */
import type { TSchema } from 'typebox';
import type { Permission } from '../accounts/api-key.ts';
import { type ErrorReason, errorTable } from './errors.ts';

type Declaration = {
  /** As messages name it: `CHECKOUT.UPDATE`. */
  readonly operation: string;
  readonly tag: string;
  /** What the key must be allowed to do. */
  readonly permission: Permission;
  /** Accepts no body, an empty one and `{}`, whatever the content type says. */
  readonly noBody?: boolean;
  /** No body is the same as `{}`. */
  readonly optionalBody?: boolean;
  /** Only for keys of test mode. */
  readonly testOnly?: boolean;
  /** The body is a file of any type. */
  readonly upload?: boolean;
  readonly summary: string;
  readonly description?: string;
  readonly statusCode?: number;
  /** The answer has the session's version as its ETag; a change may name the version it is for, a fetch the one known. */
  readonly versioned?: 'create' | 'change' | 'fetch';
  readonly success: TSchema;
  /** Also answers with a stream of server-sent events; this says what is in it. */
  readonly eventStream?: { readonly description: string; readonly example: string };
  /** Beside those that follow from what the route accepts. */
  readonly errors?: readonly ErrorReason[];
};

type Accepted = { readonly params?: TSchema; readonly querystring?: TSchema; readonly body?: TSchema };

const everywhere: readonly ErrorReason[] = [
  'bad_query',
  'no_credentials',
  'wrong_credentials',
  'scope_missing',
  'not_acceptable',
  'rate_limited',
  'internal',
  'unavailable',
];

const withBody: readonly ErrorReason[] = [
  'bad_json',
  'field_invalid',
  'too_large',
  'unsupported_media_type',
  'key_reused',
];

export function operation<A extends Accepted>(declaration: Declaration, accepted: A) {
  const {
    operation: name,
    tag,
    permission,
    summary,
    description,
    statusCode,
    success,
    versioned,
  } = declaration;
  const { noBody = false, optionalBody = false, testOnly = false, eventStream, upload = false } = declaration;
  const [resource = '', verb = ''] = name.toLowerCase().split('.');
  const errors = [
    ...everywhere,
    ...(accepted.params ? (['bad_id', 'not_found'] as const) : []),
    ...(accepted.body ? withBody : []),
    ...(noBody ? (['bad_json', 'field_invalid', 'too_large', 'key_reused'] as const) : []),
    ...(declaration.errors ?? []),
  ];
  const isWrite = accepted.body !== undefined || noBody || upload;
  return {
    config: {
      operation: name,
      permission,
      noBody,
      optionalBody,
      testOnly,
      upload,
      eventStream: eventStream !== undefined,
      requestHeaders: headersOf([
        ...(isWrite ? (['Idempotency-Key'] as const) : []),
        ...(versioned === 'change' ? (['If-Match'] as const) : []),
        ...(versioned === 'fetch' ? (['If-None-Match'] as const) : []),
        ...(eventStream ? (['Last-Event-ID'] as const) : []),
      ]),
    },
    // Routes report what the schema finds together with what only they can see.
    attachValidation: true,
    schema: {
      operationId: camelCase(`${verb}_${resource}`),
      tags: [tag],
      summary,
      ...(description === undefined ? {} : { description }),
      security: [{ basic: [] }, { bearer: [] }],
      ...accepted,
      response: {
        [statusCode ?? 200]: {
          description: 'Success.',
          headers: headersOf([
            'X-Request-Id',
            ...(versioned ? (['ETag'] as const) : []),
            ...(statusCode === 201 ? (['Location'] as const) : []),
            ...(isWrite ? (['Idempotent-Replayed'] as const) : []),
          ]),
          content: {
            'application/json': { schema: success },
            ...(eventStream ? { 'text/event-stream': streamOf(eventStream) } : {}),
          },
        },
        ...(versioned === 'fetch'
          ? { 304: { description: 'Nothing has changed.', headers: headersOf(['ETag']) } }
          : {}),
        ...errorResponses(name, errors),
      },
    },
  };
}

function streamOf({ description, example }: NonNullable<Declaration['eventStream']>) {
  return { schema: { type: 'string', description }, example };
}

const headerTexts = {
  'Idempotency-Key':
    'Makes a repetition of the request safe: 1 to 255 printable ASCII characters, quoted or bare.',
  'If-Match': 'The ETag of the version to change; any other is refused.',
  'If-None-Match': 'The ETag of the version that is known already.',
  'Last-Event-ID': 'For a stream: the id behind which it begins; it counts more than `after`.',
  'X-Request-Id': 'Names the request in the logs; a request may bring its own.',
  ETag: 'The version of the session, in quotes.',
  Location: 'Path of what was created.',
  'Idempotent-Replayed': '`true` where this is the stored answer to an earlier request with the same key.',
  'Retry-After': 'Seconds after which to try again.',
  'WWW-Authenticate': 'How to authenticate.',
  RateLimit: 'What is left of the allowance, and when it is whole again.',
  'RateLimit-Policy': 'The allowance.',
} as const;

function headersOf(names: ReadonlyArray<keyof typeof headerTexts>) {
  return Object.fromEntries(names.map((name) => [name, { type: 'string', description: headerTexts[name] }]));
}

const headersOfFailure: Readonly<Record<number, ReadonlyArray<keyof typeof headerTexts>>> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
  503: ['Retry-After'],
};

/** Failures by status: several reasons may share one. */
function errorResponses(operation: string, reasons: readonly ErrorReason[]) {
  const byStatus = new Map<number, ErrorReason[]>();
  for (const reason of reasons) {
    const { status } = errorTable[reason];
    byStatus.set(status, [...(byStatus.get(status) ?? []), reason]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: group.map((reason) => errorTable[reason].text).join(' '),
        headers: headersOf(['X-Request-Id', ...(headersOfFailure[status] ?? [])]),
        content: {
          'application/json': { schema: { $ref: 'Error#' }, examples: examplesOf(operation, group) },
          'application/problem+json': { schema: { $ref: 'Problem#' } },
        },
      },
    ]),
  );
}

function examplesOf(operation: string, reasons: readonly ErrorReason[]) {
  return Object.fromEntries(
    reasons.map((reason) => [
      reason,
      {
        value: {
          status: 'error',
          message: `${operation}.${reason.toUpperCase()}`,
          errors: [{ code: errorTable[reason].code, message: errorTable[reason].text, remarks: '' }],
          request_id: 'req_1x2y3z0001',
        },
      },
    ]),
  );
}

function camelCase(words: string): string {
  return words.replace(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
}
