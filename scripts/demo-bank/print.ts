/** Output of the demo with a bank, beyond that of all demos. */
import { stripVTControlCharacters, styleText } from 'node:util';
import { decimalAmount } from '../../src/checkout/money.ts';
import { line } from '../../src/cli/demo/print.ts';

export type Cell = string | number;

/** Numbers are amounts in cents, and stand to the right. */
export function table(header: readonly string[], rows: ReadonlyArray<readonly Cell[]>): void {
  const texts = rows.map((row) =>
    row.map((cell) => (typeof cell === 'number' ? euro(cell) : (cell as string))),
  );
  const widths = header.map((name, column) =>
    Math.max(name.length, ...texts.map((row) => stripVTControlCharacters(row[column] ?? '').length)),
  );
  const isAmount = (column: number) => rows.some((row) => typeof row[column] === 'number');
  const padded = (row: readonly string[]) =>
    row
      .map((text, column) => {
        const width = widths[column] ?? 0;
        return isAmount(column) ? text.padStart(width) : text.padEnd(width);
      })
      .join('  ')
      .trimEnd();
  line(styleText('dim', padded(header)));
  for (const row of texts) line(padded(row));
}

/** Prints a fact that was verified; a failed check ends the process elsewhere. */
export function checked(text: string): void {
  line(`${styleText('green', '✓')} ${text}`);
}

export function euro(cents: number): string {
  return `${cents < 0 ? '-' : ''}${decimalAmount(Math.abs(cents), 'EUR')}`;
}
