/** The package: what `npm pack` puts into it, and that it works below node_modules, where Node.js strips no types. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { compiled } from '../../scripts/package/compile.ts';
import { productionLock } from '../../scripts/package/lock.ts';
import { takeJourney } from '../../scripts/try/journey.ts';
import { freshDirectory } from '../support/process.ts';

const root = join(import.meta.dirname, '../..');
const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Packs a copy, since other tests look at the repository meanwhile; the directory in which it is installed. */
function installed(t: TestContext): { readonly directory: string; readonly files: readonly string[] } {
  const directory = freshDirectory(t);
  const copy = join(directory, 'copy');
  const isLeftOut = /^(node_modules|\.git|data|coverage|test|bench)$/;
  for (const name of readdirSync(root).filter((each) => !isLeftOut.test(each)))
    cpSync(join(root, name), join(copy, name), { recursive: true });
  const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', directory], {
    cwd: copy,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` },
  });
  assert.deepEqual(
    ['dist', 'npm-shrinkwrap.json'].filter((name) => existsSync(join(copy, name))),
    [],
    'it leaves something behind',
  );
  const archive = join(directory, packed.trim().split('\n').at(-1) ?? '');
  const place = join(directory, 'shop/node_modules');
  mkdirSync(join(place, 'opentill'), { recursive: true });
  execFileSync('tar', ['-xzf', archive, '-C', join(place, 'opentill'), '--strip-components=1']);
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(place, name)), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), join(place, name));
  }
  const files = globSync('**', { cwd: join(place, 'opentill') });
  return { directory: join(directory, 'shop'), files };
}

/** Bytes of the files of a package, without packages below it. */
function sizeOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? sum : sum + sizeOf(path);
    return sum + statSync(path).size;
  }, 0);
}

suite('a package', () => {
  test('has what runs, and works from an empty directory to a verified webhook', async (t) => {
    const { directory, files } = installed(t);
    const place = join(directory, 'node_modules/opentill');
    assert.deepEqual(
      files.filter((file) => /\.(ts|map|test\.js)$|^(src|test|scripts|bench|node_modules)\b/.test(file)),
      [],
    );
    assert.ok(files.includes('npm-shrinkwrap.json'), 'it does not lock what it needs');

    // Every file that the code names is there, the threads too, which are only started when there is much to do.
    const missing = files
      .filter((file) => file.startsWith('dist/') && file.endsWith('.js'))
      .flatMap((file) => {
        const code = readFileSync(join(place, file), 'utf8');
        return [...code.matchAll(/'(\.{1,2}\/[^'\n]*\.(?:js|css))'/g)]
          .filter(([, path = '']) => !existsSync(join(place, dirname(file), path)))
          .map(([, path]) => `${file}: ${path}`);
      });
    assert.deepEqual(missing, []);

    const steps: string[] = [];
    const command = [process.execPath, join(place, 'bin/opentill.js')] as const;
    await takeJourney(directory, [...command], (step, result) => steps.push(step === 'stop' ? result : step));
    assert.deepEqual(steps, ['start', 'create', 'page', 'pay', 'webhook', 'receipt', 'status 0']);
  });

  test('brings packages of no more than 60 MB', () => {
    const { packages }: { packages: object } = JSON.parse(productionLock(join(root, 'package-lock.json')));
    const folders = Object.keys(packages).filter((path) => path !== '');
    assert.ok(folders.length > 50);
    const bytes = folders.reduce((sum, folder) => sum + sizeOf(join(root, folder)), 0);
    assert.ok(bytes > 20e6 && bytes <= 60e6, `${(bytes / 1e6).toFixed(1)} MB`);
  });

  test('has a list of what is inside, all of it, without the tools', () => {
    const program = join(root, 'scripts/sbom.ts');
    const { bomFormat, metadata, components } = JSON.parse(
      execFileSync(process.execPath, [program], { encoding: 'utf8' }),
    );
    assert.deepEqual([bomFormat, metadata.component.name], ['CycloneDX', 'opentill']);
    const listed = components.map(({ name, version }: Record<string, string>) => `${name}@${version}`);
    const { packages }: { packages: Record<string, { version: string }> } = JSON.parse(
      productionLock(join(root, 'package-lock.json')),
    );
    const locked = Object.entries(packages).flatMap(([path, { version }]) =>
      path === '' ? [] : [`${path.replace(/^.*node_modules\//, '')}@${version}`],
    );
    assert.deepEqual([...new Set(listed)].sort(), [...new Set(locked)].sort());
    assert.ok(locked.some((each) => each.startsWith('ajv@')));
  });

  test('has the lines of the source, so that a trace leads there', () => {
    const source = [
      "import { type A, b } from './b.ts';",
      "import type { C } from './c.ts';",
      'export const d = (c: C): A =>',
      "  b(new URL('./thread.ts', import.meta.url), import('./e.ts'), c);",
    ].join('\n');
    const lines = compiled(source, 'x.ts').split('\n');
    assert.deepEqual(
      lines.map((line) => line.replaceAll(/\s+/g, ' ').trim()),
      [
        "import { b } from './b.js';",
        '',
        'export const d = (c ) =>',
        "b(new URL('./thread.js', import.meta.url), import('./e.js'), c);",
      ],
    );
    assert.equal(lines[2]?.indexOf('=>'), source.split('\n')[2]?.indexOf('=>'));
  });

  test('is not made of code that names a file in a way that is not known', () => {
    assert.throws(
      () => compiled("const file = './thread.ts';", 'x.ts'),
      /^Error: x\.ts names '\.\/thread\.ts'/,
    );
  });

  test('locks what it needs at run time, and no tools', () => {
    const { packages } = JSON.parse(productionLock(join(root, 'package-lock.json')));
    for (const name of Object.keys(dependencies)) assert.ok(`node_modules/${name}` in packages, name);
    assert.equal('node_modules/typescript' in packages, false);
    assert.deepEqual(packages[''].dependencies, dependencies);
    assert.equal(packages[''].devDependencies, undefined);
  });
});
