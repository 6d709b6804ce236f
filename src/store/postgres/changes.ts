import type { Checkout } from '../../checkout/session.ts';
import type { Writes } from '../store.ts';

/** Sessions of a batch: each as it was before the first change, and as it is after the last. */
export type Changes = ReadonlyMap<string, { readonly before: Checkout | null; readonly after: Checkout }>;

export function changesOf(all: readonly Writes[]): Changes {
  const changes = new Map<string, { before: Checkout | null; after: Checkout }>();
  for (const { checkout } of all) {
    if (!checkout) continue;
    const { before, after } = checkout;
    const earlier = changes.get(after.id);
    changes.set(after.id, { before: earlier ? earlier.before : before, after });
  }
  return changes;
}
