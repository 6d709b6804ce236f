/** New sessions, and what becomes of the ones that clients of other v3 services make again under the same key. */
import { isDeepStrictEqual } from 'node:util';
import type { FastifyRequest } from 'fastify';
import type { CheckoutCommand } from '../../checkout/commands.ts';
import type { CheckoutId } from '../../checkout/ids.ts';
import { totalOf } from '../../checkout/items.ts';
import { isRefusal, type RefusalReason } from '../../checkout/refusals.ts';
import { representItem } from '../../checkout/representation.ts';
import type { Checkout } from '../../checkout/session.ts';
import { TOKEN_SECRET_LENGTH, tokenOf } from '../../checkout/token.ts';
import { newId, randomText } from '../../lib/id.ts';
import type { StoredAnswer } from '../../store/store.ts';
import type { Origin, Serialize } from '../../writer/command.ts';
import type { Executed } from '../../writer/writer.ts';
import { accountOf, originOf } from '../answer.ts';
import type { Dependencies } from '../dependencies.ts';
import { schemaProblems } from '../input.ts';
import type { CreateBody } from '../schemas/checkout.ts';
import { type CreateFields, readCreate } from './checkout-input.ts';

/** Refusals of the end of the first session, which therefore stays. */
const STANDS_FOR_IT: ReadonlySet<RefusalReason> = new Set(['not_expirable', 'payment_in_progress']);

/** In the reference: what becomes of a key that is known. */
export const SAME_KEY =
  'another body under a known key gets the first answer where amount, currency and items are the same. Otherwise a new session takes the place of the first, which expires, unless that one is paid or being paid.';

/** Tries with a key that others use at the same time. */
const MAX_TRIES = 20;

/** Makes a session from the body of a request. */
export function creator({ store, execute, rails, networkRules, now }: Dependencies) {
  return async (
    request: FastifyRequest,
    body: CreateBody,
    serialize: Serialize<Checkout>,
  ): Promise<Executed<Checkout>> => {
    const origin = originOf(request);
    const { tenant } = origin;
    const time = await now(tenant);
    const problems = schemaProblems(request);
    const account = await accountOf(store, tenant);
    const fields = readCreate(body, problems, { mode: tenant.mode, now: time, rails, account, networkRules });
    const id = newId('chk', time);
    const token = tokenOf(tenant, id, randomText(TOKEN_SECRET_LENGTH));
    const command: CheckoutCommand = { type: 'create', now: time, id, token, tenant, ...fields };
    const create = (by: Origin, replaces?: CheckoutId) =>
      execute({ subject: 'checkout', origin: by, id, command, ...(replaces && { replaces }) }, serialize);

    const executed = await create(origin);
    return request.loose ? again(executed, fields, origin, create) : executed;
  };
}

/**
 * Result of another body under a known key: the first answer, where it would be paid the same. Else the new session
 * takes the place of the first, unless that is paid or being paid: no key has two sessions that can be paid, and none
 * that asks for an old price.
 */
async function again(
  first: Executed<Checkout>,
  fields: CreateFields,
  origin: Origin,
  create: (origin: Origin, replaces: CheckoutId) => Promise<Executed<Checkout>>,
): Promise<Executed<Checkout>> {
  let executed = first;
  for (let tries = 0; executed.kept && tries < MAX_TRIES; tries++) {
    const { kept } = executed;
    const repeated: Executed<Checkout> = { result: { kind: 'replay' }, answer: kept, committed: null };
    const { idempotency } = origin;
    const { id, ...asked } = askedIn(kept);
    if (idempotency === null || isDeepStrictEqual(asked, askedBy(fields))) return repeated;
    executed = await create({ ...origin, idempotency: { ...idempotency, replaces: kept } }, id);
    const { result } = executed;
    if (isRefusal(result) && STANDS_FOR_IT.has(result.reason)) return repeated;
  }
  return executed;
}

/** Price of the session in a kept answer, and the session's id. */
function askedIn({ body }: StoredAnswer) {
  const { id, invoice_currency, amount, items } = JSON.parse(body).data;
  return { id, currency: invoice_currency, amount, items };
}

function askedBy({ currency, amount, items }: CreateFields) {
  return { currency, amount: amount ?? totalOf(items), items: items.map(representItem) };
}
