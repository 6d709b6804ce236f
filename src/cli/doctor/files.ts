/** Files that hold secrets, and the folder of statements: who can read and write them. */
import { accessSync, constants, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { secretNames } from '../../config/read.ts';
import { advised, type Finding, good, wrong } from '../../lib/finding.ts';
import type { Values } from './settings.ts';

/** The folder of statements: files in it are read, and moved. */
export function examineStatements({ STATEMENT_DIR: folder = '' }: Values): readonly Finding[] {
  if (folder === '') return [];
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return [good(`Statements in ${folder} can be read, and moved.`)];
  } catch {
    return [
      wrong(
        `This user cannot both read ${folder} and write there.`,
        'Imported statements are moved: give the user of the service the folder of STATEMENT_DIR.',
      ),
    ];
  }
}

/** Secrets belong to the user of the service alone. `extra` are further files that hold some. */
export function examineFiles(env: NodeJS.ProcessEnv, extra: readonly string[]): readonly Finding[] {
  const user = process.getuid?.();
  // Windows has other rights than these.
  if (user === undefined) return [];
  const named = secretNames.flatMap((name) => env[`${name}_FILE`]?.trim() || []);
  const mounts = mountsOf(mountTable());
  const found = [...named, ...extra].flatMap((file) => {
    const rights = rightsOf(file);
    return rights === null
      ? []
      : [secretFinding(file, { ...rights, isMounted: isMounted(file, mounts) }, user)];
  });
  const root = advised(
    'This command runs as root, who may read and write everything.',
    'Run the service as a user of its own, and this command as the same user.',
  );
  return user === 0 ? [...found, root] : found;
}

type Rights = { readonly mode: number; readonly owner: number };

/** The finding on a file with secrets, for the user with this number. */
export function secretFinding(
  file: string,
  { mode, owner, isMounted }: Rights & { readonly isMounted: boolean },
  user: number,
): Finding {
  const isGiven = user !== 0 && owner !== user;
  // Closed to all but its owner, a file of somebody else could not be read by the service any more.
  const close = `${isGiven ? `As root: chown ${user} ${file} && ` : ''}chmod 600 ${file}`;
  const [others, group] = [mode & 0o007, mode & 0o070];
  // A container gets its secrets as files that everybody in it may read: there is nobody else in it.
  if (isMounted && (mode & 0o022) === 0 && others !== 0)
    return good(`${file} is mounted, and can only be read.`);
  if (others !== 0)
    return wrong(`Every user of this machine can read or write ${file}, which holds secrets.`, close);
  // The group is how the service reads a file of another user.
  if (group !== 0 && !(isGiven && (group & 0o020) === 0))
    return advised(`The group of ${file} can read or write it, and it holds secrets.`, close);
  return good(`Only its owner${group === 0 ? '' : ' and its group'} can read ${file}.`);
}

/**
 * The owner of a file, and its mode without the rights of those who cannot get to it, because a directory above is closed
 * to them. Null for what is no file, or cannot be looked at, which the settings or the database tell.
 */
function rightsOf(file: string): Rights | null {
  try {
    const path = realpathSync(file);
    const found = statSync(path);
    if (!found.isFile()) return null;
    let { mode } = found;
    for (let below = path, above = dirname(path); above !== below; below = above, above = dirname(above)) {
      const directory = statSync(above).mode;
      if ((directory & 0o001) === 0) mode &= ~0o007;
      if ((directory & 0o011) === 0) mode &= ~0o070;
    }
    return { mode, owner: found.uid };
  } catch {
    return null;
  }
}

type Mount = { readonly point: string; readonly isReadOnly: boolean };

/** The mounts that Linux lists (proc(5), /proc/pid/mountinfo); there spaces of a path are written in octal digits. */
export function mountsOf(table: string): readonly Mount[] {
  return table.split('\n').flatMap((line) => {
    const [, , , , point = '', options = ''] = line.split(' ');
    const path = point.replace(/\\([0-7]{3})/g, (_, digits) =>
      String.fromCharCode(Number.parseInt(digits, 8)),
    );
    return path === '' ? [] : [{ point: path, isReadOnly: options.split(',').includes('ro') }];
  });
}

/** True for a file that is mounted by itself (Docker, Podman), or in a directory of such that are (Kubernetes). */
export function isMounted(file: string, mounts: readonly Mount[]): boolean {
  const path = resolve(file);
  return mounts.some(
    ({ point, isReadOnly }) => point === path || (isReadOnly && point !== '/' && point === dirname(path)),
  );
}

function mountTable(): string {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    // Other systems have none.
    return '';
  }
}
