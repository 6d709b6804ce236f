/** Failed requests: what is thrown, and how it is serialized for the client. */
import type { Problem, Refusal } from '../checkout/refusals.ts';
import { type ErrorReason, errorTable } from './error-table.ts';

type ErrorItem = { readonly reason: ErrorReason; readonly message: string; readonly remarks: string };

/** The operation as answers name it that are given before there is one. */
export const NO_OPERATION = 'API.REQUEST';

declare module 'fastify' {
  interface FastifyRequest {
    /** Failure with which the request is answered. */
    failure: RequestError | null;
  }
}

/** A request that failed for one reason or, where fields are invalid, for several at once. */
export class RequestError extends Error {
  override name = 'RequestError';
  readonly reason: ErrorReason;
  readonly items: readonly ErrorItem[];
  readonly headers: Readonly<Record<string, string>>;

  /** The message is what the log says, in place of what the client is told. */
  constructor(
    reason: ErrorReason,
    items: readonly ErrorItem[] = [],
    headers: Record<string, string> = {},
    message: string = errorTable[reason].text,
  ) {
    super(message);
    this.reason = reason;
    this.items = items.length > 0 ? items : [{ reason, message: errorTable[reason].text, remarks: '' }];
    this.headers = headers;
  }
}

/** Limit of the mistakes in one answer; a hostile body could have thousands. */
export const MAX_ITEMS = 100;

/** Invalid fields; those of the metadata have a code of their own. */
export function fieldsError(
  problems: readonly Problem[],
  reason: 'field_invalid' | 'bad_query' | 'too_large' = 'field_invalid',
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
  // A field may have an empty name.
  const name = pointer === '' ? 'The body' : pointer.slice(1) || '""';
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
