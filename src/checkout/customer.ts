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
      readonly fields: Partial<CustomerFields>;
      /** Result for a customer who has this e-mail address already; `metadata` is a merge patch then. */
      readonly ifKnown: 'refuse' | 'update';
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
  if (command.type === 'create_customer') {
    const { id, tenant, now, fields, ifKnown } = command;
    if (customerByEmail === null)
      return { kind: 'change', customer: { ...nothing, ...fields, id, tenant, createdAt: now } };
    return ifKnown === 'update' ? updated(customerByEmail, fields) : customerExists;
  }
  if (customer === null) return refuse('not_found', 'There is no such customer.');
  if (command.type === 'erase_customer') return { kind: 'erased', customer };
  const isOthers = customerByEmail !== null && customerByEmail.id !== customer.id;
  return isOthers ? customerExists : updated(customer, command.fields);
}

const customerExists = refuse('customer_exists', 'Another customer has this e-mail address.', [
  { pointer: '/email', detail: 'belongs to another customer' },
]);

const nothing: CustomerFields = {
  name: '',
  email: '',
  country: '',
  phone: null,
  billing: [],
  shipping: [],
  referenceId: '',
  metadata: {},
};

function updated(current: Customer, given: Partial<CustomerFields>): CustomerDecision {
  const { metadata: patch, ...fields } = given;
  const metadata = patch === undefined ? current.metadata : mergePatch(current.metadata, patch);
  const problem = patch === undefined ? null : metadataProblem(metadata);
  if (problem !== null) return refuseFields([{ pointer: '/metadata', detail: afterMerge(problem) }]);
  if (Object.keys(given).length === 0) return { kind: 'unchanged', customer: current };
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
          ...nothing,
          id: fresh.id,
          tenant: fresh.tenant,
          createdAt: fresh.now,
          name: payer.name,
          email: payer.email,
          country: payer.country,
          phone: payer.phone,
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
