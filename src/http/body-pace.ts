/** Pace of long bodies, which are read in several pieces. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { tenantName } from '../checkout/tenant.ts';
import { clientOf } from '../lib/client-address.ts';
import { createPace } from '../lib/rate-limit.ts';
import { mayBeLong } from './connections.ts';

/**
 * Bytes of long bodies that are taken from an account and mode, or from an address without a key, in a second. Each piece
 * is a new buffer for the garbage collector, which holds up everybody: bodies in chunks, which are found to be too long
 * only when they are, would come by the hundred.
 */
const BYTES_PER_SECOND = 4 * 2 ** 20;

/** Uploads have a pace of their own, and a GET has no body that anybody reads. */
export function paceLongBodies(
  app: FastifyInstance,
  pace = createPace(BYTES_PER_SECOND, () => performance.now()),
): void {
  function takeSlowly({ raw, principal, ip }: FastifyRequest): void {
    const caller = principal ? tenantName(principal.tenant) : clientOf(ip);
    raw.on('data', (piece: Buffer) => {
      const waitMs = pace.take(caller, piece.length);
      if (waitMs === 0) return;
      raw.pause();
      // A body that is refused meanwhile is left unread all the same.
      setTimeout(() => raw.resume(), waitMs);
    });
  }

  app.addHook('onRoute', (route) => {
    if (route.method === 'GET' || route.method === 'HEAD' || route.config?.upload) return;
    route.preParsing = (request, _reply, _payload, done) => {
      if (mayBeLong(request.raw)) takeSlowly(request);
      done();
    };
  });
}
