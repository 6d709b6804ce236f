import { MAX_AMOUNT } from './money.ts';

/** One line of the invoice. `unitPrice` is in minor units of the invoice currency. */
export type Item = {
  readonly name: string;
  readonly quantity: number;
  readonly unitPrice: number;
  readonly description?: string;
};

/** Σ quantity × unit price in minor units, or null if it exceeds the maximum amount. */
export function totalOf(items: readonly Item[]): number | null {
  let total = 0;
  for (const { quantity, unitPrice } of items) {
    // A product beyond 2^53 loses digits but not its order of magnitude, so the comparison stays right.
    total += quantity * unitPrice;
    if (total > MAX_AMOUNT) return null;
  }
  return total;
}

/** The items as the text that a session's description shows: `"2 x Widget, 1 x Gadget"`. */
export function listingOf(items: readonly Item[]): string {
  return items.map(({ name, quantity }) => `${quantity} x ${name}`).join(', ');
}
