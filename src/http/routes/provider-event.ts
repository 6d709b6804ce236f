/**
 * Inbound provider webhooks: stored verbatim and acknowledged, then matched by asking the provider. The path needs no
 * key: the signature authenticates the provider. It stays `/notices/…`, which operators have entered at their providers.
 */
import type { FastifyInstance } from 'fastify';
import { clientOf } from '../../lib/client-address.ts';
import { newId } from '../../lib/id.ts';
import { createLru } from '../../lib/lru.ts';
import type { RateLimiter } from '../../lib/rate-limit.ts';
import { BadSignature } from '../../methods/method.ts';
import { ownOrigin } from '../../writer/command.ts';
import { rateLimited } from '../admission.ts';
import type { Dependencies } from '../dependencies.ts';
import { RequestError } from '../errors.ts';

/** Far above the size of any provider event. */
const EVENT_LIMIT_BYTES = 262_144;

/** Clients remembered because an event of theirs was verified; providers send from a few dozen addresses. */
const MAX_PROVIDERS = 1_000;

/** `limiter` counts what has no valid signature. */
export function providerEventRoutes(
  app: FastifyInstance,
  limiter: RateLimiter,
  {
    rails,
    execute,
    worker,
    now,
    onBadSignature,
  }: Dependencies & { readonly onBadSignature: (rail: string) => void },
): void {
  const providers = createLru<string, true>({ most: MAX_PROVIDERS });
  void app.register(async (scoped) => {
    // Refused before the body is read, unless a provider has the same address: behind a proxy that TRUST_PROXY does not name,
    // all have.
    scoped.addHook('onRequest', ({ ip }, _reply, done) => {
      const waitMs = providers.get(clientOf(ip)) ? 0 : limiter.waitOf(ip);
      done(waitMs > 0 ? rateLimited(limiter, waitMs) : undefined);
    });
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
            providers.set(clientOf(request.ip), true);
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
            worker.nudge('providerEvents', tenant);
          } catch (error) {
            if (!(error instanceof BadSignature)) throw error;
            onBadSignature(rail.name);
            const waitMs = limiter.take(request.ip);
            throw waitMs > 0 ? rateLimited(limiter, waitMs) : new RequestError('bad_signature');
          }
          return reply.send({ received: true });
        },
      );
    }
  });
}
