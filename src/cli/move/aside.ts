/**
 * Puts the file of a database that was moved aside, and leaves a note in its place. Without one, whoever forgets to
 * change DATABASE_URL would start a new, empty database there, and none of the merchants would be known to it.
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

/** Whether the database is where a move puts it, with at most the note in its place. */
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
 * In one step: at every moment there is the database or the note. To be called with the whole database in the one file,
 * an empty log, and nobody who writes.
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

/** Where a run was killed after it had taken the database away. */
export function leaveNote(path: string, targetName: string): void {
  renameSync(writeNote(path, targetName), path);
  sync(dirname(path));
}

/** On the disk, and under a name from which it can be put in its place. */
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

/** What a directory holds is on the disk only when it is told to be. */
function sync(directory: string): void {
  const file = openSync(directory, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
