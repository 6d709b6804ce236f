/** Orders about a customer. */
import { decideCustomer, emailKey } from '../checkout/customer.ts';
import type { Refusal } from '../checkout/refusal.ts';
import type { Presenter } from '../presenter.ts';
import type { Loaded, Needs } from '../store/store.ts';
import { answerOf, auditOf, type CustomerOrder, type Decided } from './order.ts';

export function customerNeeds({ origin: { scope }, id, command }: CustomerOrder): Needs {
  const email = 'fields' in command ? command.fields.email : undefined;
  return { scope, customer: id, ...(email ? { email: emailKey(email) } : {}) };
}

export function decideOnCustomer(
  { origin, id, command, now, reply }: CustomerOrder,
  loaded: Loaded,
  presenter: Presenter,
): Decided | Refusal {
  const decision = decideCustomer(loaded.customer, loaded.namesake, command);
  if (decision.kind === 'refusal') return decision;
  const { customer } = decision;
  const audit = auditOf(origin, id, 0, now, command.type);
  if (decision.kind === 'erased') {
    const data = JSON.stringify({ id, object: 'customer', deleted: true });
    const writes = { erasedCustomer: customer, audit };
    return { writes, answer: answerOf(reply, data), committed: null };
  }
  const answer = answerOf(reply, presenter.customer(customer));
  const writes = decision.kind === 'unchanged' ? {} : { customer, audit };
  return { writes, answer, committed: null };
}
