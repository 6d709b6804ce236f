/** Liveness, readiness and metrics at an address of their own: whoever reaches the API does not see them. */
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { Store } from '../store/store.ts';
import { limitAddresses } from './admission.ts';
import { type ConnectionOptions, guardConnections } from './connections.ts';
import { answerFailures, answerUnreadable, refusePipelined } from './failure.ts';
import type { Metrics } from './metrics.ts';
import { requestIds } from './request-id.ts';
import { operationsRoutes, type Phase } from './routes/operations.ts';
import { schemaController } from './validate.ts';

type Options = {
  readonly logger: FastifyBaseLogger;
  readonly store: Store;
  readonly metrics: Metrics;
  readonly phase: () => Phase;
  /** Address of the documents that errors name. */
  readonly publicUrl: string;
  readonly connections?: ConnectionOptions;
};

/** Builds, never listens. */
export function buildOperationsApp({
  logger,
  connections,
  publicUrl,
  ...dependencies
}: Options): FastifyInstance {
  const guard = guardConnections(connections);
  const requestId = requestIds();
  const app = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    serverFactory: (handle) =>
      guard.createGuardedServer({
        handle,
        refuse: refusePipelined(requestId, publicUrl, dependencies.metrics),
      }),
    return503OnClosing: false,
    clientErrorHandler: (error, socket) => answerUnreadable(error, socket, guard, publicUrl),
    schemaController,
  });
  app.addHook('preClose', (done) => {
    guard.drain();
    done();
  });
  answerFailures(app, publicUrl);
  limitAddresses(app);
  operationsRoutes(app, dependencies);
  return app;
}
