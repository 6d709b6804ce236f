/** The lock of a package: who installs it gets the versions that were tested, and none of the tools. */
import { readFileSync } from 'node:fs';

type Locked = Readonly<Record<string, unknown>> & { readonly dev?: boolean };
type Lock = { readonly packages: Readonly<Record<string, Locked>> };

/** The text of a `npm-shrinkwrap.json`. */
export function productionLock(file: string): string {
  const lock: Lock = JSON.parse(readFileSync(file, 'utf8'));
  const packages = Object.entries(lock.packages)
    .filter(([, { dev }]) => dev !== true)
    .map(([path, entry]) => [path, path === '' ? withoutTools(entry) : entry]);
  return `${JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }, null, 2)}\n`;
}

function withoutTools({ devDependencies: _, ...root }: Locked): Locked {
  return root;
}
