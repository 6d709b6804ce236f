/** Refunds: create, settle, list and fetch them. */
import { refundTag } from '../../banking/tags.ts';
import type { CheckoutCommand } from '../../checkout/commands.ts';
import { MAX_REFUNDS } from '../../checkout/refunds.ts';
import type { Serializer } from '../../checkout/serializer.ts';
import type { Checkout, Refund } from '../../checkout/session.ts';
import { newId } from '../../lib/id.ts';
import { withoutUndefined } from '../../lib/keys.ts';
import { conditionOf, JSON_TYPE, notFound, originOf, principalOf, sendResult } from '../answer.ts';
import type { Api } from '../api.ts';
import type { Dependencies } from '../dependencies.ts';
import { created, envelope, etagOf, success } from '../envelope.ts';
import { fieldsError, RequestError } from '../errors.ts';
import { addressProblems, readMetadata, receiverProblems, schemaProblems, usableFields } from '../input.ts';
import { pageOf, sendList } from '../list.ts';
import { currencyOfSession } from '../loose.ts';
import { operation } from '../operation.ts';
import { idOf } from '../schemas/checkout.ts';
import { refundBody, refundQuery, settleBody } from '../schemas/refund.ts';

const tag = 'Refunds';
const params = idOf('rfd', 'refund');
const NO_SUCH_REFUND = 'There is no such refund.';

export function refundRoutes(
  api: Api,
  { store, execute, serializer, rails, networkRules, now }: Dependencies,
): void {
  api.post(
    '/refund',
    operation(
      {
        operation: 'REFUND.CREATE',
        tag,
        permission: 'refund',
        conditions: ['amount_left'],
        currencyOf: currencyOfSession(store, ({ body }) => Object(body).payin),
        summary: 'Refund a payment',
        description:
          'Returns a payment to the payer, in full or in part. Pending and completed refunds never exceed the payment. The new refund is `pending`; a webhook reports its end. Without `amount` and `payment_attempt`, all that is left goes back: every attempt with money left gets a refund of its own, and the answer is that of the newest one.',
        statusCode: 201,
        answers: 'Refund',
        errors: ['bad_metadata', 'not_refundable', 'not_found'],
      },
      { body: refundBody },
    ),
    async (request, reply) => {
      const origin = originOf(request);
      const problems = schemaProblems(request);
      const given = usableFields(request.body, problems);
      const metadata = readMetadata(given.metadata, problems) ?? {};
      problems.push(
        ...addressProblems(given, ['webhook_url'], origin.tenant.mode),
        ...receiverProblems(given, 'webhook_url', networkRules),
      );
      if (problems.length > 0) throw fieldsError(problems);
      const { payin, payment_attempt = null, amount = null, reason = '', remarks = '' } = request.body;
      const time = await now(origin.tenant);
      const id = newId('rfd', time);
      const command: CheckoutCommand = {
        type: 'create_refund',
        now: time,
        id,
        attempt: payment_attempt,
        amount,
        furtherIds: amount === null ? Array.from({ length: MAX_REFUNDS - 1 }, () => newId('rfd', time)) : [],
        currency: request.body.currency?.toUpperCase() ?? null,
        reason,
        remarks,
        metadata,
        webhookUrl: request.body.webhook_url ?? '',
        left: request.body.amount_left,
      };
      const executed = await execute({ subject: 'checkout', origin, id: payin, command }, (checkout) =>
        created('REFUND.CREATE', refundOf(checkout, id, serializer), `/v3/refund/${id}`),
      );
      return sendResult(reply, executed);
    },
  );

  api.post(
    '/refund/:id/settle',
    operation(
      {
        operation: 'REFUND.SETTLE',
        versioned: 'change',
        tag,
        permission: 'refund',
        summary: 'Settle a refund by bank transfer',
        description:
          'For a refund that no bank statement will report: you paid it in another way, the bank refused it, or you withdraw it before it is sent. Only the provider settles refunds by card.',
        answers: 'Refund',
        errors: ['refund_settled', 'version_stale'],
      },
      { params, body: settleBody },
    ),
    async (request, reply) => {
      const origin = originOf(request);
      const problems = schemaProblems(request);
      if (problems.length > 0) throw fieldsError(problems);
      const { id } = request.params;
      const checkout = await store.checkouts.fetchByRefund(origin.tenant, id);
      const refund = checkout?.refunds.find((each) => each.id === id);
      if (!checkout || !refund) throw notFound(NO_SUCH_REFUND);
      if (rails.find(({ name }) => name === refund.rail)?.capabilities.refunds !== 'file') {
        throw new RequestError('refund_settled');
      }
      const { status, reason = '' } = request.body;
      const time = await now(origin.tenant);
      const command: CheckoutCommand = { type: 'settle_refund', now: time, refund: id, status, reason };
      const executed = await execute(
        { subject: 'checkout', origin, id: checkout.id, command, ...conditionOf(request) },
        (session) => success('REFUND.SETTLE', refundOf(session, id, serializer), etagIn(session, id)),
      );
      return sendResult(reply, executed);
    },
  );

  api.get(
    '/refund',
    operation(
      {
        operation: 'REFUND.LIST',
        tag,
        permission: 'read',
        summary: 'List refunds',
        description: 'Newest first.',
        lists: 'Refund',
      },
      { querystring: refundQuery },
    ),
    async (request, reply) => {
      schemaProblems(request);
      const page = pageOf(request.query);
      const { payin, status, rail } = request.query;
      const isPending = status === 'pending' ? (true as const) : undefined;
      const filter = withoutUndefined({ checkout: payin, isPending, rail });
      const { rows, hasMore } = await store.refunds.list(principalOf(request).tenant, filter, page);
      const present = ({ id, checkout }: { id: string; checkout: Checkout }) =>
        refundOf(checkout, id, serializer);
      return sendList(reply, 'REFUND.LIST', rows, present, { page, hasMore });
    },
  );

  api.get(
    '/refund/:id',
    operation(
      {
        operation: 'REFUND.FETCH',
        versioned: 'read',
        tag,
        permission: 'read',
        summary: 'Fetch a refund',
        answers: 'Refund',
      },
      { params },
    ),
    async (request, reply) => {
      schemaProblems(request);
      const { id } = request.params;
      const checkout = await store.checkouts.fetchByRefund(principalOf(request).tenant, id);
      if (checkout === null) throw notFound(NO_SUCH_REFUND);
      reply.headers(etagIn(checkout, id));
      return reply.type(JSON_TYPE).send(envelope('REFUND.FETCH', refundOf(checkout, id, serializer)));
    },
  );
}

const refundOf = (checkout: Checkout, id: string, serializer: Serializer): string =>
  serializer.refund(checkout, refundIn(checkout, id));

const etagIn = (checkout: Checkout, id: string) => ({ etag: etagOf(refundTag(refundIn(checkout, id))) });

function refundIn(checkout: Checkout, id: string): Refund {
  const refund = checkout.refunds.find((each) => each.id === id);
  if (!refund) throw new Error(`the session ${checkout.id} has no refund ${id}`);
  return refund;
}
