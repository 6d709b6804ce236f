import type { CheckoutCommand } from '../../checkout/commands.ts';
import type { Serializer } from '../../checkout/serializer.ts';
import type { Checkout } from '../../checkout/session.ts';
import { occasionOf } from '../../methods/method.ts';
import type { Answer } from '../../store/store.ts';
import {
  accountOf,
  ifVersionOf,
  isKnown,
  notFound,
  originOf,
  principalOf,
  sendAnswer,
  sendResult,
} from '../answer.ts';
import type { Api } from '../api.ts';
import type { Dependencies } from '../dependencies.ts';
import { created, etagOf, success } from '../envelope.ts';
import { queryProblems, refuseQuery, schemaProblems, withFurther } from '../input.ts';
import { pageOf, sendSerializedList } from '../list.ts';
import { currencyIn, currencyOfSession, idInPath } from '../loose.ts';
import { type Declaration, operation } from '../operation.ts';
import { createBody, idOf, updateBody } from '../schemas/checkout.ts';
import { contradicts, filterOf, filterProblems, listQuery } from './checkout-filter.ts';
import { readUpdate } from './checkout-input.ts';
import { creator, SAME_KEY } from './create.ts';

const tag = 'Checkout sessions';
const params = idOf('chk', 'session');
export const NO_SUCH_SESSION = 'There is no such checkout session.';

/** The operation that `fast-fetch.ts` answers, too. */
export const FETCH = {
  operation: 'CHECKOUT.FETCH',
  versioned: 'fetch',
  tag,
  permission: 'read',
  summary: 'Fetch a session',
  description: 'If `If-None-Match` names the current `ETag`, the answer is 304 without a body.',
  answers: 'Checkout',
} as const satisfies Declaration;

export const fetched = (checkout: Checkout, serializer: Serializer): Answer =>
  success(FETCH.operation, serializer.checkout(checkout), versionOf(checkout));

export function checkoutRoutes(api: Api, dependencies: Dependencies): void {
  const { store, execute, serializer, rails, now } = dependencies;
  const create = creator(dependencies);
  api.post(
    '/checkout',
    operation(
      {
        operation: 'CHECKOUT.CREATE',
        versioned: 'create',
        tag,
        permission: 'write',
        currencyOf: currencyIn('body'),
        summary: 'Create a session',
        description:
          'Creates a hosted payment request. Send an `Idempotency-Key`, so that a repeated request does not create a second one.',
        inV3: SAME_KEY,
        statusCode: 201,
        answers: 'Checkout',
        errors: ['bad_metadata'],
      },
      { body: createBody },
    ),
    async (request, reply) => {
      const executed = await create(request, request.body, (checkout) =>
        created(
          'CHECKOUT.CREATE',
          serializer.checkout(checkout),
          `/v3/checkout/${checkout.id}`,
          versionOf(checkout),
        ),
      );
      return sendResult(reply, executed);
    },
  );

  api.get(
    '/checkout',
    operation(
      {
        operation: 'CHECKOUT.LIST',
        tag,
        permission: 'read',
        currencyOf: currencyIn('query'),
        summary: 'List sessions',
        description: 'Newest first. A session must match all filters.',
        inV3: 'filters of amounts need `invoice_currency` beside them.',
        lists: 'Checkout',
      },
      { querystring: listQuery },
    ),
    async (request, reply) => {
      refuseQuery(withFurther(queryProblems(request), filterProblems(request.query)));
      const page = pageOf(request.query);
      const { tenant } = principalOf(request);
      const filter = filterOf(request.query);
      const form = { ...serializer, hundredths: request.loose !== null };
      const found = contradicts(filter)
        ? { ids: [], json: new Uint8Array(), hasMore: false }
        : await store.checkouts.listSerialized(tenant, filter, page, form);
      return sendSerializedList(request, reply, 'CHECKOUT.LIST', found, page);
    },
  );

  api.get('/checkout/:id', operation(FETCH, { params }), async (request, reply) => {
    schemaProblems(request);
    const checkout = await store.checkouts.fetch(principalOf(request).tenant, request.params.id);
    if (checkout === null) throw notFound(NO_SUCH_SESSION);
    const { etag } = versionOf(checkout);
    if (isKnown(request, etag)) return reply.code(304).header('etag', etag).send();
    return sendAnswer(reply, fetched(checkout, serializer));
  });

  api.put(
    '/checkout/:id',
    operation(
      {
        operation: 'CHECKOUT.UPDATE',
        versioned: 'change',
        tag,
        permission: 'write',
        currencyOf: currencyOfSession(store, idInPath),
        summary: 'Update a session',
        description:
          '`items` replaces all items, the amount and the description, and `payment_methods` the methods, as long as the session is active and nothing is paid or in progress. `metadata` is a JSON merge patch (RFC 7396) and can always change. Omitted fields keep their values.',
        answers: 'Checkout',
        errors: ['bad_metadata', 'not_updatable', 'payment_in_progress', 'version_stale'],
      },
      { params, body: updateBody },
    ),
    async (request, reply) => {
      const origin = originOf(request);
      const { id } = request.params;
      const problems = schemaProblems(request);
      const named = request.body?.payment_methods;
      const session = named === undefined ? null : await store.checkouts.fetch(origin.tenant, id);
      const occasion = session && occasionOf(session, await accountOf(store, origin.tenant));
      const fields = readUpdate(request.body, problems, rails, occasion);
      const command: CheckoutCommand = {
        type: 'update',
        now: await now(origin.tenant),
        ifVersion: await ifVersionOf(request, () => store.checkouts.fetch(origin.tenant, id)),
        ...fields,
      };
      const executed = await execute({ subject: 'checkout', origin, id, command }, (checkout) =>
        success('CHECKOUT.UPDATE', serializer.checkout(checkout), versionOf(checkout)),
      );
      return sendResult(reply, executed);
    },
  );

  api.post(
    '/checkout/:id/expire',
    operation(
      {
        operation: 'CHECKOUT.EXPIRE',
        versioned: 'change',
        tag,
        permission: 'write',
        noBody: true,
        summary: 'Expire a session',
        description:
          'Ends an active session immediately. A session with a payment in progress cannot be expired.',
        answers: 'Checkout',
        errors: ['not_expirable', 'payment_in_progress', 'version_stale'],
      },
      { params },
    ),
    async (request, reply) => {
      const origin = originOf(request);
      schemaProblems(request);
      const command: CheckoutCommand = {
        type: 'expire',
        now: await now(origin.tenant),
        ifVersion: await ifVersionOf(request, () => store.checkouts.fetch(origin.tenant, request.params.id)),
      };
      const { id } = request.params;
      const executed = await execute({ subject: 'checkout', origin, id, command }, (checkout) =>
        success('CHECKOUT.EXPIRE', serializer.checkout(checkout), versionOf(checkout)),
      );
      return sendResult(reply, executed);
    },
  );
}

const versionOf = ({ version }: Checkout) => ({ etag: etagOf(version) });
