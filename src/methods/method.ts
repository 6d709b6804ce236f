/** Payment methods as payers know them, and the rails that carry them out. */
import type { Report } from '../checkout/command.ts';
import type { Attempt, Checkout, Mode } from '../checkout/session.ts';
import { catalogue, type Method } from './catalogue.ts';

/** What a session is asked to be paid with: the facts that decide which methods fit. */
export type Occasion = {
  readonly mode: Mode;
  readonly currency: string;
  /** ISO 3166-1 alpha-2, or empty where it is not known. */
  readonly country: string;
};

/** What a rail says of an attempt when it is asked. */
export type RailAnswer = {
  readonly status: Report['status'];
  readonly reason: string;
  /** When to ask again, or null. */
  readonly syncAt: number | null;
  readonly payment: { readonly reference: string; readonly amount: number } | null;
};

/** One way to move money. Called outside of any transaction; what it says comes back as a command. */
export type Rail = {
  readonly name: string;
  /** Whether the rail carries this method here. */
  offers(method: Method, occasion: Occasion): boolean;
  /** Asks the rail how an attempt stands. A time-out is the status `unknown`, never `failed`. */
  sync(checkout: Checkout, attempt: Attempt, nowMs: number): Promise<RailAnswer>;
};

export type Offer = { readonly method: Method; readonly rail: Rail };

/** What can be offered on this occasion, in the order in which payers see it. */
export function offersFor(rails: readonly Rail[], occasion: Occasion): Offer[] {
  return catalogue(occasion.currency).flatMap((method) => {
    const fits = method.country === null || occasion.country === '' || method.country === occasion.country;
    const rail = fits ? rails.find((each) => each.offers(method, occasion)) : undefined;
    return rail ? [{ method, rail }] : [];
  });
}
