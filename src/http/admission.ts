/** Admission: who may call an operation, how often, and for which form of answer. Decided before the body is read. */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Permission } from '../accounts/api-key.ts';
import { tenantName } from '../checkout/tenant.ts';
import { createBeside } from '../lib/beside.ts';
import { createAddressLimiter, createRateLimiter, type RateLimiter } from '../lib/rate-limit.ts';
import { acceptsJson, acceptsType, wantsEventStream } from './accept.ts';
import type { Authenticator, Principal } from './auth.ts';
import { RequestError } from './errors.ts';
import { suffices } from './operation.ts';

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

/** A caller, and why the request is refused, if it is. */
export type Decision = { readonly principal: Principal; readonly refusal: RequestError | undefined };

/** Demands of an operation on its callers. */
type Demands = {
  readonly operation?: string;
  readonly permission?: Permission;
  readonly testOnly?: boolean;
  readonly liveOnly?: boolean;
  /** Set if it also answers with a stream. */
  readonly eventStream?: object;
  /** Types of the bytes with which it answers instead of JSON. */
  readonly downloads?: readonly string[];
};

export type Admission = ReturnType<typeof createAdmission>;

/** Decides once on each request, wherever that is asked first: it counts for the rate of its caller. */
export function createAdmission(auth: Authenticator, limits: Limits) {
  const handedOn = createBeside<IncomingMessage, Decision>('decision');

  const decided = (principal: Principal, demands: Demands, accept: string | undefined): Decision => ({
    principal,
    refusal: refusalFor(principal, demands, accept, limits),
  });

  return {
    /** Decision on a request of a caller who is known already; undefined for others. */
    ofKnown(request: IncomingMessage, demands: Demands): Decision | undefined {
      const principal = auth.recall(request);
      return principal && decided(principal, demands, request.headers.accept);
    },

    /** Decision on any request. Rejects if its caller is nobody, which counts for the rate of the address. */
    of({ headers }: IncomingMessage, address: string, demands: Demands): Promise<Decision> {
      return auth.verify(headers.authorization).then(
        (principal) => decided(principal, demands, headers.accept),
        (error) => {
          throw refusalOf(limits.addresses, address) ?? error;
        },
      );
    },

    /** Keeps the decision on a request for whoever goes on with it. */
    handOn(request: IncomingMessage, decision: Decision): void {
      handedOn.set(request, decision);
    },

    handedOn: (request: IncomingMessage): Decision | undefined => handedOn.get(request),
  };
}

export function admitCallers(api: FastifyInstance, admission: Admission): void {
  api.decorateRequest('principal', null);
  api.addHook('onRequest', (request, _reply, done) => {
    const { raw, ip, routeOptions } = request;
    const admit = ({ principal, refusal }: Decision) => {
      request.principal = principal;
      done(refusal);
    };
    const known = admission.handedOn(raw) ?? admission.ofKnown(raw, routeOptions.config);
    if (known !== undefined) admit(known);
    else admission.of(raw, ip, routeOptions.config).then(admit, done);
  });
}

/** Requests a second of one address to routes for operators and readers, which need no key. */
const OPEN_PER_SECOND = 50;

/** Bounds what one address may ask of routes that need no key. */
export function limitAddresses(app: FastifyInstance): void {
  const limiter = createAddressLimiter(OPEN_PER_SECOND, () => performance.now());
  app.addHook('onRequest', (request, _reply, done) => done(refusalOf(limiter, request.ip)));
}

/** Counts a request of this caller. Refuses it beyond their rate, with a key that may not do this, and for an answer they cannot read. */
function refusalFor(
  principal: Principal,
  demands: Demands,
  accept: string | undefined,
  { keys, tenants }: Limits,
): RequestError | undefined {
  const { keyId, tenant } = principal;
  const { permission, testOnly, liveOnly, eventStream, downloads } = demands;
  // Who has many keys must not have many times as much.
  const wait = refusalOf(keys, keyId) ?? refusalOf(tenants, tenantName(tenant));
  if (wait) return wait;
  if (!suffices(principal, demands)) {
    return forbidden(`The API key lacks the permission "${permission}".`);
  }
  const onlyMode = testOnly ? 'test' : liveOnly ? 'live' : tenant.mode;
  if (tenant.mode !== onlyMode) return forbidden(`Only keys of ${onlyMode} mode may call this operation.`);
  if (acceptsJson(accept) || (eventStream && wantsEventStream(accept))) return undefined;
  if (downloads && acceptsType(accept ?? '', downloads)) return undefined;
  return new RequestError('not_acceptable');
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
