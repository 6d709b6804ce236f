/** Names the row that differs, in words without personal data. */
import { fieldsOf } from './line.ts';
import type { Table } from './tables.ts';

/** Describes the first difference of two runs of lines that begin at the same row. */
export function differenceOf(table: Table, wanted: Buffer, found: Buffer): string {
  const start = startOfDifference(wanted, found);
  const expected = lineAt(wanted, start);
  const actual = lineAt(found, start);
  if (actual === null && expected === null) throw new Error(`the lines of ${table.name} are the same`);
  if (actual === null) return `${nameOf(table, expected ?? [])} is missing`;
  if (expected === null) return `${nameOf(table, actual)} has no counterpart`;
  const order = orderOf(table, expected, actual);
  if (order < 0) return `${nameOf(table, expected)} is missing`;
  if (order > 0) return `${nameOf(table, actual)} has no counterpart`;
  const columns = table.columns.filter((_, index) => expected[index] !== actual[index]);
  return `${nameOf(table, expected)} differs in ${columns.map(({ name }) => name).join(', ')}`;
}

/** Offset of the first line that differs. */
function startOfDifference(wanted: Buffer, found: Buffer): number {
  const length = Math.min(wanted.length, found.length);
  let at = 0;
  while (at < length && wanted[at] === found[at]) at++;
  return at === 0 ? 0 : wanted.lastIndexOf('\n', at - 1) + 1;
}

function lineAt(lines: Buffer, start: number): readonly string[] | null {
  const end = lines.indexOf('\n', start);
  return end < 0 ? null : fieldsOf(lines.subarray(start, end));
}

/** Compares two rows by their key: negative if the first comes first. */
function orderOf(table: Table, a: readonly string[], b: readonly string[]): number {
  for (const name of table.key) {
    const index = table.columns.findIndex((column) => column.name === name);
    const [first = '', second = ''] = [a[index], b[index]];
    if (first === second) continue;
    const isText = table.columns[index]?.type === 'text';
    return isText || table.columns[index]?.type === 'boolean'
      ? Buffer.compare(Buffer.from(first), Buffer.from(second))
      : Number(first) - Number(second);
  }
  return 0;
}

function nameOf(table: Table, fields: readonly string[]): string {
  const named = table.named.map((name) => {
    const index = table.columns.findIndex((column) => column.name === name);
    if (name === 'live') return fields[index] === 't' ? 'live mode' : 'test mode';
    return `${name} ${fields[index]}`;
  });
  return `${table.name} (${named.join(', ')})`;
}
