/** Bodies of create and update as the fields of a command. */
import { randomUUID } from 'node:crypto';
import type { Account } from '../../accounts/account.ts';
import type { CreateCheckout, UpdateCheckout } from '../../checkout/commands.ts';
import { createProblems } from '../../checkout/decide.ts';
import { type Item, totalOf } from '../../checkout/items.ts';
import { formatAmount } from '../../checkout/money.ts';
import type { Problem } from '../../checkout/refusals.ts';
import type { ContactDetails, Payer, Phone } from '../../checkout/session.ts';
import type { Mode, TenantTime } from '../../checkout/tenant.ts';
import { findMethod } from '../../methods/catalogue.ts';
import { methodsFor, type Occasion, offersAmong, offersFor, type Rail } from '../../methods/method.ts';
import type { NetworkRules } from '../../webhooks/guard.ts';
import { fieldsError } from '../errors.ts';
import { addressProblems, readMetadata, readPatch, receiverProblems, usableFields } from '../input.ts';
import type { CreateBody, UpdateBody } from '../schemas/checkout.ts';
import { parseTimestamp } from '../schemas/fields.ts';

/** Required, so that the compiler also asks for a field that older sessions lack. */
export type CreateFields = Required<Omit<CreateCheckout, 'type' | 'now' | 'id' | 'token' | 'tenant'>>;

/**
 * The fields of a new session. Throws a RequestError with every mistake there is: those the schema found, and those
 * it cannot see.
 */
export function readCreate(
  body: CreateBody,
  schemaProblems: readonly Problem[],
  {
    mode,
    now,
    rails,
    account,
    networkRules,
  }: {
    mode: Mode;
    now: TenantTime;
    rails: readonly Rail[];
    account: Account;
    networkRules: NetworkRules;
  },
): CreateFields {
  const given = usableFields(body, schemaProblems);
  const problems = [
    ...schemaProblems,
    ...addressProblems(given, ['success_url', 'cancel_url', 'webhook_url'], mode),
    ...receiverProblems(given, 'webhook_url', networkRules),
  ];
  const payer = readPayer(given, problems);
  const currency = given.invoice_currency?.toUpperCase() ?? '';
  const items = readItems(given.items ?? [], problems);
  const total = given.amount ?? totalOf(items);
  const occasion = { mode, currency, country: payer.country, amount: total || null, account };
  const fields: CreateFields = {
    currency,
    amount: given.amount ?? null,
    items,
    description: given.transaction_description ?? '',
    referenceId: given.reference_id ?? randomUUID(),
    metadata: readMetadata(given.metadata, problems) ?? {},
    payer,
    successUrl: given.success_url ?? '',
    cancelUrl: given.cancel_url ?? '',
    webhookUrl: given.webhook_url ?? '',
    ...readMethods(given, problems, rails, occasion),
    expiresAt: given.expires_at ? parseTimestamp(given.expires_at) : null,
    policy: account.settings[mode].policy,
  };
  // The rules check these fields again when they decide; here they only complete the list of mistakes.
  if (problems.length > 0) throw fieldsError([...problems, ...createProblems(fields, now)]);
  return fields;
}

export function readUpdate(
  body: UpdateBody,
  schemaProblems: readonly Problem[],
  rails: readonly Rail[],
  /** Occasion of the session; null where there is no session, which the writer says. */
  occasion: Occasion | null,
): Pick<UpdateCheckout, 'items' | 'methods' | 'obstacle' | 'metadata'> {
  const given = usableFields(body, schemaProblems);
  const problems = [...schemaProblems];
  const metadata = readPatch(given.metadata, problems);
  const items =
    given.items?.map(({ unit_price, ...item }): Item => ({ ...item, unitPrice: unit_price })) ?? null;
  const methods = given.payment_methods ?? null;
  if (methods !== null) problems.push(...unknownMethods(methods));
  const amount = items === null ? occasion?.amount : totalOf(items);
  const obstacle = methods && occasion && obstacleTo(methods, rails, { ...occasion, amount: amount || null });
  if (problems.length > 0) throw fieldsError(obstacle ? [...problems, obstacle] : problems);
  return { items, methods, obstacle, metadata };
}

