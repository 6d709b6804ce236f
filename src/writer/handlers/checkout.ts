/** Orders about a session: the rules decide on what was loaded, and everything that follows is written with it. */
import type { CheckoutCommand } from '../../checkout/commands.ts';
import { type Customer, emailKey, identifyPayer } from '../../checkout/customer.ts';
import { type Change, type Decision, decide } from '../../checkout/decide.ts';
import { type Refusal, refuse } from '../../checkout/refusals.ts';
import type { Serializer } from '../../checkout/serializer.ts';
import type { Checkout } from '../../checkout/session.ts';
import { etagOf } from '../../lib/envelope.ts';
import { newId } from '../../lib/id.ts';
import type { Loaded, Needs, Writes } from '../../store/store.ts';
import type { Endpoint } from '../../webhooks/endpoint.ts';
import { answerOf, auditOf, type ChangeCheckout, type Decided, noAnswer, type Origin } from '../command.ts';
import { deliveryRows, eventRows } from '../event-rows.ts';

export function checkoutNeeds({ origin: { tenant }, command, id }: ChangeCheckout): Needs {
  const needs = { tenant, endpoints: true } as const;
  if (command.type !== 'create') {
    const { rail, reference } = command.type === 'report' ? command : {};
    return { ...needs, checkout: id, ...(rail && reference ? { rail: { rail, reference } } : {}) };
  }
  const { customer, email } = command.payer;
  if (customer !== '') return { ...needs, customer };
  return email === '' ? needs : { ...needs, email: emailKey(email) };
}

export function decideOnCheckout(
  order: ChangeCheckout,
  loaded: Loaded,
  serializer: Serializer,
): Decided | Refusal {
  const { origin, id, command, reply, shows } = order;
  const decision = decideWith(loaded, command, id);
  if (decision.kind === 'refusal') return decision;
  const { checkout, customer } = decision;
  const answer = reply
    ? shows
      ? answerOf(reply, shows(checkout, serializer))
      : answerOf(reply, serializer.checkout(checkout), { etag: etagOf(checkout.version) })
    : noAnswer;
  if (decision.kind === 'unchanged') return { writes: {}, answer, committed: null };
  const { now, type } = command;
  const writes = writesOfChange(
    decision,
    loaded.checkout,
    loaded.endpoints,
    { origin, now, type },
    serializer,
  );
  const { events = [], deliveries = [] } = writes;
  return {
    writes: customer ? { ...writes, customer } : writes,
    answer,
    committed: {
      tenant: origin.tenant,
      checkouts: [checkout.id],
      events: events.length,
      deliveries: deliveries.length,
    },
  };
}

/** The decision on a session, with what only the loaded rows can tell: who the payer is, and whose a payment is. */
function decideWith(
  loaded: Loaded,
  command: CheckoutCommand,
  id: string,
): (Exclude<Decision, Refusal> & { readonly customer?: Customer | null }) | Refusal {
  if (command.type === 'create') {
    const fresh = { id: newId('cus', command.now), tenant: command.tenant, now: command.now };
    const identified = identifyPayer(command.payer, loaded.customer ?? loaded.customerByEmail, fresh);
    if ('kind' in identified) return identified;
    const decision = decide(null, { ...command, payer: identified.payer });
    return decision.kind === 'refusal' ? decision : { ...decision, customer: identified.created };
  }
  if (loaded.ownerOfReference !== null && loaded.ownerOfReference !== id && loaded.checkout !== null) {
    return refuse('payment_booked_elsewhere', 'This payment belongs to another session.', [
      { pointer: '/payment_id', detail: 'is the id of a payment for another session' },
    ]);
  }
  return decide(loaded.checkout, command);
}

/** What a change of a session writes: itself, its events, their deliveries, and its line in the log of changes. */
export function writesOfChange(
  { checkout, events }: Change,
  before: Checkout | null,
  endpoints: readonly Endpoint[],
  { origin, now, type }: { readonly origin: Origin; readonly now: number; readonly type: string },
  serializer: Serializer,
): Writes {
  const told = events.map((event) => ({ type: event.type, data: serializer.eventData(checkout, event) }));
  const rows = eventRows(checkout, told, now);
  return {
    checkout: { before, after: checkout },
    events: rows,
    deliveries: deliveryRows(
      rows,
      endpoints,
      (index) => events[index]?.refund?.webhookUrl || checkout.webhookUrl,
    ),
    audit: auditOf(origin, checkout.id, checkout.version, now, type),
  };
}
