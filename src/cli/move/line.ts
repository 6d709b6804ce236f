/** Rows as lines of text, exactly as PostgreSQL's COPY writes them, so that rows of two databases can be compared. */
import type { SQLOutputValue } from 'node:sqlite';
import type { Column } from '../../store/tables.ts';

const escapes: Readonly<Record<string, string>> = {
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
};
const special = /[\b\f\n\r\t\v\\]/;
const allSpecial = new RegExp(special, 'g');

/** Returns a function that writes rows of these columns, given as arrays; each line ends with a line break. */
export function lineWriter(columns: readonly Column[]): (row: readonly SQLOutputValue[]) => string {
  const isBoolean = columns.map(({ type }) => type === 'boolean');
  const last = columns.length - 1;
  return (row) => {
    let line = '';
    for (let index = 0; index <= last; index++) {
      line += fieldOf(row[index], isBoolean[index] === true) + (index === last ? '\n' : '\t');
    }
    return line;
  };
}

function fieldOf(value: SQLOutputValue | undefined, isBoolean: boolean): string {
  if (value === null) return '\\N';
  if (isBoolean) return value === 1 ? 't' : 'f';
  if (typeof value !== 'string') return String(value);
  // Few texts have such a character, and testing for one is faster than replacing none.
  return special.test(value) ? value.replace(allSpecial, (found) => escapes[found] as string) : value;
}

/** Fields of a line, still escaped. */
export function fieldsOf(line: Buffer): readonly string[] {
  return line.toString().split('\t');
}
