/** Atomic files: written whole or not at all. */
import { chmodSync, closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf, systemFieldsOf } from './error-message.ts';

/** Error for the operator, in one line: the file cannot be written. */
export class UnusableFile extends Error {
  override name = 'UnusableFile';
}

/** Only the owner may read the files: they hold secrets and personal data. */
const OWNER_ONLY = 0o600;
/** Suffixes of files that SQLite puts beside a database. */
const COMPANIONS = ['-journal', '-wal', '-shm'];

/**
 * Creates the file through `<path>.part`, which `fill` has to write and which gets its name only when all of it is on
 * the disk. A failure leaves nothing behind; a killed process may leave the part, which nobody mistakes for the whole.
 */
export async function makeFile<T>(path: string, fill: (part: string) => Promise<T>): Promise<T> {
  if (existsSync(path)) throw new UnusableFile(`${path} exists already`);
  const part = `${path}.part`;
  let claimed = false;
  const remove = () => {
    for (const suffix of ['', ...COMPANIONS]) rmSync(part + suffix, { force: true });
  };
  const interrupted = (signal: NodeJS.Signals) => {
    if (claimed) remove();
    process.exit(signal === 'SIGINT' ? 130 : 143);
  };
  // The handler comes first: no signal is heard between the creation of the part and the mark.
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    claim(part);
    claimed = true;
    const result = await fill(part);
    chmodSync(part, OWNER_ONLY);
    sync(part);
    renameSync(part, path);
    if (process.platform !== 'win32') sync(dirname(path));
    return result;
  } catch (error) {
    if (claimed) remove();
    throw inOneLine(error, path);
  } finally {
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
  }
}

/** Only one process may write a part at a time. */
function claim(part: string): void {
  try {
    closeSync(openSync(part, 'wx', OWNER_ONLY));
  } catch (error) {
    if (systemFieldsOf(error).code !== 'EEXIST') throw inOneLine(error, part);
    throw new UnusableFile(
      `${part} exists: another process is writing it, or was interrupted; if none is, remove it`,
    );
  }
}

function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** System errors are for the operator: no room, no permission, no such directory. */
export function inOneLine(error: unknown, path: string): unknown {
  const { syscall, errcode } = systemFieldsOf(error);
  // SQLite has error numbers of its own.
  if (syscall === undefined && errcode === undefined) return error;
  return new UnusableFile(`cannot write ${path}: ${messageOf(error)}`);
}
