/** Orders about a session: the rules decide on what was loaded, and everything that follows is written with it. */
import type { CheckoutCommand } from '../checkout/command.ts';
import { type Customer, emailKey, identifyPayer } from '../checkout/customer.ts';
import { type Change, type Decision, decide } from '../checkout/decide.ts';
import { type Refusal, refuse } from '../checkout/refusal.ts';
import type { Checkout } from '../checkout/session.ts';
import { newId } from '../id.ts';
import { etagOf, type Presenter } from '../presenter.ts';
import type { Loaded, Needs, Writes } from '../store/store.ts';
import type { Endpoint } from '../webhooks/endpoint.ts';
import { deliveryRows, eventRows } from './events.ts';
import { answerOf, auditOf, type CheckoutOrder, type Decided, noAnswer, type Origin } from './order.ts';

export function checkoutNeeds({ origin: { scope }, command, id }: CheckoutOrder): Needs {
  const needs = { scope, endpoints: true } as const;
  if (command.type !== 'create') {
    const { rail, reference } = command.type === 'report' ? command : {};
    return { ...needs, checkout: id, ...(rail && reference ? { rail: { rail, reference } } : {}) };
  }
  const { customer, email } = command.payer;
  if (customer !== '') return { ...needs, customer };
  return email === '' ? needs : { ...needs, email: emailKey(email) };
}

export function decideOnCheckout(
  order: CheckoutOrder,
  loaded: Loaded,
  presenter: Presenter,
): Decided | Refusal {
  const { origin, id, command, reply, shows } = order;
  const decision = decideWith(loaded, command, id);
  if (decision.kind === 'refusal') return decision;
  const { checkout, customer } = decision;
  const answer = reply
    ? shows
      ? answerOf(reply, shows(checkout, presenter))
      : answerOf(reply, presenter.checkout(checkout), { etag: etagOf(checkout.version) })
    : noAnswer;
  if (decision.kind === 'unchanged') return { writes: {}, answer, committed: null };
  const { now, type } = command;
  const writes = writesOfChange(
    decision,
    loaded.checkout,
    loaded.endpoints,
    { origin, now, type },
    presenter,
  );
  const { events = [], deliveries = [] } = writes;
  return {
    writes: customer ? { ...writes, customer } : writes,
    answer,
    committed: {
      scope: origin.scope,
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
    const fresh = { id: newId('cus', command.now), scope: command.scope, now: command.now };
    const identified = identifyPayer(command.payer, loaded.customer ?? loaded.namesake, fresh);
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
  presenter: Presenter,
): Writes {
  const told = events.map((event) => ({ type: event.type, data: presenter.eventData(checkout, event) }));
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
