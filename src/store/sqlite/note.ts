/** The note that `db move` leaves in the place of a database: whoever finds it there is told where everything is now. */
import { readFileSync, statSync } from 'node:fs';

const BEGINNING = 'opentill: ';
/** A note is one line; a database has at least a page. */
const MAX_BYTES = 511;

export function noteOfMove(target: string, fileAside: string): string {
  return `${BEGINNING}this database was moved to ${target}; its file is now ${fileAside}\n`;
}

/** Text of the note at this path; null if there is none. */
export function noteAt(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found?.isFile() || found.size > MAX_BYTES) return null;
  const text = readFileSync(path, 'utf8');
  return text.startsWith(BEGINNING) ? text.slice(BEGINNING.length).trimEnd() : null;
}
