/** Pace of long bodies, which are read in several pieces. */
import type { FastifyInstance } from 'fastify';
import { tenantName } from '../checkout/tenant.ts';
import { clientOf } from '../lib/client-address.ts';
import { createPace } from '../lib/rate-limit.ts';
import { BODY_LIMIT_BYTES } from './body.ts';
import { bodyStream } from './body-stream.ts';
import { mayBeLong, READ_BYTES } from './connections.ts';
import { RequestError } from './errors.ts';

/**
 * Bytes of long bodies that are taken from an account and mode, or from an address without a key, in a second. Each piece
 * is a new buffer for the garbage collector, which holds up everybody: bodies in chunks, which are found to be too long
 * only when they are, would come by the hundred.
 */
const BYTES_PER_SECOND = 4 * 2 ** 20;
/** Wait beyond which a body is refused: so much, and no more, waits in all. */
const LONGEST_WAIT_MS = 5_000;

/** Uploads have a pace of their own, and a GET has no body that anybody reads. */
export function paceLongBodies(
  app: FastifyInstance,
  pace = createPace(BYTES_PER_SECOND, LONGEST_WAIT_MS, () => performance.now()),
): void {
  app.addHook('onRoute', (route) => {
    if (route.method === 'GET' || route.method === 'HEAD' || route.config?.upload) return;
    route.preParsing = ({ raw, principal, ip }, _reply, payload, done) => {
      if (!mayBeLong(raw)) {
        done(null, payload);
        return;
      }
      const caller = principal ? tenantName(principal.tenant) : clientOf(ip);

      /** Calls back behind the wait, or at once with a refusal. */
      function wait(waitMs: number, next: (refusal?: RequestError) => void): void {
        if (waitMs > pace.longestWaitMs) next(tooMuch(waitMs));
        else if (waitMs > 0) setTimeout(next, waitMs);
        else next();
      }

      /** Counts a body that was announced, until the client leaves, as what has come of it. */
      function giveBackTheRest(lengthBytes: number): void {
        const { socket } = raw;
        const beforeBytes = socket.bytesRead;
        raw.once('close', () => {
          const missingBytes = lengthBytes - (socket.bytesRead - beforeBytes);
          if (!raw.complete && missingBytes > 0) pace.giveBack(caller, missingBytes);
        });
      }

      // Nothing is read of a body before its turn, of one that is refused, and of one that is too long.
      const lengthBytes = Number(raw.headers['content-length'] ?? Number.NaN);
      if (lengthBytes > BODY_LIMIT_BYTES) done(null, payload);
      else if (lengthBytes >= 0) {
        const waitMs = pace.take(caller, lengthBytes);
        if (waitMs <= pace.longestWaitMs) giveBackTheRest(lengthBytes);
        wait(waitMs, (refusal) => done(refusal ?? null, payload));
      } else {
        const waitMs = pace.waitOf(caller, READ_BYTES);
        const take = (piece: Buffer, next: (refusal?: RequestError) => void) =>
          wait(pace.take(caller, piece.length), next);
        if (waitMs > pace.longestWaitMs) done(tooMuch(waitMs));
        else done(null, bodyStream(raw, take));
      }
    };
  });
}

function tooMuch(waitMs: number): RequestError {
  const message = 'Too many long bodies come at once.';
  return new RequestError('rate_limited', [{ reason: 'rate_limited', message, remarks: '' }], {
    'retry-after': String(Math.ceil(waitMs / 1000)),
  });
}
