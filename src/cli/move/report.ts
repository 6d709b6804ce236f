/** Report of the comparison, side by side. */
import { hash } from 'node:crypto';
import type { Comparison, Side } from './compare.ts';
import type { Source } from './source.ts';
import type { Target } from './target.ts';

/** Characters of a hash that are shown: enough to see that two are equal. */
const SHOWN_OF_HASH = 16;

export type Sum = { readonly currency: string; readonly source: string; readonly target: string };

/** Sums paid in each currency, which each database computes from its own ledger. */
export async function sumsOf(source: Source, target: Target): Promise<Sum[]> {
  const sums = 'SELECT currency, CAST(sum(amount) AS text) AS total FROM payment GROUP BY currency';
  const totals = (rows: ReadonlyArray<Readonly<Record<string, unknown>>>) =>
    new Map(rows.map(({ currency, total }) => [String(currency), String(total)]));
  const here = totals(source.all(sums));
  const there = totals(await target.read(sums, []));
  return [...new Set([...here.keys(), ...there.keys()])]
    .sort()
    .map((currency) => ({ currency, source: here.get(currency) ?? '0', target: there.get(currency) ?? '0' }));
}

export function report(comparisons: readonly Comparison[], sums: readonly Sum[]): string {
  const shown = (sha256: string) => sha256.slice(0, SHOWN_OF_HASH);
  const everything: Comparison = {
    table: 'everything',
    source: together(comparisons.map(({ source }) => source)),
    target: together(comparisons.map(({ target }) => target)),
    difference: null,
  };
  const rows = [
    ['', 'SQLite', 'PostgreSQL', 'SQLite', 'PostgreSQL'],
    ['table', 'rows', 'rows', 'SHA-256', 'SHA-256'],
    ...[...comparisons, everything].map(({ table, source, target }) => [
      table,
      String(source.rows),
      String(target.rows),
      shown(source.sha256),
      shown(target.sha256),
    ]),
    ...sums.map(({ currency, source, target }) => [`paid, ${currency}`, source, target, '', '']),
  ];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => {
          const width = widths[column] ?? 0;
          return column === 1 || column === 2 ? cell.padStart(width) : cell.padEnd(width);
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function together(sides: readonly Side[]): Side {
  return {
    rows: sides.reduce((sum, { rows }) => sum + rows, 0),
    sha256: hash('sha256', sides.map(({ sha256 }) => sha256).join()),
  };
}
