/** The money side of a session: its payin and its attempts. */

import { JSON_TYPE, notFound, principalOf } from '../answer.ts';
import type { Api } from '../api.ts';
import type { Dependencies } from '../dependencies.ts';
import { envelope } from '../envelope.ts';
import { schemaProblems } from '../input.ts';
import { operation } from '../operation.ts';
import { idOf } from '../schemas/checkout.ts';

const tag = 'Payments';
const sessionParams = idOf('chk', 'session');
const attemptParams = idOf('pat', 'payment attempt');

export function paymentRoutes(api: Api, { store, serializer }: Dependencies): void {
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
      { params: sessionParams },
    ),
    async (request, reply) => {
      schemaProblems(request);
      const checkout = await store.checkouts.fetch(principalOf(request).tenant, request.params.id);
      if (checkout === null) throw notFound('There is no such payin.');
      return reply.type(JSON_TYPE).send(envelope('PAYIN.FETCH', serializer.payin(checkout)));
    },
  );

  api.get(
    '/payment_attempt/:id',
    operation(
      {
        operation: 'PAYMENT_ATTEMPT.FETCH',
        tag,
        permission: 'read',
        summary: 'Fetch a payment attempt',
        answers: 'PaymentAttempt',
      },
      { params: attemptParams },
    ),
    async (request, reply) => {
      schemaProblems(request);
      const { id } = request.params;
      const checkout = await store.checkouts.fetchByAttempt(principalOf(request).tenant, id);
      const attempt = checkout?.attempts.find((each) => each.id === id);
      if (!checkout || !attempt) throw notFound('There is no such payment attempt.');
      return reply
        .type(JSON_TYPE)
        .send(envelope('PAYMENT_ATTEMPT.FETCH', serializer.attempt(checkout, attempt)));
    },
  );
}
