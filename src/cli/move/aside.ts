/**
 * Renames the file of a moved database and leaves a note in its place. Without the note, an operator who forgets to
 * change DATABASE_URL would start a new, empty database there that knows none of the merchants.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import { UnusableDatabase } from '../../store/errors.ts';
import { noteAt, noteOfMove } from '../../store/sqlite/note.ts';

export function pathAside(path: string): string {
  return `${existsSync(path) ? realpathSync(path) : path}.moved`;
}

/** True if the database is where a move puts it, with at most the note in its place. */
export function isAside(path: string): boolean {
  return existsSync(pathAside(path)) && (!existsSync(path) || noteAt(path) !== null);
}

/** An older file of that name may be somebody's only copy; but it can be the second name that a killed run has left. */
export function refuseTakenName(path: string): void {
  const aside = pathAside(path);
  if (!existsSync(aside)) return;
  if (existsSync(path) && statSync(aside).ino === statSync(path).ino) rmSync(aside);
  else throw new UnusableDatabase(`${aside} exists already, and a move would need that name`);
}

/**
 * Renames in one step: at every moment the path holds the database or the note. Callers ensure that the one file holds
 * the whole database, that the log is empty, and that nobody writes.
 */
export function putAside(path: string, targetName: string): void {
  const file = realpathSync(path);
  const note = writeNote(file, targetName);
  try {
    linkSync(file, pathAside(path));
  } catch {
    // Some file systems have no second names: then there is neither for a moment, in which nobody may serve.
    renameSync(file, pathAside(path));
  }
  renameSync(note, file);
  sync(dirname(file));
  for (const companion of ['-wal', '-shm']) rmSync(file + companion, { force: true });
}

/** Leaves the note after a run that was killed once it had renamed the database. */
export function leaveNote(path: string, targetName: string): void {
  renameSync(writeNote(path, targetName), path);
  sync(dirname(path));
}

/** Writes the note to the disk, under a name from which it can be renamed into place. */
function writeNote(path: string, targetName: string): string {
  const note = `${path}.note`;
  const file = openSync(note, 'w');
  try {
    writeSync(file, noteOfMove(targetName, basename(pathAside(path))));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return note;
}

/** Directory entries reach the disk only by an fsync of the directory. */
function sync(directory: string): void {
  const file = openSync(directory, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
