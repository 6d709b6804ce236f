/**
 * Requests of known callers as entries of the log of requests. Nothing of what a client has written gets there but the id of
 * its request: of a path its pattern and an id, of mistakes their codes and the names that requests have here.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { LoggedError, RequestEntry } from '../accounts/request-log.ts';
import { newId } from '../lib/id.ts';
import type { TSchema } from '../lib/json-schema.ts';
import type { RealTime } from '../lib/time.ts';
import { installation } from '../users/user.ts';
import type { Arrivals } from './arrivals.ts';
import type { Principal } from './auth.ts';
import { errorTable } from './error-table.ts';
import { NO_OPERATION, type RequestError } from './errors.ts';
import type { Accepted, DeclaredOperation } from './operation.ts';
import type { RequestLog } from './request-log.ts';
import { OF_OURS } from './schemas/fields.ts';

/** Mistakes of an entry; an answer may have more. */
const MOST_ERRORS = 10;
/** Names in a pointer, of which bodies have no more than they have levels. */
const MOST_TOKENS = 20;
const readOnly = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Ids as the service makes them; people may have chosen others. */
const ownId = /^(?:[a-z]{3}_[0-9a-z]{26}|ak_(?:test|live)_[0-9a-z]{16})$/;
const position = /^\d{1,4}$/;
type Dependencies = {
  readonly log: Pick<RequestLog, 'note'>;
  readonly realNow: () => RealTime;
  readonly waitedMs: Arrivals['waitedMs'];
};

type Facts = Omit<RequestEntry, 'id' | 'at' | 'actor' | 'leftOut'>;

export type LoggedRequests = ReturnType<typeof createLoggedRequests>;

export function createLoggedRequests({ log, realNow, waitedMs }: Dependencies) {
  function note({ keyId: actor, tenant }: Principal, facts: Facts): void {
    // Requests about the installation are of no account that could look at them.
    if (tenant.account === installation.account) return;
    const at = realNow() - facts.durationMs;
    log.note(tenant, { id: newId('rql', at), at, actor, ...facts });
  }

  return {
    /** Notes what the routes that are added from now on answer, unless it is a successful read. */
    observe(api: FastifyInstance): void {
      let names: FieldNames | undefined;
      api.addHook('onResponse', (request, reply, done) => {
        const { principal, method, routeOptions, failure } = request;
        const { statusCode: status } = reply;
        const { config, url: path = '' } = routeOptions;
        done();
        const isRead = readOnly.has(method) || config.onlyReads === true;
        // A refusal of what a screen looks for by itself is met by nobody.
        if (principal === null || (isRead && (status < 400 || principal.inProcess))) return;
        names ??= fieldNames(api.operations);
        note(principal, {
          requestId: request.id,
          method,
          path: path.replaceAll(/:(\w+)/g, '{$1}'),
          operation: config.operation ?? NO_OPERATION,
          subject: subjectOf(request, reply.getHeader('location')),
          status,
          errors: failure === null ? [] : loggedErrors(failure, names),
          durationMs: Math.round(waitedMs(request.raw) + reply.elapsedTime),
          idempotency: reply.hasHeader('idempotent-replayed')
            ? 'replayed'
            : request.headers['idempotency-key'] === undefined
              ? 'none'
              : 'key',
        });
      });
    },

    /** Notes a request that was refused before anybody has looked for its route. */
    early(
      caller: Principal,
      failure: RequestError,
      request: Pick<Facts, 'requestId' | 'method' | 'durationMs'>,
    ): void {
      note(caller, {
        ...request,
        durationMs: Math.round(request.durationMs),
        path: '',
        operation: NO_OPERATION,
        subject: null,
        status: errorTable[failure.reason].status,
        errors: loggedErrors(failure, { names: new Set(), lists: new Set(), free: new Map() }),
        idempotency: 'none',
      });
    },
  };
}

/** Id of what the request was about: that of the path, or of what was made, to which the answer leads. */
function subjectOf({ params }: FastifyRequest, location: unknown): string | null {
  const { id = '' } = params as { readonly id?: string };
  const made = typeof location === 'string' ? (location.split('/').at(-1) ?? '') : '';
  return [id, made].find((each) => ownId.test(each)) ?? null;
}

