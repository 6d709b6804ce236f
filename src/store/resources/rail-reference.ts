import { amongPairs, type Sql } from '../sql.ts';

/** Reference of a rail to an attempt, a payment or an event of its own. */
export type RailReference = { readonly rail: string; readonly reference: string };

/** Such a reference as the key of a map; names of rails have no such character. */
export function railKey({ rail, reference }: RailReference): string {
  return `${rail}\n${reference}`;
}

/** The rows of a table with one of these references, as a FROM. */
export function amongRails(table: string, references: readonly RailReference[]): Sql {
  return amongPairs(
    table,
    ['rail', 'reference'],
    references.map(({ rail, reference }) => [rail, reference]),
  );
}
