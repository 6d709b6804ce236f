/**
 * Inbound provider webhooks: stored verbatim and acknowledged, then matched by asking the provider. The path needs no
 * key: the signature authenticates the provider. It stays `/notices/…`, which operators have entered at their providers.
 */
import type { FastifyInstance } from 'fastify';
import { newId } from '../../lib/id.ts';
import { BadSignature } from '../../methods/method.ts';
import { ownOrigin } from '../../writer/command.ts';
import type { Dependencies } from '../dependencies.ts';
import { RequestError } from '../errors.ts';

/** Far above the size of any provider event. */
const EVENT_LIMIT_BYTES = 262_144;

export function providerEventRoutes(
  app: FastifyInstance,
  {
    rails,
    execute,
    worker,
    now,
    onBadSignature,
  }: Dependencies & { readonly onBadSignature: (rail: string) => void },
): void {
  void app.register(async (scoped) => {
    scoped.removeAllContentTypeParsers();
    scoped.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit: EVENT_LIMIT_BYTES },
      (_request, body, done) => done(null, body),
    );
    for (const rail of rails) {
      if (!rail.readEvent) continue;
      const read = rail.readEvent.bind(rail);
      scoped.post(
        `/notices/${rail.name}`,
        { config: { operation: 'PROVIDER_EVENT.RECEIVE' } },
        async (request, reply) => {
          const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
          try {
            const { reference, attemptReference, paymentReference, tenant } = read(body, request.headers);
            const time = await now(tenant);
            await execute({
              subject: 'provider_event',
              origin: ownOrigin(tenant, 'rail'),
              now: time,
              rail: rail.name,
              reference,
              action: {
                type: 'receive',
                id: newId('pev', time),
                attemptReference,
                paymentReference,
                body: body.toString('utf8'),
              },
            });
            worker.nudgeProviderEvents();
          } catch (error) {
            if (!(error instanceof BadSignature)) throw error;
            onBadSignature(rail.name);
            throw new RequestError('bad_signature');
          }
          return reply.send({ received: true });
        },
      );
    }
  });
}
