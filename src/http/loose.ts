/**
 * The border for accounts whose clients were written for other v3 services. Numbers near an integer are that integer,
 * amounts are in hundredths, and fields that are unknown here are ignored, but for those that would change what is paid.
 * A request whose header `Compatibility` is `strict` comes from none of those clients: our own command line counts minor
 * units, whatever the account is set to. Nor does one about keys and settings, which no other service has: there, an
 * ignored field would be a change that its sender believes in.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { ErrorObject } from 'ajv';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Permission } from '../accounts/api-key.ts';
import { AMOUNTS, fromHundredths, inHundredths, integerNear } from '../checkout/hundredths.ts';
import type { CheckoutId } from '../checkout/ids.ts';
import { currencyExponent } from '../checkout/money.ts';
import type { Problem } from '../checkout/refusals.ts';
import { findMethod } from '../methods/catalogue.ts';
import type { Store } from '../store/store.ts';
import { principalOf } from './answer.ts';
import type { Principal } from './auth.ts';
import { pointerOf } from './json.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Result of reading loosely; null for accounts that read by the letter. */
    loose: Loose | null;
  }
}

export type Loose = {
  /** Amounts that their currency cannot have, and fields that would change the price. */
  problems: readonly Problem[];
  /** The amounts among them before it is known which of their fields are ignored: hostile bodies can have thousands. */
  wrong: readonly Wrong[];
  /** JSON pointers of the fields that were ignored. */
  readonly ignored: string[];
  /** Currency of the amounts in the request, if it is known. */
  currency: string | null;
};

type Wrong = { readonly path: readonly string[]; readonly detail: string };

/** Currency of the amounts in a request, upper-case, or null if it has none. */
export type CurrencyOf = (request: FastifyRequest) => string | null | Promise<string | null>;

/** Currency that the request names. */
export const currencyIn =
  (part: 'body' | 'query'): CurrencyOf =>
  (request) => {
    const named = Object(request[part]).invoice_currency;
    const currency = typeof named === 'string' ? named.toUpperCase() : '';
    return currencyExponent(currency) === undefined ? null : currency;
  };

/** The id in the path of a request. */
export const idInPath = ({ params }: FastifyRequest): unknown => Object(params).id;

/** Currency of the session that the request is about. */
export const currencyOfSession =
  (store: Pick<Store, 'checkouts'>, idIn: (request: FastifyRequest) => unknown): CurrencyOf =>
  async (request) => {
    const id = idIn(request);
    if (typeof id !== 'string') return null;
    // An id of another form is one that nobody has.
    return (await store.checkouts.fetch(principalOf(request).tenant, id as CheckoutId))?.currency ?? null;
  };

/** True for a request to the border that was written for another v3 service. */
export function isReadLoosely(
  { compatibility }: Principal,
  headers: IncomingHttpHeaders,
  { permission }: { readonly permission?: Permission },
): boolean {
  const isOurs = headers.compatibility === 'strict' || permission === 'manage';
  return compatibility === 'v3' && !isOurs;
}

export function loosenBorder(api: FastifyInstance): void {
  api.decorateRequest('loose', null);
  api.addHook('onRequest', (request, _reply, done) => {
    const { principal, headers, routeOptions } = request;
    if (principal !== null && isReadLoosely(principal, headers, routeOptions.config))
      request.loose = { problems: [], wrong: [], ignored: [], currency: null };
    done();
  });
  api.addHook('preValidation', (request, _reply, done) => {
    if (request.loose === null) done();
    else {
      ignoreUnknownMethods(request.body, request.loose);
      readNumbers(request, request.loose).then(() => done(), done);
    }
  });
  api.addHook('preHandler', (request, reply, done) => {
    if (request.loose) ignoreUnknown(request, request.loose, reply);
    done();
  });
  api.addHook('onSend', (request, reply, payload, done) => {
    if (request.loose === null || typeof payload !== 'string') return done(null, payload);
    const isJson = String(reply.getHeader('content-type')).startsWith('application/json');
    done(null, isJson ? inHundredths(payload) : payload);
  });
}

/** Removes methods that are unknown here from those that a session is to offer, as long as one is known. */
function ignoreUnknownMethods(body: unknown, { ignored }: Loose): void {
  const fields = Object(body);
  const wanted: unknown = fields.payment_methods;
  if (!Array.isArray(wanted)) return;
  const isKnown = (id: unknown) => typeof id !== 'string' || findMethod(id) !== undefined;
  if (!wanted.some(isKnown)) return;
  for (const [index, id] of wanted.entries()) if (!isKnown(id)) ignored.push(`/payment_methods/${index}`);
  fields.payment_methods = wanted.filter(isKnown);
}

async function readNumbers(request: FastifyRequest, loose: Loose): Promise<void> {
  const { currencyOf } = request.routeOptions.config;
  const currency = (await currencyOf?.(request)) ?? null;
  loose.currency = currency;
  loose.wrong = [
    ...readQuery(request.query as Record<string, unknown>, currency),
    ...readBody(request.body, currency, []),
  ];
}