function loggedErrors({ items }: RequestError, names: FieldNames): LoggedError[] {
  return items.slice(0, MOST_ERRORS).map(({ reason, remarks }) => ({
    code: errorTable[reason].code,
    reason,
    field: withoutKeys(remarks, names),
  }));
}

/** A pointer with `*` for whatever the client has chosen: a number is the place in a list, or a key that looks like one. */
export function withoutKeys(pointer: string, { names, lists, free }: FieldNames): string {
  const tokens = pointer.split('/', MOST_TOKENS + 1);
  let before = '';
  let isBelowChosen = false;
  const shown = tokens.map((token, index) => {
    if (index === 0 && token === '') return '';
    const keys = free.get(before);
    const isPosition = position.test(token) && lists.has(before);
    const isFree = keys !== undefined && !keys.declared.has(token);
    const isOurs = !isBelowChosen && !isFree && (names.has(token) || isPosition);
    isBelowChosen ||= isFree && keys.isDeep;
    before = token;
    return isOurs ? token : '*';
  });
  return shown.join('/');
}

/** Headers that mistakes may be about. */
const headers = ['Idempotency-Key', 'If-Match'];

/**
 * Keys of a field that the client chooses: all but those that are declared. They are `isDeep` where whatever is below them
 * is chosen as well.
 */
type FreeKeys = { readonly declared: ReadonlySet<string>; readonly isDeep: boolean };

/** Names of fields, those of them that may be lists, and those whose schemas leave keys to the client. */
type FieldNames = {
  readonly names: ReadonlySet<string>;
  readonly lists: ReadonlySet<string>;
  readonly free: ReadonlyMap<string, FreeKeys>;
};

type Kind = {
  readonly type?: unknown;
  readonly anyOf?: readonly Kind[];
  readonly items?: Kind;
  readonly properties?: object;
  readonly additionalProperties?: unknown;
  readonly patternProperties?: object;
  readonly enum?: unknown;
  readonly const?: unknown;
  readonly [OF_OURS]?: true;
};

const isList = ({ type, anyOf = [] }: Kind): boolean => [type].flat().includes('array') || anyOf.some(isList);

/** Keys that a schema leaves to the client; null for none. One that says nothing of what it takes leaves all of them. */
function freeKeysOf(schema: Kind): FreeKeys | null {
  const { type, anyOf, items, properties = {}, additionalProperties, patternProperties } = schema;
  if (anyOf !== undefined) return anyOf.map(freeKeysOf).find((keys) => keys !== null) ?? null;
  const isOneOf = (kind: string) => [type].flat().includes(kind);
  if (isOneOf('array')) return freeKeysOf(items ?? {});
  const isAnything = type === undefined && schema.enum === undefined && schema.const === undefined;
  if (!isAnything && !isOneOf('object')) return null;
  if (additionalProperties === false && patternProperties === undefined) return null;
  return { declared: new Set(Object.keys(properties)), isDeep: schema[OF_OURS] !== true };
}

/** Keys that either of two fields with the same name leaves to the client. */
const both = (one: FreeKeys, other: FreeKeys | undefined): FreeKeys => ({
  declared: other === undefined ? one.declared : one.declared.intersection(other.declared),
  isDeep: one.isDeep || other?.isDeep === true,
});

/** Names that fields, parameters and headers of requests have. */
export function fieldNames(operations: readonly DeclaredOperation[]): FieldNames {
  const names = new Set(headers);
  const lists = new Set<string>();
  const free = new Map<string, FreeKeys>();
  const visit = (schema: unknown): void => {
    if (typeof schema !== 'object' || schema === null) return;
    for (const [key, value] of Object.entries(schema)) {
      if (key === 'examples') continue;
      if (key === 'properties')
        for (const [name, field] of Object.entries<Kind>(value)) {
          names.add(name);
          if (isList(field)) lists.add(name);
          const keys = freeKeysOf(field);
          if (keys !== null) free.set(name, both(keys, free.get(name)));
        }
      visit(value);
    }
  };
  const schemasOf = ({ params, querystring, body }: Accepted): Array<TSchema | undefined> => [
    params,
    querystring,
    body,
  ];
  for (const { accepted } of operations) schemasOf(accepted).forEach(visit);
  return { names, lists, free };
}
