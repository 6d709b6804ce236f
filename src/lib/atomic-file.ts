/** A file that is there whole or not at all. */
import { chmodSync, closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';

/** The file cannot be written, in one line for the operator. */
export class UnusableFile extends Error {
  override name = 'UnusableFile';
}

/** What is in the files are secrets and personal data. */
const OWNER_ONLY = 0o600;
/** What SQLite puts beside a file that it writes. */
const COMPANIONS = ['-journal', '-wal', '-shm'];

/**
 * Makes the file by way of `<path>.part`, which `fill` has to write: it gets its name only when all of it is on the
 * disk. Whatever goes wrong leaves nothing; a process that is killed can leave the part, which nobody takes for whole.
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
  // Before there is anything to remove; between the making of the part and the mark no signal is heard.
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

/** One at a time: two that write the same part would make something that is neither. */
function claim(part: string): void {
  try {
    closeSync(openSync(part, 'wx', OWNER_ONLY));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw inOneLine(error, part);
    throw new UnusableFile(
      `${part} exists: somebody else is writing it, or was interrupted; if nobody is, remove it`,
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

/** What the system says of a file is for the operator: no room, no permission, no such directory. */
export function inOneLine(error: unknown, path: string): unknown {
  const { syscall, errcode, message } = error as NodeJS.ErrnoException & { errcode?: number };
  // SQLite has numbers of its own.
  if (syscall === undefined && errcode === undefined) return error;
  return new UnusableFile(`cannot write ${path}: ${message}`);
}
