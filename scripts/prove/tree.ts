/** The subject of a campaign: the commit that is checked out, and the machine. */
import { execFileSync } from 'node:child_process';
import { availableParallelism, totalmem } from 'node:os';

const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();

/** The commits of the history, or null where not all of them are there to look at: in a package, or a shallow clone. */
export function history(): readonly string[] | null {
  try {
    if (git('rev-parse', '--is-shallow-repository') === 'true') return null;
    return git('rev-list', 'HEAD').split('\n');
  } catch {
    return null;
  }
}

/**
 * Files that these patterns match do not count as changes: a program that writes its results would change it
 * itself.
 */
export function commitOfTree(written: string): string {
  const changed = git('status', '--porcelain', '--', '.', `:!${written}`);
  return git('rev-parse', '--short', 'HEAD') + (changed === '' ? '' : '-dirty');
}

export const machine = `Node.js ${process.versions.node}, SQLite ${process.versions.sqlite}, ${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`;
