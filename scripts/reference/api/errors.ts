/** Failed requests in the API document: which reasons an operation can give, and the answers that say so. */
import { type ErrorReason, errorTable } from '../../../src/http/error-table.ts';
import type { DeclaredOperation } from '../../../src/http/operation.ts';
import { headersOf } from './headers.ts';
import { type JsonObject, refTo } from './schemas.ts';

/** Reasons that say nothing of an operation: every one of them tells of them by one answer. */
export const ofAnyOperation: readonly ErrorReason[] = [
  'not_acceptable',
  'request_timeout',
  'rate_limited',
  'internal',
  'unavailable',
];
const everywhere: readonly ErrorReason[] = [
  'bad_query',
  'no_credentials',
  'wrong_credentials',
  'scope_missing',
  ...ofAnyOperation,
];
const withPath: readonly ErrorReason[] = ['not_found'];
const withoutContent: readonly ErrorReason[] = ['bad_json', 'field_invalid', 'too_large', 'key_reused'];
const withBody: readonly ErrorReason[] = [...withoutContent, 'unsupported_media_type'];

/** Every reason for which an operation can fail, in the order of the table. */
export function reasonsOf({ declaration, accepted }: DeclaredOperation): readonly ErrorReason[] {
  const reasons = new Set<ErrorReason>([
    ...everywhere,
    ...(accepted.params && !declaration.creates ? withPath : []),
    ...(accepted.body ? withBody : []),
    ...(declaration.noBody ? withoutContent : []),
    ...(declaration.errors ?? []),
  ]);
  return allReasons.filter((reason) => reasons.has(reason));
}

export const allReasons = (Object.keys(errorTable) as ErrorReason[]).sort(
  (a, b) => errorTable[a].status - errorTable[b].status,
);

/** Answers and their examples are components: operations that can fail for the same reasons share them. */
export function createErrorResponses() {
  const responses: Record<string, JsonObject> = {};
  const examples: Record<string, JsonObject> = {};

  /** The answer by a status, or by `default` for what may happen to any operation. */
  function responseOf(
    status: number | 'default',
    reasons: readonly ErrorReason[],
    operation: string,
  ): JsonObject {
    const name = status === 'default' ? 'AnyOperation' : nameOf(status, reasons);
    const ownStatus = (reason: ErrorReason) => (status === 'default' ? `${errorTable[reason].status}: ` : '');
    const headers = new Set(reasons.flatMap((reason) => headersOfStatus[errorTable[reason].status] ?? []));
    for (const reason of reasons) examples[reason] ??= { value: exampleOf(reason, operation) };
    responses[name] ??= {
      description: reasons.map((reason) => ownStatus(reason) + errorTable[reason].text).join(' '),
      headers: headersOf(['X-Request-Id', ...headers]),
      content: {
        'application/json': {
          schema: refTo('schemas', 'Error'),
          examples: Object.fromEntries(reasons.map((reason) => [reason, refTo('examples', reason)])),
        },
        'application/problem+json': { schema: refTo('schemas', 'Problem') },
      },
    };
    return refTo('responses', name);
  }

  return {
    responses,
    examples,
    /** The answers of an operation by their status. */
    of(operation: DeclaredOperation): JsonObject {
      const byStatus = Map.groupBy(reasonsOf(operation), (reason) =>
        ofAnyOperation.includes(reason) ? 'default' : errorTable[reason].status,
      );
      return Object.fromEntries(
        [...byStatus].map(([status, reasons]) => [
          status,
          responseOf(status, reasons, operation.declaration.operation),
        ]),
      );
    },
  };
}

const headersOfStatus: Readonly<Record<number, Parameters<typeof headersOf>[0]>> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
  503: ['Retry-After'],
};

/** `NotFound`, or `EntrySettledOrNotPayable`. Of status 400, many have the same reasons: they are named by the rest. */
function nameOf(status: number, reasons: readonly ErrorReason[]): string {
  if (status === 401) return 'Unauthorized';
  if (status !== 400) return reasons.map(pascalCase).join('Or');
  // A file is no JSON.
  const parts: Partial<Record<ErrorReason, string>> = reasons.includes('bad_json')
    ? { field_invalid: 'Body' }
    : { field_invalid: 'File' };
  const named = reasons.map((reason) => parts[reason] ?? pascalCase(reason).replace('Bad', ''));
  return `Bad${named.filter((part) => part !== 'Json').join('')}`;
}

const pascalCase = (words: string): string =>
  words.replace(/(?:^|_)(\w)/g, (_match, letter: string) => letter.toUpperCase());

function exampleOf(reason: ErrorReason, operation: string): JsonObject {
  const { code, text } = errorTable[reason];
  return {
    status: 'error',
    message: `${operation}.${reason.toUpperCase()}`,
    errors: [{ code, message: text, remarks: remarks[reason] ?? '' }],
    request_id: 'req_1x2y3z0001',
  };
}

/** Fields that the examples name. */
const remarks: Partial<Record<ErrorReason, string>> = {
  bad_query: '/limit',
  field_invalid: '/invoice_currency',
  bad_metadata: '/metadata',
  customer_exists: '/email',
  not_refundable: '/amount',
};
