/** Orders about a customer. */
import { decideCustomer, emailKey } from '../../checkout/customer.ts';
import type { Refusal } from '../../checkout/refusals.ts';
import type { Serializer } from '../../checkout/serializer.ts';
import type { Loaded, Needs } from '../../store/store.ts';
import { answerOf, auditOf, type ChangeCustomer, type Decided } from '../command.ts';

export function customerNeeds({ origin: { tenant }, id, command }: ChangeCustomer): Needs {
  const email = 'fields' in command ? command.fields.email : undefined;
  return { tenant, customer: id, ...(email ? { email: emailKey(email) } : {}) };
}

export function decideOnCustomer(
  { origin, id, command, now, reply }: ChangeCustomer,
  loaded: Loaded,
  serializer: Serializer,
): Decided | Refusal {
  const decision = decideCustomer(loaded.customer, loaded.customerByEmail, command);
  if (decision.kind === 'refusal') return decision;
  const { customer } = decision;
  const audit = auditOf(origin, id, 0, now, command.type);
  if (decision.kind === 'erased') {
    const data = JSON.stringify({ id, object: 'customer', deleted: true });
    const writes = { erasedCustomer: customer, audit };
    return { writes, answer: answerOf(reply, data), committed: null };
  }
  const answer = answerOf(reply, serializer.customer(customer));
  const writes = decision.kind === 'unchanged' ? {} : { customer, audit };
  return { writes, answer, committed: null };
}
