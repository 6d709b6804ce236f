/** Every filter of a list by itself and with each other one, and all together: what indexes are held to. */

import type { PageRequest } from '../../src/store/page.ts';

/** None of these filters, each by itself, each with each other one, and all of them. */
export function combinationsOf<F extends object>(filters: F): ReadonlyArray<Partial<F>> {
  const each = Object.entries(filters).map(([name, value]): Partial<F> => ({ [name]: value }) as Partial<F>);
  const pairs = each.flatMap((one, index) => each.slice(index + 1).map((other) => ({ ...one, ...other })));
  return [{}, ...each, ...pairs, filters];
}

export const titleOf = (filters: object): string => Object.keys(filters).join(', ') || 'none';

export const pages: readonly PageRequest[] = [
  { limit: 20 },
  { limit: 20, after: 'chk_5' },
  { limit: 20, before: 'chk_5' },
];
