/** The merchant's record of a payer, and the rules for it. Pure. */
import type { CustomerId } from './ids.ts';
import { afterMerge, mergePatch, metadataProblem } from './metadata.ts';
import { type Refusal, refuse, refuseFields } from './refusals.ts';
import type { ContactDetails, JsonObject, Payer, Phone } from './session.ts';
import type { Tenant, TenantTime } from './tenant.ts';

export type Customer = {
  readonly id: CustomerId;
  readonly tenant: Tenant;
  readonly createdAt: TenantTime;
  readonly name: string;
  readonly email: string;
  readonly country: string;
  readonly phone: Phone | null;
  readonly billing: readonly ContactDetails[];
  readonly shipping: readonly ContactDetails[];
  readonly referenceId: string;
  readonly metadata: JsonObject;
};

export type CustomerFields = Pick<
  Customer,
  'name' | 'email' | 'country' | 'phone' | 'billing' | 'shipping' | 'referenceId' | 'metadata'
>;

export type CustomerCommand =
  | {
      readonly type: 'create_customer';
      readonly id: CustomerId;
      readonly tenant: Tenant;
      readonly now: TenantTime;
      readonly fields: CustomerFields;
    }
  | {
      readonly type: 'update_customer' /** `metadata` is a merge patch. */;
      readonly fields: Partial<CustomerFields>;
    }
  | { readonly type: 'erase_customer' };

export type CustomerDecision =
  | { readonly kind: 'change'; readonly customer: Customer }
  | { readonly kind: 'unchanged'; readonly customer: Customer }
  | { readonly kind: 'erased'; readonly customer: Customer }
  | Refusal;

/** One customer per e-mail address: the key under which an address is known, or an empty string for none. */
export function emailKey(email: string): string {
  return email.trim().toLowerCase();
}

/** `customer` is the addressed record; `customerByEmail` the record with the e-mail address of the command, if any. */
export function decideCustomer(
  customer: Customer | null,
  customerByEmail: Customer | null,
  command: CustomerCommand,
): CustomerDecision {
  if (command.type !== 'create_customer' && customer === null) {
    return refuse('not_found', 'There is no such customer.');
  }
  if (command.type !== 'erase_customer' && customerByEmail !== null && customerByEmail.id !== customer?.id) {
    return refuse('customer_exists', 'Another customer has this e-mail address.', [
      { pointer: '/email', detail: 'belongs to another customer' },
    ]);
  }
  if (command.type === 'create_customer') {
    const { id, tenant, now, fields } = command;
    return { kind: 'change', customer: { id, tenant, createdAt: now, ...fields } };
  }
  // The guard above has refused a customer that does not exist.
  const current = customer as Customer;
  if (command.type === 'erase_customer') return { kind: 'erased', customer: current };
  const { metadata: patch, ...fields } = command.fields;
  const metadata = patch === undefined ? current.metadata : mergePatch(current.metadata, patch);
  const problem = metadataProblem(metadata);
  if (problem !== null) return refuseFields([{ pointer: '/metadata', detail: afterMerge(problem) }]);
  if (Object.keys(command.fields).length === 0) return { kind: 'unchanged', customer: current };
  return { kind: 'change', customer: { ...current, ...fields, metadata } };
}

/**
 * Payer of a new session: the named customer, else the one with the same e-mail address, else a new record made from
 * the details. Details in the request take precedence over those of the record.
 */
export function identifyPayer(
  payer: Payer,
  found: Customer | null,
  fresh: { id: CustomerId; tenant: Tenant; now: TenantTime },
): { payer: Payer; created: Customer | null } | Refusal {
  if (found === null && payer.customer !== '') {
    return refuseFields([{ pointer: '/customer', detail: 'must be the id of a customer' }]);
  }
  const hasDetails = payer.name !== '' || payer.email !== '' || payer.country !== '' || payer.phone !== null;
  if (found === null && !hasDetails) return { payer, created: null };
  const created: Customer | null =
    found === null
      ? {
          id: fresh.id,
          tenant: fresh.tenant,
          createdAt: fresh.now,
          name: payer.name,
          email: payer.email,
          country: payer.country,
          phone: payer.phone,
          billing: [],
          shipping: [],
          referenceId: '',
          metadata: {},
        }
      : null;
  const record = found ?? (created as Customer);
  return {
    payer: {
      ...payer,
      customer: record.id,
      name: payer.name || record.name,
      email: payer.email || record.email,
      country: payer.country || record.country,
      phone: payer.phone ?? record.phone,
    },
    created,
  };
}
