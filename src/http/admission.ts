/** Admission: who may call an operation, how often, and for which form of answer. Decided before the body is read. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { tenantName } from '../checkout/tenant.ts';
import { createAddressLimiter, createRateLimiter, type RateLimiter } from '../lib/rate-limit.ts';
import { acceptsJson, wantsEventStream } from './accept.ts';
import type { Authenticator, Principal } from './auth.ts';
import { RequestError } from './errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | null;
  }
}

/** Requests a second in the long run; 0 is no limit. */
export type Rates = {
  /** Rate of each API key. */
  readonly ofKey: number;
  /** Rate of each address: requests without a key, and those of payers. */
  readonly ofAddress: number;
};

/** Keys that an account and mode can use to the full: one that has gone wrong leaves room for another. */
const FULL_KEYS = 2;

export type Limits = ReturnType<typeof createLimits>;

export function createLimits({ ofKey, ofAddress }: Rates) {
  // A monotonic clock: one that is set back would lock out recent callers.
  const now = () => performance.now();
  return {
    keys: createRateLimiter(ofKey, now),
    tenants: createRateLimiter(FULL_KEYS * ofKey, now),
    addresses: createAddressLimiter(ofAddress, now),
    /** Addresses that send provider events without a valid signature: payers of the same address are not at fault. */
    unsigned: createAddressLimiter(ofAddress, now),
  };
}

export function admitCallers(api: FastifyInstance, auth: Authenticator, limits: Limits): void {
  api.decorateRequest('principal', null);
  api.addHook('onRequest', (request, _reply, done) => {
    const header = request.headers.authorization;
    const principal = auth.recall(header);
    if (principal) {
      admit(request, principal, limits);
      done();
      return;
    }
    auth.verify(header).then(
      (verified) => {
        try {
          admit(request, verified, limits);
          done();
        } catch (error) {
          done(error as Error);
        }
      },
      (error) => {
        done(refusalOf(limits.addresses, request.ip) ?? error);
      },
    );
  });
}

/** Requests a second of one address to routes for operators and readers, which need no key. */
const OPEN_PER_SECOND = 50;

/** Bounds what one address may ask of routes that need no key. */
export function limitAddresses(app: FastifyInstance): void {
  const limiter = createAddressLimiter(OPEN_PER_SECOND, () => performance.now());
  app.addHook('onRequest', (request, _reply, done) => done(refusalOf(limiter, request.ip)));
}

/** Lets a known caller in: within its rate, with a key that may do this, for an answer it can read. */
function admit(request: FastifyRequest, principal: Principal, { keys, tenants }: Limits): void {
  request.principal = principal;
  // Who has many keys must not have many times as much.
  const refusal = refusalOf(keys, principal.keyId) ?? refusalOf(tenants, tenantName(principal.tenant));
  if (refusal) throw refusal;
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

/** Counts a request of this caller, or says that he has to wait. */
function refusalOf(limiter: RateLimiter, caller: string): RequestError | undefined {
  const waitMs = limiter.take(caller);
  return waitMs > 0 ? rateLimited(limiter, waitMs) : undefined;
}

/** `Retry-After` (RFC 9110) and the RateLimit fields (draft-ietf-httpapi-ratelimit-headers). */
export function rateLimited({ perSecond }: RateLimiter, waitMs: number): RequestError {
  const seconds = String(Math.ceil(waitMs / 1000));
  return new RequestError('rate_limited', [], {
    'retry-after': seconds,
    'ratelimit-policy': `"default";q=${perSecond};w=1`,
    ratelimit: `"default";r=0;t=${seconds}`,
  });
}
