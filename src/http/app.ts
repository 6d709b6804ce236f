/** Assembles the HTTP side. Builds, never listens. */

import formbody from '@fastify/formbody';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  LogController,
} from 'fastify';
import type { RateLimiter } from '../lib/rate-limit.ts';
import { createPayerPages } from '../pages/payer-pages.ts';
import { pageRoutes } from '../pages/routes.ts';
import { createAddressConnections } from './address-connections.ts';
import { createAdmission, createLimits, limitAddresses, type Rates } from './admission.ts';
import { commonHeaders } from './answer.ts';
import { type Api, prepareApi } from './api.ts';
import { createArrivals } from './arrivals.ts';
import { createAuthenticator } from './auth.ts';
import { BODY_LIMIT_BYTES } from './body.ts';
import { paceLongBodies } from './body-pace.ts';
import { type ConnectionOptions, guardConnections } from './connections.ts';
import type { Dependencies } from './dependencies.ts';
import { serveDocs } from './docs.ts';
import { RequestError } from './errors.ts';
import { answerFailures, answerUnreadable, refusePipelined, sendError } from './failure.ts';
import { fastFetch } from './fast-fetch.ts';
import { createPageAdmission, fastPage } from './fast-page.ts';
import { type AskOwn, createInProcess } from './in-process.ts';
import { createLoggedRequests } from './logged-requests.ts';
import type { Metrics } from './metrics.ts';
import { collectOperations } from './operation.ts';
import { createOverload } from './overload.ts';
import { createPieces, sendInPieces } from './pieces.ts';
import { requestIds } from './request-id.ts';
import type { RequestLog } from './request-log.ts';
import { accountRoutes } from './routes/account.ts';
import { accountSettingsRoutes } from './routes/account-settings.ts';
import { apiKeyRoutes } from './routes/api-key.ts';
import { auditRoutes } from './routes/audit.ts';
import { bankEntryRoutes } from './routes/bank-entry.ts';
import { bankStatementRoutes } from './routes/bank-statement.ts';
import { checkoutRoutes } from './routes/checkout.ts';
import { customerRoutes } from './routes/customer.ts';
import { eventRoutes } from './routes/event.ts';
import { logoRoutes } from './routes/logo.ts';
import { memberRoutes } from './routes/member.ts';
import { metadataRoutes } from './routes/metadata.ts';
import { movementRoutes } from './routes/movement.ts';
import { operationsRoutes, type Phase } from './routes/operations.ts';
import { overviewRoutes } from './routes/overview.ts';
import { payinRoutes } from './routes/payin.ts';
import { paymentAttemptRoutes } from './routes/payment-attempt.ts';
import { paymentFileRoutes } from './routes/payment-file.ts';
import { providerEventRoutes } from './routes/provider-event.ts';
import { railCredentialsRoutes } from './routes/rail-credentials.ts';
import { receivingAccountRoutes } from './routes/receiving-account.ts';
import { refundRoutes } from './routes/refund.ts';
import { requestRoutes } from './routes/request.ts';
import { resealRoutes } from './routes/reseal.ts';
import { retentionRoutes } from './routes/retention.ts';
import { testHelperRoutes } from './routes/test-helpers.ts';
import { waitingEventRoutes } from './routes/waiting-event.ts';
import { webhookDeliveryRoutes } from './routes/webhook-delivery.ts';
import { webhookEndpointRoutes } from './routes/webhook-endpoint.ts';
import { webhookSecretRoutes } from './routes/webhook-secret.ts';
import { schemaController, validatorCompiler } from './validate.ts';

export type AppOptions = Dependencies & {
  readonly logger: FastifyBaseLogger;
  readonly metrics: Metrics;
  readonly requestLog: Pick<RequestLog, 'note'>;
  readonly trustProxy: readonly string[];
  readonly rates: Rates;
  /** Connections that an address may have; 0 is no limit. */
  readonly addressConnections: number;
  readonly phase: () => Phase;
  /** False if liveness, readiness and metrics have an address of their own. */
  readonly servesOperations: boolean;
  readonly connections?: ConnectionOptions;
  /** Adds what else is served beside the API, and asks the API for it. */
  readonly further?: (scope: FastifyInstance, ask: AskOwn, addresses: RateLimiter) => Promise<void>;
};

