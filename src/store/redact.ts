/** What is left of stored JSON when a person is to be forgotten. */
import { createHash } from 'node:crypto';

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

/** A session's data, as `dataOf` makes it, without the person of its payer. */
export function redactSessionData(data: string): string {
  const session = JSON.parse(data);
  return JSON.stringify({ ...session, payer: { ...session.payer, ...blankPayer } });
}

/** The body of an event without the person; the very same text if it tells of none. */
export function redactEventBody(body: string): string {
  const event = JSON.parse(body);
  const details = event.data?.customer_details;
  if (typeof details !== 'object' || details === null) return body;
  const data = { ...event.data, customer_details: { ...details, ...blankDetails } };
  return JSON.stringify({ ...event, data });
}

/** Tells whether a body still is the one that was sent; PostgreSQL makes the same by itself. */
export function hashOfBody(body: string): string {
  return createHash('sha256').update(body).digest('hex');
}
