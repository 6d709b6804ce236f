/** Payins: the money side of sessions, by which some clients do everything. */

import type { CheckoutCommand } from '../../checkout/commands.ts';
import { paymentUrl, representPayin } from '../../checkout/representation.ts';
import type { Checkout } from '../../checkout/session.ts';
import { amountDue } from '../../checkout/statuses.ts';
import { newId } from '../../lib/id.ts';
import { Type } from '../../lib/json-schema.ts';
import { occasionOf, offersAmong, traitsOf } from '../../methods/method.ts';
import { accountOf, JSON_TYPE, notFound, originOf, principalOf, sendResult } from '../answer.ts';
import type { Api } from '../api.ts';
import type { Dependencies } from '../dependencies.ts';
import { created, envelope, success } from '../envelope.ts';
import { fieldsError } from '../errors.ts';
import { schemaProblems } from '../input.ts';
import { currencyIn } from '../loose.ts';
import { operation } from '../operation.ts';
import { createBody, idOf } from '../schemas/checkout.ts';
import { text } from '../schemas/fields.ts';
import { creator, SAME_KEY } from './create.ts';

const tag = 'Payments';
const params = idOf('chk', 'session');
const NO_SUCH_PAYIN = 'There is no such payin.';

const confirmBody = Type.Object(
  {
    payment_method_details: Type.Object(
      { type: text(64, 'One of the methods of the session.', 'card') },
      { description: 'Choice of the payer; other fields are ignored.' },
    ),
  },
  { additionalProperties: false, examples: [{ payment_method_details: { type: 'card' } }] },
);

export function payinRoutes(api: Api, dependencies: Dependencies): void {
  const { store, execute, serializer, rails, checkoutUrl, now } = dependencies;
  const create = creator(dependencies);

  api.post(
    '/payin',
    operation(
      {
        operation: 'PAYIN.CREATE',
        tag,
        permission: 'write',
        currencyOf: currencyIn('body'),
        summary: 'Create a payin',
        description: 'Creates a session, as `POST /v3/checkout` does, and answers with its payin.',
        inV3: `the status is 200, and ${SAME_KEY}`,
        statusCode: 201,
        answers: 'Payin',
        errors: ['bad_metadata'],
      },
      { body: createBody },
    ),
    async (request, reply) => {
      const executed = await create(request, request.body, (checkout) => {
        const answer = created('PAYIN.CREATE', serializer.payin(checkout), `/v3/payin/${checkout.id}`);
        return request.loose ? { ...answer, statusCode: 200 } : answer;
      });
      return sendResult(reply, executed);
    },
  );

  api.get(
    '/payin/:id',
    operation(
      {
        operation: 'PAYIN.FETCH',
        tag,
        permission: 'read',
        summary: 'Fetch a payin',
        description:
          'The collection of a session’s money, with its refunds and reversals. Its id is the id of the session.',
        answers: 'Payin',
      },
      { params },
    ),
    async (request, reply) => {
      schemaProblems(request);
      const checkout = await store.checkouts.fetch(principalOf(request).tenant, request.params.id);
      if (checkout === null) throw notFound(NO_SUCH_PAYIN);
      return reply.type(JSON_TYPE).send(envelope('PAYIN.FETCH', serializer.payin(checkout)));
    },
  );

  api.post(
    '/payin/:id/cancel',
    operation(
      {
        operation: 'PAYIN.CANCEL',
        tag,
        permission: 'write',
        noBody: true,
        summary: 'Cancel a payin',
        description: 'Expires the session, as `POST /v3/checkout/{id}/expire` does.',
        answers: 'Payin',
        errors: ['not_expirable', 'payment_in_progress'],
      },
      { params },
    ),
    async (request, reply) => {
      const origin = originOf(request);
      schemaProblems(request);
      const command: CheckoutCommand = { type: 'expire', now: await now(origin.tenant), ifVersion: null };
      const { id } = request.params;
      const executed = await execute({ subject: 'checkout', origin, id, command }, (checkout) =>
        success('PAYIN.CANCEL', serializer.payin(checkout)),
      );
      return sendResult(reply, executed);
    },
  );

  api.post(
    '/payin/:id/confirm',
    operation(
      {
        operation: 'PAYIN.CONFIRM',
        tag,
        permission: 'write',
        summary: 'Confirm a payin',
        description:
          'Starts an attempt with a method, as the payer does on the payment page. The payer continues at `redirect_url`: the payment page with its instructions, or the page of the provider.',
        answers: 'ConfirmedPayin',
        errors: ['not_payable', 'payment_in_progress', 'version_stale'],
      },
      { params, body: confirmBody },
    ),
    async (request, reply) => {
      const origin = originOf(request);
      const { tenant } = origin;
      const problems = schemaProblems(request);
      if (problems.length > 0) throw fieldsError(problems);
      const { id } = request.params;
      const checkout = await store.checkouts.fetch(tenant, id);
      if (checkout === null) throw notFound(NO_SUCH_PAYIN);
      const time = await now(tenant);
      const occasion = occasionOf(checkout, await accountOf(store, tenant));
      const { type } = request.body.payment_method_details;
      const offer = offersAmong(checkout.methods, rails, occasion).find(({ method }) => method.id === type);
      if (offer === undefined) {
        const pointer = '/payment_method_details/type';
        throw fieldsError([{ pointer, detail: 'is not an available method of this session now' }]);
      }
      const { method, rail } = offer;
      const attemptId = newId('pat', time);
      const command: CheckoutCommand = {
        type: 'start_attempt',
        now: time,
        attemptId,
        rail: rail.name,
        method: method.id,
        expectedAmount: amountDue(checkout),
        expectedItems: checkout.items,
        traits: traitsOf(rail, checkout),
        ...rail.plan(checkout, method, occasion, attemptId, time),
      };
      const executed = await execute({ subject: 'checkout', origin, id, command }, (session) =>
        success('PAYIN.CONFIRM', confirmed(session, rail.start !== undefined)),
      );
      return sendResult(reply, executed);
    },
  );

  /** The page goes on to that of the provider, which it asks for once the payer is there. */
  function confirmed(checkout: Checkout, goesOn: boolean): string {
    const url = paymentUrl(checkout, checkoutUrl);
    const redirect_url = goesOn ? `${url}/go` : url;
    return JSON.stringify({ ...representPayin(checkout, checkoutUrl), redirect_url });
  }
}
