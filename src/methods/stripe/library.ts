/**
 * Stripe's own library. Loading it takes a quarter of a second and some 50 MB of memory, which a shop without keys of
 * Stripe does not have to spend: it is loaded when it is first needed.
 */
import { createRequire } from 'node:module';
import type Stripe from 'stripe';

let library: typeof Stripe | undefined;

export function stripeLibrary(): typeof Stripe {
  library ??= createRequire(import.meta.url)('stripe') as typeof Stripe;
  return library;
}
