/** Which of the deliveries that are due may go out: of one session one at a time, and of one address a bounded number. */

/** Deliveries to one address that a process has under way: a receiver that hangs leaves room for the others. */
const MAX_PER_ADDRESS = 32;

export type AddressesInUse = Map<string, number>;

/** How many deliveries are under way to each address. */
export function addressesInUse(underWay: Iterable<{ readonly url: string }>): AddressesInUse {
  const counts: AddressesInUse = new Map();
  for (const { url } of underWay) counts.set(url, (counts.get(url) ?? 0) + 1);
  return counts;
}

/** The addresses that take no more. */
export function fullAddresses(inUse: AddressesInUse): string[] {
  return [...inUse].filter(([, count]) => count >= MAX_PER_ADDRESS).map(([url]) => url);
}

/** Of each session that has none out the first, and of each address no more than there is room for. */
export function choose<T extends { readonly checkout: string; readonly url: string }>(
  candidates: readonly T[],
  busySessions: Iterable<string>,
  inUse: AddressesInUse,
): T[] {
  const busy = new Set(busySessions);
  const counts = new Map(inUse);
  return candidates.filter(({ checkout, url }) => {
    const count = counts.get(url) ?? 0;
    if (busy.has(checkout) || count >= MAX_PER_ADDRESS) return false;
    busy.add(checkout);
    counts.set(url, count + 1);
    return true;
  });
}
