/**
 * Fonts that are kept in the repository: of these families the service needs few files of many, and the packages have all
 * the others as well. Each is copied from its package, which is a tool, by `npm run generate`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const modules = join(import.meta.dirname, '../node_modules');

const PACKAGES = ['@fontsource-variable/noto-sans', '@fontsource-variable/noto-sans-arabic'];

/** The copies by their paths in the repository: files of the upright style, the ranges they are for, and the licence. */
export function fontFiles(): Readonly<Record<string, Buffer>> {
  const copies = PACKAGES.flatMap((name) => {
    const [from, id] = [join(modules, name), basename(name)];
    const upright = readdirSync(join(from, 'files')).filter((file) => file.endsWith('-wght-normal.woff2'));
    return [
      ...upright.map((file) => [`fonts/${file}`, join(from, 'files', file)] as const),
      [`fonts/${id}.json`, join(from, 'unicode.json')] as const,
      [`fonts/LICENSE-${id}`, join(from, 'LICENSE')] as const,
    ];
  });
  return Object.fromEntries(copies.map(([path, source]) => [path, readFileSync(source)]));
}
