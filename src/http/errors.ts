/**
 * Every way in which a request can fail: one table from the reason to what the client gets. The reference page is
 * generated from it.
 */
import type { Problem, Refusal, RefusalReason } from '../checkout/refusals.ts';

type Row = { readonly status: number; readonly code: number; readonly text: string };

export const errorTable = {
  bad_json: { status: 400, code: 100, text: 'The request body is not acceptable JSON.' },
  bad_path: { status: 400, code: 103, text: 'The path of the request cannot be read.' },
  bad_query: { status: 400, code: 104, text: 'A query parameter is unknown or cannot be accepted.' },
  bad_id: { status: 400, code: 15500, text: 'The id in the path does not have the form of an id.' },
  bad_metadata: { status: 400, code: 15515, text: 'The metadata cannot be accepted.' },
  field_invalid: { status: 400, code: 15502, text: 'A field is missing, unknown or cannot be accepted.' },
  no_credentials: { status: 401, code: 109, text: 'The request has no credentials.' },
  wrong_credentials: { status: 401, code: 108, text: 'The credentials are wrong, or the key is revoked.' },
  scope_missing: { status: 403, code: 113, text: 'The API key is not allowed to do this.' },
  not_found: { status: 404, code: 105, text: 'There is nothing under this path.' },
  method_not_allowed: {
    status: 405,
    code: 114,
    text: 'The method is not allowed here; see the Allow header.',
  },
  not_acceptable: {
    status: 406,
    code: 115,
    text: 'The answer cannot be given in a form that the request accepts.',
  },
  too_large: { status: 413, code: 116, text: 'The request is too large.' },
  unsupported_media_type: { status: 415, code: 117, text: 'The request body must be application/json.' },
  not_expirable: { status: 409, code: 19020, text: 'The session is not active, and so cannot be expired.' },
  payment_in_progress: {
    status: 409,
    code: 19021,
    text: 'A payment is in progress; try again when it has ended.',
  },
  not_updatable: { status: 409, code: 19022, text: 'The items of the session cannot change any more.' },
  not_payable: { status: 409, code: 19023, text: 'The session cannot be paid.' },
  payment_booked_elsewhere: { status: 409, code: 19024, text: 'The payment belongs to another session.' },
  not_refundable: { status: 409, code: 19026, text: 'There is not as much left that could be refunded.' },
  refund_settled: {
    status: 409,
    code: 19029,
    text: 'The refund has ended already, or is settled by its provider alone.',
  },
  entry_settled: { status: 409, code: 19027, text: 'The bank entry has been dealt with already.' },
  nothing_to_pay: { status: 409, code: 19028, text: 'There is nothing that could be sent back now.' },
  bad_statement: {
    status: 400,
    code: 15520,
    text: 'The statement cannot be read, or is about another account.',
  },
  bad_signature: { status: 400, code: 15521, text: 'The notice is not signed by the provider.' },
  customer_exists: { status: 409, code: 19025, text: 'Another customer has this e-mail address.' },
  cursor_expired: {
    status: 410,
    code: 19050,
    text: 'Events behind this cursor are no longer kept, so that going on from there would leave some out.',
  },
  too_many_endpoints: {
    status: 409,
    code: 19040,
    text: 'There are as many webhook endpoints as there can be.',
  },
  endpoint_disabled: { status: 409, code: 19041, text: 'The webhook endpoint is disabled or was deleted.' },
  version_stale: {
    status: 412,
    code: 19030,
    text: 'The session has changed since the version that If-Match names.',
  },
  key_reused: { status: 422, code: 19031, text: 'The idempotency key was used with another request body.' },
  rate_limited: { status: 429, code: 110, text: 'Too many requests; see the Retry-After header.' },
  internal: {
    status: 500,
    code: 101,
    text: 'Something went wrong on our side. Nothing was changed by this answer.',
  },
  unavailable: { status: 503, code: 101, text: 'The service cannot answer now; repeat the request later.' },
} as const satisfies Record<RefusalReason, Row> & Record<string, Row>;

export type ErrorReason = keyof typeof errorTable;

type ErrorItem = { readonly reason: ErrorReason; readonly message: string; readonly remarks: string };

/** A request that failed for one reason or, where fields are wrong, for several of them at once. */
export class RequestError extends Error {
  override name = 'RequestError';
  readonly reason: ErrorReason;
  readonly items: readonly ErrorItem[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(reason: ErrorReason, items: readonly ErrorItem[] = [], headers: Record<string, string> = {}) {
    super(errorTable[reason].text);
    this.reason = reason;
    this.items = items.length > 0 ? items : [{ reason, message: errorTable[reason].text, remarks: '' }];
    this.headers = headers;
  }
}

/** More mistakes than anybody reads; a hostile body could have thousands. */
const MAX_ITEMS = 100;

/** Fields that are wrong; those of the metadata have a code of their own. */
export function fieldsError(
  problems: readonly Problem[],
  reason: 'field_invalid' | 'bad_query' | 'bad_id' = 'field_invalid',
) {
  const items = problems.slice(0, MAX_ITEMS).map(({ pointer, detail }): ErrorItem => {
    const inMetadata =
      reason === 'field_invalid' && (pointer === '/metadata' || pointer.startsWith('/metadata/'));
    return {
      reason: inMetadata ? 'bad_metadata' : reason,
      message: sentence(pointer, detail),
      remarks: pointer,
    };
  });
  return new RequestError(items[0]?.reason ?? reason, items);
}

export function refusalError(refusal: Refusal): RequestError {
  if (refusal.reason === 'field_invalid') return fieldsError(refusal.problems);
  const remarks = refusal.problems[0]?.pointer ?? '';
  return new RequestError(refusal.reason, [{ reason: refusal.reason, message: refusal.detail, remarks }]);
}

function sentence(pointer: string, detail: string): string {
  const name = pointer.slice(1) || 'The body';
  return `${name} ${detail}.`;
}

/** The envelope of a failed request. `operation` is such as `CHECKOUT.UPDATE`. */
export function errorEnvelope(error: RequestError, operation: string, requestId: string): string {
  return JSON.stringify({
    status: 'error',
    message: `${operation}.${error.reason.toUpperCase()}`,
    errors: error.items.map(({ reason, message, remarks }) => ({
      code: errorTable[reason].code,
      message,
      remarks,
    })),
    request_id: requestId,
  });
}

/** The same as a problem document (RFC 9457). `baseUrl` is where the documentation of the errors is served. */
export function problemDocument(
  error: RequestError,
  operation: string,
  requestId: string,
  baseUrl: string,
): string {
  const { status, text, code } = errorTable[error.reason];
  return JSON.stringify({
    type: `${baseUrl}/docs/errors#${error.reason}`,
    title: text,
    status,
    detail: error.items.map(({ message }) => message).join(' '),
    instance: `urn:opentill:request:${requestId}`,
    code,
    message: `${operation}.${error.reason.toUpperCase()}`,
    errors: error.items.map(({ reason, message, remarks }) => ({
      code: errorTable[reason].code,
      detail: message,
      pointer: remarks,
    })),
    request_id: requestId,
  });
}
