/** Every filter of a list by itself and with each other one, and all together: what indexes are held to. */

import type { PageRequest } from '../../src/store/page.ts';
import type { Sql } from '../../src/store/sql.ts';
import type { Steps } from '../../src/store/steps.ts';

/** All sets of filters to try: none, each by itself, each with each other one, and all of them. */
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

/**
 * The statements of a list of sessions, where `few` of its conditions, by its place, has few rows; null: all have many, none
 * of them where they are looked for first.
 */
export function statementsOf(list: Steps<unknown>, few: number | null): Sql[] {
  const statements: Sql[] = [];
  const counts = Object.fromEntries(Array.from({ length: 20 }, (_, place) => [`lead${place}`, 1e9]));
  if (few !== null) counts[`lead${few}`] = 1;
  for (
    let step = list.next();
    !step.done;
    step = list.next([{ ...(statements.length === 1 && counts), id: 'chk_4' }])
  ) {
    statements.push(step.value);
  }
  return statements;
}