export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { logger, metrics, trustProxy, rates, addressConnections, publicUrl, backlog } = options;
  const connections = guardConnections(options.connections);
  const inProcess = createInProcess();
  const auth = createAuthenticator(options.store, { ownAsker: inProcess.asker });
  const limits = createLimits(rates);
  const admission = createAdmission(auth, limits);
  const requestId = requestIds();
  const { arrive, waitedMs, lateMs } = createArrivals(auth);
  const logged = createLoggedRequests({ log: options.requestLog, realNow: options.realNow, waitedMs });
  const overload = createOverload({
    ...{ auth, backlog, requestId, publicUrl },
    onRefused(request, caller, failure) {
      metrics.overloaded();
      logged.early(caller, failure, request);
    },
  });
  const ofAddresses = createAddressConnections({
    limit: addressConnections,
    proxies: trustProxy,
    logger,
    onRefused: metrics.connectionRefused,
  });
  const payerPages = createPayerPages(options);
  const pageAdmission = createPageAdmission(limits.addresses, trustProxy);
  const inFront = { ...options, requestId, waitedMs, onAnswered: metrics.answered };
  const fastPaths = [
    fastFetch({ ...inFront, admission }),
    fastPage({ ...inFront, payerPages, pageAdmission }),
  ];
  // Fastify's own type of loggers, so that the app is of the type that everybody expects.
  const baseLogger: FastifyBaseLogger = logger;
  const app: FastifyInstance = Fastify({
    loggerInstance: baseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // A logger for each request would be waste: the few log lines name their request.
    childLoggerFactory: (all) => all,
    genReqId: requestId,
    trustProxy: trustProxy.length > 0 ? [...trustProxy] : false,
    bodyLimit: BODY_LIMIT_BYTES,
    serverFactory: (handle) =>
      connections.createGuardedServer({
        handle: (request, response) =>
          arrive(request, () => {
            if (overload.refuses(request, response, lateMs(request))) return;
            if (!fastPaths.some((answers) => answers(request, response, handle))) handle(request, response);
          }),
        refuse: refusePipelined(requestId, publicUrl, metrics),
        mayConnect: ofAddresses.mayConnect,
      }),
    routerOptions: { maxParamLength: 256 },
    schemaController,
    // While the service stops, requests over open connections are answered as usual.
    return503OnClosing: false,
    clientErrorHandler: (error, socket) => answerUnreadable(error, socket, connections, publicUrl),
    frameworkErrors: (_error, request, reply) => {
      // A malformed path has no route, and so no hooks.
      setCommonHeaders(request, reply);
      sendError(new RequestError('bad_path'), request, reply, publicUrl);
    },
  });

  app.server.on('connection', ofAddresses.connected);
  app.server.on('connection', backlog.connected);
  app.addHook('preClose', (done) => {
    overload.close();
    connections.drain();
    done();
  });
  app.setValidatorCompiler(validatorCompiler);
  app.addHook('onRequest', (request, reply, done) => {
    setCommonHeaders(request, reply);
    done();
  });
  // An open connection would delay the end of the service until it times out.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (options.phase() === 'stopping') reply.header('connection', 'close');
    done(null, payload);
  });
  metrics.observe(app, waitedMs);
  answerFailures(app, publicUrl);

  collectOperations(app);
  paceLongBodies(app);
  app.decorate('pieces', createPieces());
  await app.register(
    async (scoped) => {
      logged.observe(scoped);
      const finish = prepareApi(scoped, admission);
      const api: Api = scoped.withTypeProvider<TypeBoxTypeProvider>();
      checkoutRoutes(api, options);
      payinRoutes(api, options);
      paymentAttemptRoutes(api, options);
      refundRoutes(api, options);
      movementRoutes(api, options);
      retentionRoutes(api, options);
      overviewRoutes(api, options);
      waitingEventRoutes(api, options);
      bankEntryRoutes(api, options);
      await bankStatementRoutes(api, options);
      paymentFileRoutes(api, options);
      customerRoutes(api, options);
      eventRoutes(api, options);
      webhookEndpointRoutes(api, options);
      webhookDeliveryRoutes(api, options);
      metadataRoutes(api, options);
      apiKeyRoutes(api, options);
      memberRoutes(api, options);
      accountSettingsRoutes(api, options);
      logoRoutes(api, options);
      receivingAccountRoutes(api, options);
      railCredentialsRoutes(api, options);
      webhookSecretRoutes(api, options);
      auditRoutes(api, options);
      requestRoutes(api, options);
      accountRoutes(api, options);
      resealRoutes(api, options);
      testHelperRoutes(api, options);
      finish();
    },
    { prefix: '/v3' },
  );
  await app.register(async (pages) => {
    await pages.register(formbody, { bodyLimit: 4096 });
    sendInPieces(pages);
    pageRoutes(pages, options, payerPages, pageAdmission);
  });
  await app.register(async (scope) => {
    sendInPieces(scope);
    await options.further?.(scope, inProcess.askOn(app), limits.addresses);
  });
  providerEventRoutes(app, limits, { ...options, onBadSignature: metrics.badSignature });
  await app.register(async (open) => {
    limitAddresses(open);
    sendInPieces(open);
    if (options.servesOperations) operationsRoutes(open, options);
    serveDocs(open, publicUrl);
  });
  return app;
}

function setCommonHeaders(request: { id: string }, reply: FastifyReply): void {
  reply.headers(commonHeaders(request.id));
}
