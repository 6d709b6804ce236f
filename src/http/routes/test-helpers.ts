/** Test helpers: pay without a payer, and advance the test clock. */

import type { CheckoutCommand } from '../../checkout/commands.ts';
import { MAX_AMOUNT } from '../../checkout/money.ts';
import { timestamp } from '../../checkout/representation.ts';
import { newId, randomText } from '../../lib/id.ts';
import { Type } from '../../lib/json-schema.ts';
import { SANDBOX } from '../../methods/sandbox/sandbox.ts';
import { originOf, sendResult } from '../answer.ts';
import type { Api } from '../api.ts';
import type { Dependencies } from '../dependencies.ts';
import { etagOf, success } from '../envelope.ts';
import { fieldsError } from '../errors.ts';
import { schemaProblems } from '../input.ts';
import { currencyOfSession, idInPath } from '../loose.ts';
import { operation } from '../operation.ts';
import { idOf } from '../schemas/checkout.ts';
import { closed, LINE } from '../schemas/fields.ts';

const tag = 'Test helpers';
const params = idOf('chk', 'session');

const payBody = Type.Object(
  {
    amount: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_AMOUNT,
        description: 'Default: the amount due.',
        examples: [2500],
      }),
    ),
    method: Type.Optional(
      Type.String({ pattern: '^[a-z0-9_]{1,64}$', description: 'Default: the session’s first method.' }),
    ),
    outcome: Type.Optional(
      closed(
        ['succeeded', 'failed', 'requires_action', 'processing', 'unknown'],
        'Outcome of the payment. Default: `succeeded`. Another call with the same `payment_id` changes it.',
      ),
    ),
    payment_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 128,
        pattern: LINE,
        description: 'Id of the payment at the rail; the same id is booked once.',
      }),
    ),
  },
  { additionalProperties: false, examples: [{ outcome: 'succeeded', payment_id: 'bank-0001' }] },
);

const MAX_ADVANCE_SECONDS = 366 * 86_400;

const advanceBody = Type.Object(
  {
    seconds: Type.Integer({
      minimum: 1,
      maximum: MAX_ADVANCE_SECONDS,
      description: 'Seconds to advance the clock.',
      examples: [3600],
    }),
  },
  { additionalProperties: false },
);

export function testHelperRoutes(
  api: Api,
  { store, execute, serializer, worker, now, realNow }: Dependencies,
): void {
  api.post(
    '/test_helpers/checkout/:id/pay',
    operation(
      {
        operation: 'TEST_HELPER.PAY',
        tag,
        permission: 'write',
        currencyOf: currencyOfSession(store, idInPath),
        testOnly: true,
        optionalBody: true,
        summary: 'Pay a session as a payer would',
        description: 'A succeeded payment is booked whatever the status of the session, as real money is.',
        answers: 'Checkout',
        errors: ['not_payable', 'payment_in_progress', 'payment_booked_elsewhere'],
      },
      { params, body: payBody },
    ),
    async (request, reply) => {
      const origin = originOf(request);
      const problems = schemaProblems(request);
      if (problems.length > 0) throw fieldsError(problems);
      const { amount = null, method = null, outcome = 'succeeded', payment_id } = request.body;
      // Rails may book money by any method; here, another method is a mistake of the caller.
      const session = await store.checkouts.fetch(origin.tenant, request.params.id);
      if (session && method !== null && !session.methods.includes(method)) {
        throw fieldsError([
          { pointer: '/method', detail: 'must be one of the payment methods of the session' },
        ]);
      }
      const time = await now(origin.tenant);
      const reference = payment_id ?? `pay_${randomText(26)}`;
      const command: CheckoutCommand = {
        type: 'report',
        now: time,
        rail: SANDBOX,
        reference,
        status: outcome,
        reason: outcome === 'failed' ? 'The payment was declined.' : '',
        syncAt: null,
        payment: outcome === 'succeeded' ? { reference, amount } : null,
        details: null,
        unknownAttempt: { id: newId('pat', time), method },
        refundId: newId('rfd', time),
      };
      const { id } = request.params;
      const executed = await execute({ subject: 'checkout', origin, id, command }, (checkout) =>
        success('TEST_HELPER.PAY', serializer.checkout(checkout), { etag: etagOf(checkout.version) }),
      );
      return sendResult(reply, executed);
    },
  );

  api.post(
    '/test_helpers/clock/advance',
    operation(
      {
        operation: 'TEST_HELPER.ADVANCE_CLOCK',
        tag,
        permission: 'write',
        testOnly: true,
        summary: 'Advance the test clock',
        description:
          'Advances the clock of the account’s test data. Everything due by then happens before the answer.',
        answers: 'Clock',
      },
      { body: advanceBody },
    ),
    async (request, reply) => {
      const origin = originOf(request);
      const problems = schemaProblems(request);
      if (problems.length > 0) throw fieldsError(problems);
      // The clock is read when it is this request's turn: another request may be advancing it now.
      const move = async () =>
        execute(
          {
            subject: 'clock',
            origin,
            now: await now(origin.tenant),
            realNow: realNow(),
            advanceMs: request.body.seconds * 1000,
          },
          (time) => {
            const data = JSON.stringify({ object: 'clock', now: timestamp(time) });
            return success('TEST_HELPER.ADVANCE_CLOCK', data);
          },
        );
      // A repeated request waits too: the first one may have been cut off before everything had happened.
      return sendResult(reply, await worker.advance(origin.tenant, move));
    },
  );
}
