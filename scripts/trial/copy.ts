/** A copy of the repository in which files may be broken: the tree that people work in is never touched. */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

export const root = join(import.meta.dirname, '../..');

/** Large directories that no test reads. */
const LEFT_OUT = /^(node_modules|\.git|data|coverage)$/;

export type Copy = {
  readonly root: string;
  /** Writes another text into a file for as long as `work` takes. */
  with<T>(file: string, text: string, work: () => Promise<T>): Promise<T>;
};

/** Copies the tree; the copy is removed when this process ends, however it ends. */
export function copyOfTree(): Copy {
  const folder = mkdtempSync(join(tmpdir(), 'opentill-trial-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  cpSync(root, folder, { recursive: true, filter: (source) => !LEFT_OUT.test(relative(root, source)) });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return {
    root: folder,
    async with(file, text, work) {
      const path = join(folder, file);
      const before = readFileSync(path, 'utf8');
      writeFileSync(path, text);
      try {
        return await work();
      } finally {
        writeFileSync(path, before);
      }
    },
  };
}
