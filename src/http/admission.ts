/** Admission: who may call an operation, how often, and for which form of answer. Decided before the body is read. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createRateLimiter, type RateLimiter } from '../lib/rate-limit.ts';
import { acceptsJson, wantsEventStream } from './accept.ts';
import type { Authenticator, Principal } from './auth.ts';
import { RequestError } from './errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | null;
  }
}

export function admitCallers(api: FastifyInstance, auth: Authenticator, limiter: RateLimiter): void {
  api.decorateRequest('principal', null);
  api.addHook('onRequest', (request, _reply, done) => {
    const header = request.headers.authorization;
    const principal = auth.recall(header);
    if (principal) {
      admit(request, principal, limiter);
      done();
      return;
    }
    auth.verify(header).then(
      (verified) => {
        try {
          admit(request, verified, limiter);
          done();
        } catch (error) {
          done(error as Error);
        }
      },
      (error) => {
        const waitMs = limiter.take(request.ip);
        done(waitMs > 0 ? rateLimited(limiter, waitMs) : error);
      },
    );
  });
}

/** Requests a second of one address to routes for operators and readers, which need no key. */
const OPEN_PER_SECOND = 50;

/** Bounds what one address may ask of routes that need no key. */
export function limitAddresses(app: FastifyInstance): void {
  // A monotonic clock: one that is set back would lock out recent callers.
  const limiter = createRateLimiter(OPEN_PER_SECOND, () => performance.now());
  app.addHook('onRequest', (request, _reply, done) => {
    const waitMs = limiter.take(request.ip);
    done(waitMs > 0 ? rateLimited(limiter, waitMs) : undefined);
  });
}

/** Lets a known caller in: within its rate, with a key that may do this, for an answer it can read. */
function admit(request: FastifyRequest, principal: Principal, limiter: RateLimiter): void {
  request.principal = principal;
  const waitMs = limiter.take(principal.keyId);
  if (waitMs > 0) throw rateLimited(limiter, waitMs);
  const { permission, testOnly, eventStream } = request.routeOptions.config;
  if (permission !== undefined && !principal.permissions.includes(permission)) {
    throw forbidden(`The API key lacks the permission "${permission}".`);
  }
  if (testOnly && principal.tenant.mode !== 'test') {
    throw forbidden('Only keys of test mode may call this operation.');
  }
  const { accept } = request.headers;
  if (acceptsJson(accept) || (eventStream && wantsEventStream(accept))) return;
  throw new RequestError('not_acceptable');
}

function forbidden(message: string): RequestError {
  return new RequestError('scope_missing', [{ reason: 'scope_missing', message, remarks: '' }]);
}

/** `Retry-After` (RFC 9110) and the RateLimit fields (draft-ietf-httpapi-ratelimit-headers). */
function rateLimited({ perSecond }: RateLimiter, waitMs: number): RequestError {
  const seconds = String(Math.ceil(waitMs / 1000));
  return new RequestError('rate_limited', [], {
    'retry-after': seconds,
    'ratelimit-policy': `"default";q=${perSecond};w=1`,
    ratelimit: `"default";r=0;t=${seconds}`,
  });
}
