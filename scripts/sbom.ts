/**
 * `npm run sbom`: what the service is made of, in the form of CycloneDX. npm makes the list, of the lock without the
 * tools: with the whole lock and `--omit dev` it leaves out packages that tools need as well.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { productionLock } from './package/lock.ts';

const root = join(import.meta.dirname, '..');
const { devDependencies: _, ...production } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const temporary = mkdtempSync(join(tmpdir(), 'opentill-sbom-'));
try {
  // npm takes the name of the directory for that of the program.
  const directory = join(temporary, production.name);
  mkdirSync(directory);
  writeFileSync(join(directory, 'package.json'), JSON.stringify(production));
  writeFileSync(join(directory, 'package-lock.json'), productionLock(join(root, 'package-lock.json')));
  const options = ['--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
  process.stdout.write(execFileSync('npm', ['sbom', ...options], { cwd: directory, encoding: 'utf8' }));
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
