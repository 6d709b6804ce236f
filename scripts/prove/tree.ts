/** What was tried, and on what: the commit that is checked out, and the machine. */
import { execFileSync } from 'node:child_process';
import { availableParallelism, totalmem } from 'node:os';

/** What these patterns match is no change of the commit: a program that writes its results would change it itself. */
export function commitOfTree(written: string): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const changed = git('status', '--porcelain', '--', '.', `:!${written}`);
  return git('rev-parse', '--short', 'HEAD') + (changed === '' ? '' : '-dirty');
}

export const machine = `Node.js ${process.versions.node}, SQLite ${process.versions.sqlite}, ${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`;
