/** Messages for the operator about a database file that SQLite cannot use. */
import { messageLineOf, systemFieldsOf } from '../../lib/error-message.ts';
import { DamagedRow, UnusableDatabase } from '../errors.ts';
import { noteAt } from './note.ts';

/** Advice on damage. */
const ADVICE =
  'if it was intact before, it is damaged: opentill db check says where; move it away, and restore a backup with opentill db restore';

/** The words for "locking protocol", which SQLite says once it has asked for ten seconds. */
const STANDS_STILL =
  'another process that has it open stands still in the middle of its work; let that process go on, or end it';

const SQLITE_CORRUPT = 11;
const SQLITE_PROTOCOL = 15;
const SQLITE_NOTADB = 26;

const codeOf = (error: unknown) => (systemFieldsOf(error).errcode ?? 0) & 0xff;

/** True if SQLite says that what is in the file contradicts itself. */
export const isMalformed = (error: unknown): boolean => codeOf(error) === SQLITE_CORRUPT;

/** True if SQLite says that the file is malformed, or no database. */
export const isDamage = (error: unknown): boolean => isMalformed(error) || codeOf(error) === SQLITE_NOTADB;

/** The error as that of a row that is not what was written; null if it is none. */
export function damagedRow(error: unknown): DamagedRow | null {
  if (error instanceof DamagedRow) return error;
  // No number that is written is too large to be read.
  if (systemFieldsOf(error).code === 'ERR_OUT_OF_RANGE')
    return new DamagedRow('SQLite: a number is not what was written');
  // Nothing of a row is parsed but JSON that was written as such.
  if (error instanceof SyntaxError) return new DamagedRow('SQLite: JSON is not what was written');
  return null;
}

/** The error of SQLite in one line, with advice where there is some. */
export function inWords(error: unknown): string {
  return isDamage(error) ? `${messageLineOf(error)}; ${ADVICE}` : toReader(error);
}

/** The same without the advice on damage, for the commands that it names. */
export function toReader(error: unknown): string {
  return codeOf(error) === SQLITE_PROTOCOL ? STANDS_STILL : messageLineOf(error);
}

/** The error of a file that cannot be opened. */
export function unusable(path: string, error: unknown): UnusableDatabase {
  return new UnusableDatabase(noteAt(path) ?? `cannot open the database ${path}: ${inWords(error)}`);
}
