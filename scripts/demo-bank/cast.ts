/**
 * The cast of the story: the shop, its account, and its customers. Their account numbers are banks' examples.
 */

export const shopAccount = {
  id: 'eur',
  currency: 'EUR',
  holder: {
    name: 'Demo Shop GmbH',
    street: 'Marktplatz',
    building_number: '1',
    postal_code: '10117',
    city: 'Berlin',
    country: 'DE',
  },
  iban: 'DE02 1203 0000 0000 2020 51',
  bic: 'BYLADEM1001',
  bank_name: 'DKB',
};

export const TRANSFER = 'local_bank_transfer_eur';

export type Order = {
  /** The shop's own name of it. */
  readonly reference: string;
  readonly item: string;
  /** The amount in cents. */
  readonly amount: number;
  readonly payer: { readonly name: string; readonly iban: string };
  /** The session's lifetime, or null for no expiry. */
  readonly hours: number | null;
};

export const orders = {
  exact: order('order-2001', 'Slide rule', 4_990, 'Ada Lovelace', 'NL91ABNA0417164300'),
  partial: order('order-2002', 'Compiler', 12_000, 'Grace Hopper', 'FR1420041010050500013M02606'),
  excess: order('order-2003', 'Ring', 3_000, 'Emmy Noether', 'DE89370400440532013000'),
  late: order('order-2004', 'Lamp', 7_500, 'Marie Curie', 'BE68539007547034', 24),
  unnamed: order('order-2005', 'Prism', 6_400, 'Lise Meitner', 'AT611904300234573201'),
} as const;

export type Part = keyof typeof orders;

/** Amounts in cents: a first partial payment, and an excess. */
export const PARTIAL = 7_000;
export const EXCESS = 500;

function order(
  reference: string,
  item: string,
  amount: number,
  name: string,
  iban: string,
  hours: number | null = null,
): Order {
  return { reference, item, amount, payer: { name, iban }, hours };
}
