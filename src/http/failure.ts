/** Failures: from whatever was thrown to the answer that the client gets. */
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CopyFailed } from '../ingest/copy.ts';
import { createSparing } from '../lib/sparing.ts';
import { CursorExpired, DamagedRow, StoreClosed, StoreUnavailable } from '../store/errors.ts';
import { commonHeaders, JSON_TYPE } from './answer.ts';
import { BodyCut } from './body-stream.ts';
import type { guardConnections } from './connections.ts';
import { type ErrorReason, errorTable } from './error-table.ts';
import { errorEnvelope, fieldsError, NO_OPERATION, problemDocument, RequestError } from './errors.ts';
import type { Metrics } from './metrics.ts';
import { problemsOf } from './validate.ts';

/** An exception of Fastify, the store or a bug as a failure with a row in the error table. */
export function failureOf(error: FastifyError): RequestError {
  if (error instanceof RequestError) return error;
  if (error instanceof StoreUnavailable) return new RequestError('unavailable', [], { 'retry-after': '1' });
  if (error instanceof DamagedRow) return new RequestError('unavailable', [], { 'retry-after': '60' });
  if (error instanceof CopyFailed) return new RequestError('unavailable', [], { 'retry-after': '5' });
  if (error instanceof CursorExpired) return new RequestError('cursor_expired');
  if (error.validation) {
    const reason = error.validationContext === 'querystring' ? 'bad_query' : 'field_invalid';
    return fieldsError(problemsOf(error.validation), reason);
  }
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new RequestError('too_large');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new RequestError('unsupported_media_type');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return new RequestError('bad_json');
    default:
      return new RequestError('internal');
  }
}

/** Time for which a request that is refused for now stands in the log for all that are refused for the same reason. */
const LINE_EVERY_MS = 1_000;

/** Likewise for requests whose credentials are refused: strangers send them, and must not fill the disk. */
const REFUSED_LINE_EVERY_MS = 60_000;
const REFUSALS: ReadonlySet<ErrorReason> = new Set(['wrong_credentials', 'scope_missing']);

/** Answers everything that is thrown, and addresses at which there is nothing. */
export function answerFailures(app: FastifyInstance, publicUrl: string): void {
  app.decorateRequest('failure', null);
  const leftOut = createSparing(LINE_EVERY_MS, () => performance.now());
  const refusalsLeftOut = createSparing(REFUSED_LINE_EVERY_MS, () => performance.now());

  /** Tells of credentials that are refused: a key that is gone or lacks a permission, or somebody who tries them. */
  function noteRefusal({ reason, message }: RequestError, request: FastifyRequest): void {
    const keyId = request.principal?.keyId;
    const like = refusalsLeftOut(`${reason} ${keyId}`);
    if (like === null) return;
    const whose = keyId === undefined ? {} : { key_id: keyId };
    const others = like > 0 ? { left_out: like } : {};
    request.log.warn({ request_id: request.id, ...whose, ...others, why: message }, 'credentials refused');
  }

  app.setErrorHandler((error: FastifyError, request, reply) => {
    const isLeft = hasLeft(request, error);
    const failure = isLeft ? new RequestError('bad_json') : failureOf(error);
    if (isLeft) {
      request.log.info({ request_id: request.id }, 'the client left before its request was complete');
    }
    if (error instanceof StoreClosed) {
      request.log.info({ request_id: request.id }, 'the service has ended before the request was answered');
      return sendError(failure, request, reply, publicUrl);
    }
    if (REFUSALS.has(failure.reason)) noteRefusal(failure, request);
    const isForNow = failure.reason === 'unavailable';
    const like = isForNow ? leftOut(error.message) : 0;
    if (like !== null && errorTable[failure.reason].status >= 500) {
      const about = { request_id: request.id, ...(like > 0 ? { left_out: like } : {}) };
      // A limit that holds is no failure of the service.
      if (isForNow && error instanceof RequestError)
        request.log.warn({ ...about, why: error.message }, 'request refused for now');
      else request.log.error({ ...about, err: error }, 'request failed');
    }
    return sendError(failure, request, reply, publicUrl);
  });
  app.setNotFoundHandler((request, reply) =>
    sendError(new RequestError('not_found'), request, reply, publicUrl),
  );
}

/** True if the connection, or whatever the body comes from, ended before all of the request was read. */
function hasLeft({ raw }: FastifyRequest, error: Error): boolean {
  return error instanceof BodyCut || raw.errored === error;
}

export function sendError(
  failure: RequestError,
  request: FastifyRequest,
  reply: FastifyReply,
  publicUrl: string,
): FastifyReply {
  const operation = request.routeOptions.config?.operation ?? NO_OPERATION;
  request.failure = failure;
  const { type, body } = errorBody(failure, operation, request, publicUrl);
  return reply.code(errorTable[failure.reason].status).headers(failure.headers).type(type).send(body);
}

/** The body of a failed request in the form that its client asks for. */
export function errorBody(
  failure: RequestError,
  operation: string,
  { id, headers }: { readonly id: string; readonly headers: IncomingHttpHeaders },
  publicUrl: string,
): { readonly type: string; readonly body: string } {
  return headers.accept?.includes('application/problem+json')
    ? {
        type: 'application/problem+json; charset=utf-8',
        body: problemDocument(failure, operation, id, publicUrl),
      }
    : { type: JSON_TYPE, body: errorEnvelope(failure, operation, id) };
}

const waiting = 'Too many requests of the connection wait for their answers.';
const tooManyWaiting = new RequestError(
  'rate_limited',
  [{ reason: 'rate_limited', message: waiting, remarks: '' }],
  { 'retry-after': '1' },
);

/** Answers a request that fails before it has a route. */
export function answerEarly(
  failure: RequestError,
  { headers }: IncomingMessage,
  response: ServerResponse,
  id: string,
  publicUrl: string,
): void {
  const { type, body } = errorBody(failure, NO_OPERATION, { id, headers }, publicUrl);
  response
    .writeHead(errorTable[failure.reason].status, {
      ...commonHeaders(id),
      ...failure.headers,
      'content-type': type,
      'content-length': Buffer.byteLength(body),
    })
    .end(body);
}

/** Refuses requests whose client has sent too many before the answers to them were there. */
export const refusePipelined =
  (
    requestId: (request: IncomingMessage) => string,
    publicUrl: string,
    { pipelinedRefused }: Pick<Metrics, 'pipelinedRefused'>,
  ) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    pipelinedRefused();
    answerEarly(tooManyWaiting, request, response, requestId(request), publicUrl);
  };

type Connections = Pick<ReturnType<typeof guardConnections>, 'endAfter' | 'whenLate'>;

/** Answers bytes that are no HTTP request, one with too many headers, or one that took too long to come. */
export function answerUnreadable(
  error: NodeJS.ErrnoException,
  socket: Socket,
  { endAfter, whenLate }: Connections,
  publicUrl: string,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const refuse = (reason: ErrorReason, status: string) =>
    endAfter(socket, (headers) => {
      const about = { id: `req_${randomUUID()}`, headers };
      const { type, body } = errorBody(new RequestError(reason), NO_OPERATION, about, publicUrl);
      return `HTTP/1.1 ${status}\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`;
    });
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT')
    whenLate(socket, () => refuse('request_timeout', '408 Request Timeout'));
  else if (error.code === 'HPE_HEADER_OVERFLOW') refuse('too_large', '431 Request Header Fields Too Large');
  else refuse('bad_path', '400 Bad Request');
}
