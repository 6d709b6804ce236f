/** Commands about a session: the rules decide on what was loaded, and everything that follows is written with it. */

import type { CheckoutCommand } from '../../checkout/commands.ts';
import { type Customer, emailKey, identifyPayer } from '../../checkout/customer.ts';
import { type Change, type Decision, decide } from '../../checkout/decide.ts';
import { isRefusal, type Refusal, refuse } from '../../checkout/refusals.ts';
import type { Serializer } from '../../checkout/serializer.ts';
import type { Checkout } from '../../checkout/session.ts';
import type { TenantTime } from '../../checkout/tenant.ts';
import { newId } from '../../lib/id.ts';
import { railKey } from '../../store/resources/rail-reference.ts';
import type { Loaded, Needs, Writes } from '../../store/store.ts';
import type { Endpoint } from '../../webhooks/endpoint.ts';
import { auditOf, type ChangeCheckout, type Decided, type Origin } from '../command.ts';
import { deliveryRows, eventRows } from '../event-rows.ts';

export function checkoutNeeds({ origin: { tenant }, command, id }: ChangeCheckout): Needs {
  if (command.type !== 'create') {
    const { rail, reference } = command.type === 'report' ? command : {};
    const needs = { tenant, checkouts: [id], endpoints: true } as const;
    return rail && reference ? { ...needs, owners: [{ rail, reference }] } : needs;
  }
  const { customer, email } = command.payer;
  if (customer !== '') return { tenant, endpoints: true, customers: [customer] };
  return { tenant, endpoints: true, ...(email === '' ? {} : { customersByEmail: [emailKey(email)] }) };
}

export function decideOnCheckout(
  { origin, id, command }: ChangeCheckout,
  loaded: Loaded,
  serializer: Serializer,
): Decided<Checkout> | Refusal {
  const before = loaded.checkouts.get(id) ?? null;
  const decision = decideWith(before, loaded, command, id);
  if (isRefusal(decision)) return decision;
  const { checkout, customer } = decision;
  if (decision.kind === 'unchanged') return { value: checkout, writes: [] };
  const { now, type } = command;
  const writes = writesOfChange(decision, before, loaded.endpoints, { origin, now, type }, serializer);
  return { value: checkout, writes: [customer ? { ...writes, customer } : writes] };
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