/** Changes the amounts among the parameters in place; their unit is not known without a currency. */
function readQuery(query: Record<string, unknown>, currency: string | null): Wrong[] {
  return Object.keys(query).flatMap((name) => {
    const isAmount = /^amount(\[|$)/.test(name) && query[name] !== '' && Number.isFinite(Number(query[name]));
    if (!isAmount) return [];
    const read =
      currency === null
        ? 'needs invoice_currency beside it: it counts hundredths of that currency'
        : fromHundredths(Number(query[name]), currency);
    if (typeof read === 'string') return [{ path: [name], detail: read }];
    query[name] = String(read);
    return [];
  });
}

/** Objects that some languages write as a list while nothing is in them. */
const OBJECTS = new Set([
  'metadata',
  'customer_details',
  'billing_details',
  'shipping_details',
  'address',
  'phone',
]);

/** Changes the numbers of a body in place, but for its metadata, which belong to the client. */
function readBody(value: unknown, currency: string | null, path: readonly string[]): readonly Wrong[] {
  if (typeof value !== 'object' || value === null) return [];
  const fields = value as Record<string, unknown>;
  return Object.keys(fields).flatMap((name) => {
    const each = fields[name];
    if (Array.isArray(each) && each.length === 0 && OBJECTS.has(name)) delete fields[name];
    if (name === 'metadata') return [];
    const at = [...path, name];
    if (typeof each !== 'number') return readBody(each, currency, at);
    const read = currency !== null && AMOUNTS.has(name) ? fromHundredths(each, currency) : integerNear(each);
    if (typeof read === 'string') return [{ path: at, detail: read }];
    fields[name] = read;
    return [];
  });
}

/** Fields of v3 services that change what the payer pays. To ignore one would be to charge another amount. */
const CHANGES_THE_PRICE = new Set([
  'customer_fee_percentage',
  'customer_fee',
  'surcharge',
  'discount',
  'discount_amount',
]);

/** Removes what the schema does not know from the body, and all that is wrong with it from the mistakes. */
function ignoreUnknown(request: FastifyRequest, loose: Loose, reply: FastifyReply): void {
  const { ignored } = loose;
  const { body, validationError: error } = request;
  let { wrong } = loose;
  let priced: readonly ErrorObject[] = [];
  if (error?.validationContext === 'body') {
    const { unknown = [], mistakes = [] } = Object.groupBy<'unknown' | 'mistakes', ErrorObject>(
      error.validation,
      ({ keyword }) => (keyword === 'additionalProperties' ? 'unknown' : 'mistakes'),
    );
    priced = unknown.filter((each) => changesPrice(each, body, loose));
    for (const each of unknown) {
      if (priced.includes(each)) continue;
      delete ownerOf(each, body)[each.params.additionalProperty];
      ignored.push(pointerTo(each));
    }
    wrong = wrong.filter(({ path }) => valueAt(path, body) !== undefined);
    if (mistakes.length > 0) error.validation = mistakes;
    else delete request.validationError;
  }
  loose.problems = [
    ...wrong.map(({ path, detail }) => ({ pointer: pointerOf(path), detail })),
    ...priced.map((each) => ({
      pointer: pointerTo(each),
      detail: 'would change the amount to pay: omit it',
    })),
  ];
  if (ignored.length === 0) return;
  const list = listed(ignored);
  reply.header('ignored-fields', list);
  request.log.debug({ request_id: request.id, ignored_fields: list }, 'unknown fields were ignored');
}

/** An update that names an amount, or another currency, is meant to change the price, too. */
function changesPrice(unknown: ErrorObject, body: unknown, { currency }: Loose): boolean {
  const name: string = unknown.params.additionalProperty;
  const value = ownerOf(unknown, body)[name];
  if (name === 'invoice_currency') return String(value).toUpperCase() !== currency;
  const isPrice = CHANGES_THE_PRICE.has(name) || pointerTo(unknown) === '/amount';
  return isPrice && value !== false && Number(value) !== 0;
}

function pointerTo({ instancePath, params }: ErrorObject): string {
  return `${instancePath}${pointerOf([params.additionalProperty])}`;
}

/** The object in which Ajv has found an unknown field. */
function ownerOf({ instancePath }: ErrorObject, body: unknown): Record<string, unknown> {
  const path = instancePath.split('/').slice(1);
  return Object(
    valueAt(
      path.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')),
      body,
    ),
  );
}

/** The value at this place, if there is one. */
function valueAt(path: readonly string[], body: unknown): unknown {
  let value = body;
  for (const name of path) value = Object(value)[name];
  return value;
}

const MAX_LISTED = 20;
const MAX_NAME = 100;

/** A list of strings (RFC 9651) of the first of them; other characters than those of URLs are percent-encoded. */
function listed(pointers: readonly string[]): string {
  const names = pointers
    .slice(0, MAX_LISTED)
    .map((each) => encodeURI(each.toWellFormed()).slice(0, MAX_NAME));
  return names.map((each) => `"${each}"`).join(', ');
}
