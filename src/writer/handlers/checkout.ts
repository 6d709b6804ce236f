/** Commands about a session: the rules decide on what was loaded, and everything that follows is written with it. */

import { isForWebhookUrl } from '../../accounts/settings.ts';
import { CHANGED_SINCE } from '../../accounts/tags.ts';
import { refundTag } from '../../banking/tags.ts';
import type { CheckoutCommand } from '../../checkout/commands.ts';
import { type Customer, emailKey, identifyPayer } from '../../checkout/customer.ts';
import { type Change, type Decision, decide } from '../../checkout/decide.ts';
import { isRefusal, type Refusal, refuse } from '../../checkout/refusals.ts';
import type { Checkout } from '../../checkout/session.ts';
import { isInFlight } from '../../checkout/statuses.ts';
import type { TenantTime } from '../../checkout/tenant.ts';
import { isMet } from '../../lib/condition.ts';
import { newId } from '../../lib/id.ts';
import { railKey } from '../../store/resources/rail-reference.ts';
import type { Loaded, Needs, Writes } from '../../store/store.ts';
import type { Endpoint } from '../../webhooks/endpoint.ts';
import { auditOf, type ChangeCheckout, type Context, type Decided, type Origin } from '../command.ts';
import { deliveryRows, eventRows } from '../event-rows.ts';

export function checkoutNeeds({ origin: { tenant }, command, id, replaces }: ChangeCheckout): Needs {
  if (command.type !== 'create') {
    const { rail, reference } = command.type === 'report' ? command : {};
    const needs = { tenant, checkouts: [id], endpoints: true } as const;
    return rail && reference ? { ...needs, owners: [{ rail, reference }] } : needs;
  }
  const { customer, email } = command.payer;
  const needs = { tenant, endpoints: true, ...(replaces && { checkouts: [replaces] }) } as const;
  if (customer !== '') return { ...needs, customers: [customer] };
  return { ...needs, ...(email === '' ? {} : { customersByEmail: [emailKey(email)] }) };
}

export function decideOnCheckout(
  { origin, id, command, replaces, condition }: ChangeCheckout,
  loaded: Loaded,
  context: Context,
): Decided<Checkout> | Refusal {
  const before = loaded.checkouts.get(id) ?? null;
  const decision = decideWith(before, loaded, command, id);
  if (isRefusal(decision)) return decision;
  // A refusal for what the refund has become says more (RFC 9110, section 13.2.1).
  if (condition !== undefined && !isMet(condition, tagBefore(before, command)))
    return refuse('version_stale', CHANGED_SINCE);
  const { checkout, customer } = decision;
  if (decision.kind === 'unchanged') return { value: checkout, writes: [] };
  const { now, type } = command;
  const earlier = replaces ? endOf(loaded.checkouts.get(replaces) ?? null, now) : [];
  if ('kind' in earlier) return earlier;
  const writesOf = (change: Change, from: Checkout | null, what: string) =>
    writesOfChange(change, from, loaded.endpoints, { origin, now, type: what }, context);
  const writes = writesOf(decision, before, type);
  return {
    value: checkout,
    writes: [
      ...earlier.map(({ change, from }) => writesOf(change, from, 'expire')),
      customer ? { ...writes, customer } : writes,
    ],
  };
}

/** The tag of the refund that the command settles; null where there is none. */
function tagBefore(before: Checkout | null, command: CheckoutCommand): string | null {
  if (command.type !== 'settle_refund') return null;
  const refund = before?.refunds.find(({ id }) => id === command.refund);
  return refund === undefined ? null : refundTag(refund);
}

/** The change that ends a session for another one to take its place; none if it has ended already. */
function endOf(
  from: Checkout | null,
  now: TenantTime,
): ReadonlyArray<{ readonly change: Change; readonly from: Checkout }> | Refusal {
  if (from === null) return [];
  if (from.payments.length > 0 || from.attempts.some(isInFlight)) {
    return refuse('not_expirable', 'The earlier session is paid, or is being paid.');
  }
  if (from.lifecycle.state === 'expired') return [];
  // Its time may be over, and nobody has noticed yet.
  const lapsed = decide(from, { type: 'tick', now });
  if (lapsed.kind === 'change' && lapsed.checkout.lifecycle.state === 'expired')
    return [{ change: lapsed, from }];
  const change = decide(from, { type: 'expire', now, ifVersion: null });
  if (isRefusal(change)) return change;
  return change.kind === 'change' ? [{ change, from }] : [];
}

/** The decision on a session, with what only the loaded rows can tell: who the payer is, and whose a payment is. */
function decideWith(
  before: Checkout | null,
  { customers, customersByEmail, owners }: Loaded,
  command: CheckoutCommand,
  id: string,
): (Exclude<Decision, Refusal> & { readonly customer?: Customer | null }) | Refusal {
  if (command.type === 'create') {
    const { customer, email } = command.payer;
    const known = customers.get(customer) ?? customersByEmail.get(emailKey(email)) ?? null;
    const fresh = { id: newId('cus', command.now), tenant: command.tenant, now: command.now };
    const identified = identifyPayer(command.payer, known, fresh);
    if (isRefusal(identified)) return identified;
    const decision = decide(null, { ...command, payer: identified.payer });
    return isRefusal(decision) ? decision : { ...decision, customer: identified.created };
  }
  const owner = command.type === 'report' ? owners.get(railKey(command)) : undefined;
  if (owner !== undefined && owner !== id && before !== null) {
    return refuse('payment_booked_elsewhere', 'This payment belongs to another session.', [
      { pointer: '/payment_id', detail: 'is the id of a payment for another session' },
    ]);
  }
  return decide(before, command);
}

/** The writes of a changed session: itself, its events, their deliveries, and its line in the log of changes. */
export function writesOfChange(
  { checkout, events }: Change,
  before: Checkout | null,
  endpoints: readonly Endpoint[],
  { origin, now, type }: { readonly origin: Origin; readonly now: TenantTime; readonly type: string },
  { serializer, settings }: Context,
): Writes {
  const told = events.map((event) => ({ type: event.type, data: serializer.eventData(checkout, event) }));
  const rows = eventRows(checkout, told, now, origin.cause);
  return {
    checkout: { before, after: checkout },
    events: rows,
    deliveries: deliveryRows(rows, endpoints, ({ type }, index) =>
      isForWebhookUrl(settings, type) ? events[index]?.refund?.webhookUrl || checkout.webhookUrl : '',
    ),
    audit: auditOf(origin, checkout.id, checkout.version, now, type),
  };
}
