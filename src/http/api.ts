/** The authenticated part of the service, `/v3`: what every operation of it has in common. */
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyRequest,
  HTTPMethods,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { Permission } from '../accounts/api-key.ts';
import type { RateLimiter } from '../lib/rate-limit.ts';
import { acceptsJson, wantsEventStream } from './accept.ts';
import type { Authenticator, Principal } from './auth.ts';
import { fieldsError, RequestError } from './errors.ts';
import { dropEmptyStrings, longListProblem } from './input.ts';
import { readJson } from './json.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation as messages name it: `CHECKOUT.UPDATE`. */
    operation?: string;
    /** What the key must be allowed to do. */
    permission?: Permission;
    /** Accepts no body, an empty one and `{}`, whatever the content type says. */
    noBody?: boolean;
    /** No body is the same as `{}`. */
    optionalBody?: boolean;
    /** Only for keys of test mode. */
    testOnly?: boolean;
    /** The body is a file of any type, which the handler reads. */
    upload?: boolean;
    /** Answers with a stream of server-sent events where that is wanted. */
    eventStream?: boolean;
    /** Headers that a request may have, for the API document. */
    requestHeaders?: Readonly<Record<string, object>>;
  }
  interface FastifyRequest {
    principal: Principal | null;
    /** The body as it came, for the hash of a request that may be repeated. */
    bodyBytes: Buffer | null;
  }
}

/** The part of the service that routes of the API are added to; schemas give the types of what they receive. */
export type Api = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

export const BODY_LIMIT_BYTES = 262_144;

/** Returns what is to be called when all routes are there: it answers the methods that they do not have. */
export function prepareApi(api: FastifyInstance, auth: Authenticator, limiter: RateLimiter): () => void {
  api.decorateRequest('principal', null);
  api.decorateRequest('bodyBytes', null);

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

  api.removeAllContentTypeParsers();
  api.addContentTypeParser('*', { parseAs: 'buffer' }, (request, bytes, done) => {
    try {
      done(null, readBody(request, bytes as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });

  api.addHook('preValidation', (request, _reply, done) => {
    if (request.routeOptions.config.optionalBody) request.body ??= {};
    const problem = longListProblem(request.body);
    if (problem) {
      done(fieldsError([problem]));
      return;
    }
    dropEmptyStrings(request.body);
    dropEmptyStrings(request.query);
    done(unknownParameters(request) ?? parametersWithNul(request));
  });

  return collectMethods(api);
}

/** A route that says nothing of parameters has none. */
function unknownParameters(request: FastifyRequest): RequestError | undefined {
  if (request.routeOptions.schema?.querystring) return undefined;
  const names = Object.keys(request.query as object);
  if (names.length === 0) return undefined;
  return fieldsError(
    names.map((name) => ({ pointer: `/${name}`, detail: 'is not a known field' })),
    'bad_query',
  );
}

/** As in bodies, there is no such character in any text: PostgreSQL does not even look for one. */
function parametersWithNul(request: FastifyRequest): RequestError | undefined {
  const names = Object.entries(request.query as object)
    .filter(([name, value]) => `${name}${value}`.includes('\0'))
    .map(([name]) => name);
  if (names.length === 0) return undefined;
  return fieldsError(
    names.map((name) => ({ pointer: `/${name}`, detail: 'has a NUL character' })),
    'bad_query',
  );
}

/** Lets a known caller in: within its rate, with a key that may do this, for an answer it can read. */
function admit(request: FastifyRequest, principal: Principal, limiter: RateLimiter): void {
  request.principal = principal;
  const waitMs = limiter.take(principal.keyId);
  if (waitMs > 0) throw rateLimited(limiter, waitMs);
  const { permission, testOnly, eventStream } = request.routeOptions.config;
  if (permission !== undefined && !principal.permissions.includes(permission)) {
    throw new RequestError('scope_missing', [
      { reason: 'scope_missing', message: `The API key lacks the permission "${permission}".`, remarks: '' },
    ]);
  }
  if (testOnly && principal.tenant.mode !== 'test') {
    throw new RequestError('scope_missing', [
      { reason: 'scope_missing', message: 'Only test keys can do this.', remarks: '' },
    ]);
  }
  const { accept } = request.headers;
  if (acceptsJson(accept) || (eventStream && wantsEventStream(accept))) return;
  throw new RequestError('not_acceptable');
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

function readBody(request: FastifyRequest, bytes: Buffer): unknown {
  const { noBody, optionalBody } = request.routeOptions.config;
  if (noBody) {
    const text = bytes.toString('utf8').trim();
    if (text === '') return undefined;
    const value = readJson(bytes);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw fieldsError([{ pointer: '', detail: 'must be empty or {}' }]);
    }
    const names = Object.keys(value);
    if (names.length === 0) return undefined;
    throw fieldsError(names.map((name) => ({ pointer: `/${name}`, detail: 'is not a known field' })));
  }
  if (optionalBody && bytes.length === 0) return undefined;
  const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw new RequestError('unsupported_media_type');
  const value = readJson(bytes);
  // A repetition may leave out what is the same as nothing.
  if (!(optionalBody && isEmptyObject(value))) request.bodyBytes = bytes;
  return value;
}

function isEmptyObject(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0
  );
}

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** For every path, the methods it does not have: 405 with the list of those it has (RFC 9110 section 15.5.6). */
function collectMethods(api: FastifyInstance): () => void {
  const methodsOf = new Map<string, Set<string>>();
  api.addHook('onRoute', ({ url, method }) => {
    const methods = methodsOf.get(url) ?? new Set();
    for (const each of [method].flat()) methods.add(each);
    methodsOf.set(url, methods);
  });
  return () => {
    for (const [url, methods] of [...methodsOf]) {
      const allow = [...methods].sort().join(', ');
      const refuse = () => {
        throw new RequestError('method_not_allowed', [], { allow });
      };
      const missing = METHODS.filter((method) => !methods.has(method));
      // Before the body is read: what it holds does not matter.
      const route = { url: url.slice(api.prefix.length), onRequest: refuse, handler: refuse };
      api.route({ ...route, method: missing, schema: { hide: true } as object });
    }
  };
}
