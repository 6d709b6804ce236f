/** Puts the HTTP side together. Builds, never listens. */

import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import formbody from '@fastify/formbody';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { ErrorObject } from 'ajv';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { createRateLimiter } from '../lib/rate-limit.ts';
import { pageRoutes } from '../pages/routes.ts';
import { CursorExpired, StoreUnavailable } from '../store/store.ts';
import { JSON_TYPE } from './answer.ts';
import { type Api, BODY_LIMIT_BYTES, prepareApi } from './api.ts';
import { createAuthenticator } from './auth.ts';
import type { Dependencies } from './dependencies.ts';
import { describeApi, serveDocs } from './docs.ts';
import { errorEnvelope, errorTable, fieldsError, problemDocument, RequestError } from './errors.ts';
import type { Metrics } from './metrics.ts';
import { bankEntryRoutes } from './routes/bank-entry.ts';
import { bankStatementRoutes } from './routes/bank-statement.ts';
import { checkoutRoutes } from './routes/checkout.ts';
import { customerRoutes } from './routes/customer.ts';
import { eventRoutes } from './routes/event.ts';
import { metadataRoutes } from './routes/metadata.ts';
import { operationsRoutes } from './routes/operations.ts';
import { paymentRoutes } from './routes/payment.ts';
import { paymentFileRoutes } from './routes/payment-file.ts';
import { noticeRoutes } from './routes/provider-event.ts';
import { refundRoutes } from './routes/refund.ts';
import { testHelperRoutes } from './routes/test-helpers.ts';
import { webhookDeliveryRoutes } from './routes/webhook-delivery.ts';
import { webhookEndpointRoutes } from './routes/webhook-endpoint.ts';
import { problemsOf, validatorCompiler } from './validate.ts';

export type AppOptions = Dependencies & {
  readonly logger: FastifyBaseLogger;
  readonly metrics: Metrics;
  readonly trustProxy: readonly string[];
  /** Requests a second for each caller; 0 for no limit. */
  readonly rateLimit: number;
  readonly isStopping: () => boolean;
};

const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { logger, metrics, trustProxy, rateLimit, publicUrl } = options;
  const app = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    // A logger for each request would be made for nothing: those few that log say which request it was.
    childLoggerFactory: (all) => all,
    genReqId: requestIds(),
    trustProxy: trustProxy.length > 0 ? [...trustProxy] : false,
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: 30_000,
    connectionTimeout: 60_000,
    keepAliveTimeout: 72_000,
    routerOptions: { maxParamLength: 256 },
    forceCloseConnections: 'idle',
    // What still comes over open connections while the service stops is answered like everything else.
    return503OnClosing: false,
    clientErrorHandler: answerUnreadable,
    frameworkErrors: (_error, request, reply) => {
      // A path that cannot be read has no route, and so no hooks.
      setCommonHeaders(request as FastifyRequest, reply as FastifyReply);
      sendError(new RequestError('bad_path'), request as FastifyRequest, reply as FastifyReply, publicUrl);
    },
  }).withTypeProvider<TypeBoxTypeProvider>();

  app.setValidatorCompiler(validatorCompiler);
  // Answers are made by the serializer; their schemas only describe them.
  app.setSerializerCompiler(() => JSON.stringify);
  app.addHook('onRequest', (request, reply, done) => {
    setCommonHeaders(request, reply as FastifyReply);
    done();
  });
  // A connection that is kept open would hold up the end of the service until it times out.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (options.isStopping()) reply.header('connection', 'close');
    done(null, payload);
  });
  metrics.observe(app as unknown as FastifyInstance);

  app.setErrorHandler((error: FastifyError, request, reply) => {
    const failure = failureOf(error);
    if (errorTable[failure.reason].status >= 500) {
      request.log.error({ err: error, request_id: request.id }, 'request failed');
    }
    return sendError(failure, request, reply, publicUrl);
  });
  app.setNotFoundHandler((request, reply) =>
    sendError(new RequestError('not_found'), request, reply, publicUrl),
  );

  const plain = app as unknown as FastifyInstance;
  await describeApi(plain, publicUrl);
  // A clock that only goes forward: one that is set back would lock out those who have just called.
  const limiter = createRateLimiter(rateLimit, () => performance.now());
  const auth = createAuthenticator(options.store);
  await app.register(
    async (scoped) => {
      const api = scoped as unknown as Api;
      const finish = prepareApi(plainOf(api), auth, limiter);
      checkoutRoutes(api, options);
      paymentRoutes(api, options);
      refundRoutes(api, options);
      bankEntryRoutes(api, options);
      await bankStatementRoutes(api, options);
      paymentFileRoutes(api, options);
      customerRoutes(api, options);
      eventRoutes(api, options);
      webhookEndpointRoutes(api, options);
      webhookDeliveryRoutes(api, options);
      metadataRoutes(api, options);
      testHelperRoutes(api, options);
      finish();
    },
    { prefix: '/v3' },
  );
  await app.register(async (pages) => {
    await pages.register(formbody, { bodyLimit: 4096 });
    pageRoutes(pages, options, limiter);
  });
  noticeRoutes(plain, { ...options, onBadSignature: metrics.badSignature });
  operationsRoutes(plain, options);
  await serveDocs(plain, publicUrl);
  return plain;
}

const plainOf = (api: Api) => api as unknown as FastifyInstance;

function setCommonHeaders(request: { id: string }, reply: FastifyReply): void {
  reply.headers(securityHeaders).header('x-request-id', request.id);
}

/** Ids such as `req_5f3a9c1b0e7d-1`: unique across processes, cheap to make. A client may bring its own. */
function requestIds() {
  const process = randomUUID().replaceAll('-', '').slice(0, 12);
  let count = 0;
  return ({ headers }: { headers: Record<string, string | string[] | undefined> }): string => {
    const given = headers['x-request-id'];
    if (typeof given === 'string' && /^[\w.-]{1,64}$/.test(given)) return given;
    return `req_${process}-${(++count).toString(36)}`;
  };
}

/** What Fastify, the store or a bug threw, as a failure with a row in the table of errors. */
function failureOf(error: FastifyError): RequestError {
  if (error instanceof RequestError) return error;
  if (error instanceof StoreUnavailable) return new RequestError('unavailable', [], { 'retry-after': '1' });
  if (error instanceof CursorExpired) return new RequestError('cursor_expired');
  if (error.validation) {
    const reason = error.validationContext === 'querystring' ? 'bad_query' : 'field_invalid';
    return fieldsError(problemsOf(error.validation as unknown as ErrorObject[]), reason);
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

function sendError(
  failure: RequestError,
  request: FastifyRequest,
  reply: FastifyReply,
  publicUrl: string,
): FastifyReply {
  const operation = request.routeOptions.config?.operation ?? 'API.REQUEST';
  reply.code(errorTable[failure.reason].status).headers(failure.headers);
  if (request.headers.accept?.includes('application/problem+json')) {
    return reply
      .type('application/problem+json; charset=utf-8')
      .send(problemDocument(failure, operation, request.id, publicUrl));
  }
  return reply.type(JSON_TYPE).send(errorEnvelope(failure, operation, request.id));
}

/** Bytes that are no HTTP request, or one with more headers than anybody needs. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return;
  const tooLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const failure = new RequestError(tooLarge ? 'too_large' : 'bad_path');
  const status = tooLarge ? '431 Request Header Fields Too Large' : '400 Bad Request';
  const body = errorEnvelope(failure, 'API.REQUEST', `req_${randomUUID()}`);
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: ${JSON_TYPE}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
