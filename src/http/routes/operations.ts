/** Endpoints for operators: liveness, readiness and metrics. They need no key and reveal no secrets. */
import type { FastifyInstance } from 'fastify';
import { StoreUnavailable } from '../../store/errors.ts';
import type { Store } from '../../store/store.ts';
import type { Metrics } from '../metrics.ts';

/** Starting until everything of the start is done, stopping once the process was told to end. */
export type Phase = 'starting' | 'serving' | 'stopping';

export function operationsRoutes(
  app: FastifyInstance,
  { store, metrics, phase }: { store: Store; metrics: Metrics; phase: () => Phase },
): void {
  app.get('/livez', async (_request, reply) => reply.send({ status: 'ok' }));

  app.get('/readyz', async (request, reply) => {
    const status = phase();
    if (status === 'stopping') return reply.code(503).send({ status });
    if (status === 'starting') return reply.code(503).header('retry-after', '1').send({ status });
    try {
      await store.checkHealth();
    } catch (error) {
      request.log.error({ err: error, request_id: request.id }, 'the database cannot be written');
      const reason = error instanceof StoreUnavailable ? error.reason : null;
      const status = reason ?? 'database cannot be written';
      return reply.code(503).header('retry-after', '1').send({ status });
    }
    const share = store.servedShare();
    return reply.send(share === 1 ? { status: 'ok' } : { status: 'partly', accounts_served: share });
  });

  app.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()));
}