function readItems(items: NonNullable<CreateBody['items']>, problems: Problem[]): Item[] {
  return items.map(({ unit_price, amount, ...item }, index) => {
    const pointer = `/items/${index}/unit_price`;
    if (unit_price !== undefined && amount !== undefined && unit_price !== amount) {
      problems.push({ pointer, detail: 'contradicts its alias amount' });
    }
    const unitPrice = unit_price ?? amount;
    if (unitPrice === undefined) problems.push({ pointer, detail: 'is required' });
    return { ...item, unitPrice: unitPrice ?? 0 };
  });
}

function readPayer(given: Partial<CreateBody>, problems: Problem[]): Payer {
  const details = given.customer_details ?? {};
  if (given.customer && details.customer && given.customer !== details.customer) {
    problems.push({ pointer: '/customer_details/customer', detail: 'contradicts customer' });
  }
  return {
    customer: given.customer ?? details.customer ?? '',
    name: details.name ?? '',
    email: details.email ?? '',
    country: details.country?.toUpperCase() ?? '',
    phone: readPhone(details.phone),
    billingDetails: readContact(given.billing_details ?? details.billing_details),
    shippingDetails: readContact(given.shipping_details ?? details.shipping_details),
  };
}

/** Details that had only empty strings count as none. */
function readContact(details: object | undefined): ContactDetails | null {
  return details && Object.keys(details).length > 0 ? (details as ContactDetails) : null;
}

export function readPhone(
  phone: { calling_code?: string; country_code?: string; number?: string } | undefined,
): Phone | null {
  const callingCode = phone?.calling_code ?? phone?.country_code ?? '';
  const number = phone?.number ?? '';
  return callingCode === '' && number === '' ? null : { callingCode, number };
}

function readMethods(
  given: Partial<CreateBody>,
  problems: Problem[],
  rails: readonly Rail[],
  occasion: Occasion,
): Pick<CreateFields, 'methods' | 'obstacle'> {
  const { payment_methods: wanted = [], remove_payment_methods: unwanted = [] } = given;
  if (wanted.length > 0) {
    problems.push(...unknownMethods(wanted));
    return { methods: wanted, obstacle: obstacleTo(wanted, rails, occasion) };
  }
  const offered = offersFor(rails, occasion).map(({ method }) => method.id);
  const methods = offered.filter((id) => !unwanted.includes(id));
  if (methods.length === 0 && offered.length > 0) {
    problems.push({ pointer: '/remove_payment_methods', detail: 'must leave at least one payment method' });
  }
  return { methods, obstacle: obstacleTo(methodsFor(occasion), rails, occasion) };
}

function unknownMethods(ids: readonly string[]): Problem[] {
  return ids.flatMap((id, index) =>
    findMethod(id) ? [] : [{ pointer: `/payment_methods/${index}`, detail: 'is not a known payment method' }],
  );
}

/** Reason why nobody could pay with these methods now, and what the operator does about it, or null. */
function obstacleTo(ids: readonly string[], rails: readonly Rail[], occasion: Occasion): Problem | null {
  const { currency, mode, amount } = occasion;
  const methods = ids.map(findMethod).filter((method) => method !== undefined);
  // Without a currency, or where a method is unknown, that is the mistake.
  const isMistaken = currency === '' || methods.length < ids.length;
  if (isMistaken || offersAmong(ids, rails, occasion).length > 0) return null;
  const pointer = '/payment_methods';
  if (amount !== null && offersAmong(ids, rails, { ...occasion, amount: null }).length > 0) {
    return { pointer, detail: `cannot be offered: none takes ${formatAmount(amount, currency)}` };
  }
  const missing = methods.flatMap((method) =>
    rails.flatMap((rail) => rail.missing?.(method, occasion) ?? []),
  );
  const advice = missing.length === 0 ? '' : `; its operator sets up ${[...new Set(missing)].join(', or ')}`;
  const detail = `cannot be offered: the account has none for ${mode} payments in ${currency}${advice}`;
  return { pointer, detail };
}
