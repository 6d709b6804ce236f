/** CSV for spreadsheets, as RFC 4180 has it. */

export type Columns<T> = ReadonlyArray<readonly [name: string, value: (row: T) => string]>;

/** Rows of pages as they come, under the names of their columns. */
export async function* csvOf<T>(
  columns: Columns<T>,
  pages: AsyncIterable<readonly T[]>,
): AsyncGenerator<string> {
  yield csvHead(columns);
  for await (const page of pages) yield csvLines(columns, page);
}

/** Line with the names of the columns. */
export const csvHead = (columns: Columns<never>): string => line(columns.map(([name]) => name));

/** Lines of rows, under the names of their columns. */
export const csvLines = <T>(columns: Columns<T>, rows: readonly T[]): string =>
  rows.map((row) => line(columns.map(([, value]) => value(row)))).join('');

const line = (cells: readonly string[]): string => `${cells.map(cellOf).join(',')}\r\n`;

/**
 * A cell that begins as a formula does would be run by spreadsheets (OWASP, on CSV injection): an apostrophe makes it
 * text.
 */
function cellOf(value: string): string {
  const text = /^[=+\-@\t\r\n＝＋－＠]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
