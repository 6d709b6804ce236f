/** Redacts personal data from stored JSON. */
import { createHash } from 'node:crypto';
import type { Payer } from '../checkout/session.ts';
import { dataOfEvent, withData } from '../events/envelope.ts';

const blankPayer = {
  name: '',
  email: '',
  country: '',
  phone: null,
  billingDetails: null,
  shippingDetails: null,
};

const blankDetails = {
  name: '',
  email: '',
  country: '',
  phone: null,
  billing_details: null,
  shipping_details: null,
};

/** A session's data, as `dataOf` makes it, without the person of its payer; and what is left of the payer. */
export function redactSession(data: string): { readonly data: string; readonly payer: Payer } {
  const session = JSON.parse(data);
  const payer = { ...session.payer, ...blankPayer };
  return { data: JSON.stringify({ ...session, payer }), payer };
}

/** The body of an event without the person; the very same text if it tells of none. */
export function redactEventBody(body: string): string {
  const data = JSON.parse(dataOfEvent(body));
  const details = data.customer_details;
  if (typeof details !== 'object' || details === null) return body;
  const { billing_details, shipping_details } = blankDetails;
  const redacted = { ...data, customer_details: { ...details, ...blankDetails } };
  return withData(body, JSON.stringify({ ...redacted, billing_details, shipping_details }));
}

/** Tells whether a body still is the one that was sent; PostgreSQL makes the same by itself. */
export function hashOfBody(body: string): string {
  return createHash('sha256').update(body).digest('hex');
}
