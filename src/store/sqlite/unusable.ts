/** What the operator is told of a database file that SQLite cannot use. */
import { DamagedRow, UnusableDatabase } from '../errors.ts';
import { noteAt } from './note.ts';

/** Says what to do about damage. */
const ADVICE =
  'if it was whole before, it is damaged: opentill db check says where; move it away, and put a backup in its place with opentill db restore';

/** True if SQLite says that the file is malformed, or no database. */
export function isDamage(error: unknown): boolean {
  const { errcode = 0 } = error as { readonly errcode?: number };
  return [11, 26].includes(errcode & 0xff);
}

/** The error as that of a row that is not what was written; null if it is none. */
export function damagedRow(error: unknown): DamagedRow | null {
  if (error instanceof DamagedRow) return error;
  // No number that is written is too large to be read.
  if ((error as { readonly code?: unknown }).code === 'ERR_OUT_OF_RANGE')
    return new DamagedRow('SQLite: a number is not what was written');
  // Nothing of a row is parsed but JSON that was written as such.
  if (error instanceof SyntaxError) return new DamagedRow('SQLite: JSON is not what was written');
  return null;
}

/** The error of SQLite in one line, with advice if the file is damaged. */
export function inWords(error: unknown): string {
  const message = (error as Error).message.replaceAll(/\s+/g, ' ');
  return isDamage(error) ? `${message}; ${ADVICE}` : message;
}

/** The error of a file that cannot be opened. */
export function unusable(path: string, error: unknown): UnusableDatabase {
  return new UnusableDatabase(noteAt(path) ?? `cannot open the database ${path}: ${inWords(error)}`);
}
