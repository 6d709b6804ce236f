/** Attempts of payers to pay a session. */

import type { CheckoutCommand } from '../../checkout/commands.ts';
import type { Serializer } from '../../checkout/serializer.ts';
import type { Checkout } from '../../checkout/session.ts';
import { Type } from '../../lib/json-schema.ts';
import { JSON_TYPE, notFound, originOf, principalOf, sendResult } from '../answer.ts';
import type { Api } from '../api.ts';
import type { Dependencies } from '../dependencies.ts';
import { envelope, success } from '../envelope.ts';
import { fieldsError } from '../errors.ts';
import { readPatch, schemaProblems, usableFields } from '../input.ts';
import { operation } from '../operation.ts';
import { idOf } from '../schemas/checkout.ts';
import { givenMetadata } from '../schemas/fields.ts';

const tag = 'Payments';
const attemptParams = idOf('pat', 'payment attempt');

const NO_SUCH_ATTEMPT = 'There is no such payment attempt.';

const noteBody = Type.Object(
  { metadata: givenMetadata },
  { additionalProperties: false, examples: [{ metadata: { fraud_score: 12, note: null } }] },
);

export function paymentAttemptRoutes(api: Api, { store, execute, serializer, now }: Dependencies): void {
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
      if (checkout === null) throw notFound(NO_SUCH_ATTEMPT);
      return reply
        .type(JSON_TYPE)
        .send(envelope('PAYMENT_ATTEMPT.FETCH', attemptOf(checkout, id, serializer)));
    },
  );

  api.put(
    '/payment_attempt/:id',
    operation(
      {
        operation: 'PAYMENT_ATTEMPT.UPDATE',
        tag,
        permission: 'write',
        summary: 'Update a payment attempt',
        description:
          '`metadata` is a JSON merge patch (RFC 7396) and can always change. The metadata of all attempts of a session have at most 16 KiB together.',
        answers: 'PaymentAttempt',
        errors: ['bad_metadata'],
      },
      { params: attemptParams, body: noteBody },
    ),
    async (request, reply) => {
      const origin = originOf(request);
      const problems = schemaProblems(request);
      const metadata = readPatch(usableFields(request.body, problems).metadata, problems);
      if (metadata === null || problems.length > 0) throw fieldsError(problems);
      const { id } = request.params;
      const checkout = await store.checkouts.fetchByAttempt(origin.tenant, id);
      if (checkout === null) throw notFound(NO_SUCH_ATTEMPT);
      const time = await now(origin.tenant);
      const command: CheckoutCommand = { type: 'note_attempt', now: time, attempt: id, metadata };
      const executed = await execute({ subject: 'checkout', origin, id: checkout.id, command }, (session) =>
        success('PAYMENT_ATTEMPT.UPDATE', attemptOf(session, id, serializer)),
      );
      return sendResult(reply, executed);
    },
  );
}

function attemptOf(checkout: Checkout, id: string, serializer: Serializer): string {
  const attempt = checkout.attempts.find((each) => each.id === id);
  if (!attempt) throw new Error(`the session ${checkout.id} has no attempt ${id}`);
  return serializer.attempt(checkout, attempt);
}
