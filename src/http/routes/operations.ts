/** Endpoints for operators: liveness, readiness and metrics. They need no key and reveal no secrets. */
import type { FastifyInstance } from 'fastify';
import { sharedCall } from '../../lib/shared-call.ts';
import type { Store } from '../../store/store.ts';
import type { Metrics } from '../metrics.ts';

/** Time for which the database is taken for what it was; a probe of each instance of a load balancer asks more often. */
const HEALTH_MS = 250;

/** `isStopping` is true once the process was told to end. */
export function operationsRoutes(
  app: FastifyInstance,
  { store, metrics, isStopping }: { store: Store; metrics: Metrics; isStopping: () => boolean },
): void {
  const checkHealth = sharedCall(() => store.checkHealth(), HEALTH_MS);

  app.get('/livez', async (_request, reply) => reply.send({ status: 'ok' }));

  app.get('/readyz', async (request, reply) => {
    if (isStopping()) return reply.code(503).send({ status: 'stopping' });
    try {
      await checkHealth();
    } catch (error) {
      request.log.error({ err: error, request_id: request.id }, 'the database cannot be written');
      return reply.code(503).header('retry-after', '1').send({ status: 'database cannot be written' });
    }
    return reply.send({ status: 'ok' });
  });

  app.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()));
}
