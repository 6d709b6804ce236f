/** Commands about a customer. */
import { type Customer, decideCustomer, emailKey } from '../../checkout/customer.ts';
import { isRefusal, type Refusal } from '../../checkout/refusals.ts';
import type { Loaded, Needs } from '../../store/store.ts';
import { auditOf, type ChangeCustomer, type Decided } from '../command.ts';

export function customerNeeds({ origin: { tenant }, id, command }: ChangeCustomer): Needs {
  const email = emailOf(command);
  return { tenant, customers: [id], ...(email === '' ? {} : { customersByEmail: [email] }) };
}

export function decideOnCustomer(
  { origin, id, command, now }: ChangeCustomer,
  { customers, customersByEmail }: Loaded,
): Decided<Customer> | Refusal {
  const byEmail = customersByEmail.get(emailOf(command)) ?? null;
  const decision = decideCustomer(customers.get(id) ?? null, byEmail, command);
  if (isRefusal(decision)) return decision;
  const { customer } = decision;
  if (decision.kind === 'unchanged') return { value: customer, writes: [] };
  const audit = auditOf(origin, customer.id, 0, now, command.type);
  const written = decision.kind === 'erased' ? { erasedCustomer: customer } : { customer };
  return { value: customer, writes: [{ ...written, audit }] };
}

/** The key of the e-mail address that the customer is to have; empty if the command gives none. */
function emailOf(command: ChangeCustomer['command']): string {
  return 'fields' in command ? emailKey(command.fields.email ?? '') : '';
}
