/** The rules for pages, and that the test of their blocks would notice what is wrong with one. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { suite, test } from 'node:test';
import { version } from '../../src/version.ts';
import { blocksOf, fileNameOf, pagePaths, readPage, root } from './page.ts';
import { answersIn, showsAnswer, showsLines } from './printed.ts';
import { createReader } from './shell.ts';

const fence = '```';
const block = (info: string, code = 'true') => blocksOf(`${fence}${info}\n${code}\n${fence}\n`, 'page.md');

/**
 * The purpose of each folder, by the first words of its pages. README is a visitor's first page, and has
 * none.
 */
const kinds: ReadonlyArray<readonly [RegExp, string]> = [
  [/^docs\/start\.md$/, 'Tutorial'],
  [/^docs\/guides\//, 'How-to guide'],
  [/^docs\/explanation\//, 'Explanation'],
  [/^docs\/reference\//, 'Reference'],
];

/** The places of a page that a link may lead to, as GitHub names them. */
function anchorsOf(text: string): Set<string> {
  const headings = text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '').matchAll(/^#+ (.*)$/gm);
  const names = [...headings].map(([, heading = '']) =>
    heading.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, ''),
  );
  return new Set(names.map((name) => name.replaceAll(' ', '-')));
}

suite('a page', () => {
  for (const path of pagePaths()) {
    const page = readPage(path);

    test(`${path} says in its first words which purpose it has`, () => {
      const kind = kinds.find(([paths]) => paths.test(path))?.[1];
      if (kind === undefined) assert.equal(path, 'README.md');
      else assert.match(page.text, new RegExp(`^# [^\\n]+\\n\\n\\*\\*${kind}\\.\\*\\* `));
    });

    test(`${path} is named by the README`, () => {
      if (path !== 'README.md') assert.ok(readPage('README.md').text.includes(`(${path})`));
    });
  }
});

test('every document links to places that exist', () => {
  const inDocs = readdirSync(join(root, 'docs'), { recursive: true }).map((name) => `docs/${name}`);
  const documents = ['README.md', 'CONTRIBUTING.md', ...inDocs].filter((name) => name.endsWith('.md'));
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  const broken = documents.flatMap((path) =>
    [...read(path).matchAll(/\]\((?![a-z]+:)([^)#\s]*)#([^)\s]+)\)/g)]
      .filter(([, file = '', anchor = '']) => {
        const target = file === '' ? path : normalize(join(dirname(path), file));
        return !existsSync(join(root, target)) || !anchorsOf(read(target)).has(anchor);
      })
      .map(([link]) => `${path}: ${link}`),
  );
  assert.deepEqual(broken, []);
});

suite('the blocks of a page', () => {
  test('are known by their info string, and nothing else is', () => {
    assert.deepEqual(
      ['sh', 'sh fails', 'sh keeps-running', 'sh no-run', 'json'].map((info) => block(info)[0]?.use),
      ['run', 'fails', 'keeps-running', 'no-run', null],
    );
    for (const info of ['', 'bash', 'sh norun', 'sh no-run too', 'json no-run', 'yaml', 'shell'])
      assert.throws(() => block(info), /page\.md:1: .* is no kind of block/, info);
    assert.throws(() => blocksOf(`${fence}sh\ntrue\n`, 'page.md'), /is not closed/);
  });

  test('are found in lists too, without the indent', () => {
    const [found] = blocksOf(
      `1. Do this:\n\n   ${fence}sh\n   cat <<END\n     two\n   END\n   ${fence}\n`,
      'page.md',
    );
    assert.equal(found?.code, 'cat <<END\n  two\nEND\n');
  });

  test('with code name their file', () => {
    const named = (language: string, code: string) => fileNameOf(block(language, code)[0] ?? assert.fail());
    assert.equal(named('js', '// verify.mjs\nexport {};'), 'verify.mjs');
    assert.equal(named('python', '# verify.py\npass'), 'verify.py');
    assert.throws(() => named('js', 'export {};'), /does not name the file/);
  });
});

suite('what is shown', () => {
  const id = 'chk_01m7wxr2y10000dx93pndjm20b';
  const other = 'chk_01m81btq8g0000bhebhv1gakna';

  test('is what was printed, but for ids, times and ports', () => {
    const printed = `before\n${other}  2026-11-22T10:11:34.288Z  paid\nhttp://127.0.0.1:41234/x\n`;
    assert.ok(showsLines(`${id}  2026-01-01T00:00:00.000Z  paid\nhttp://127.0.0.1:3000/x\n`, printed));
    assert.ok(showsLines(`${id}  …  paid\n`, printed));
    assert.ok(!showsLines(`${id}  2026-01-01T00:00:00.000Z  unpaid\n`, printed));
    assert.ok(!showsLines(`${id}  2026-01-01T00:00:00.000Z\n`, printed));
    assert.ok(!showsLines('before\nhttp://127.0.0.1:3000/x\n', printed), 'a line is left out');
  });

  test('is an answer or a part of one, with all of its fields', () => {
    const printed = `{"status":"success","data":{"id":"${other}","amount":100,"log":[{"number":1,"duration_ms":7}]}}\n`;
    const shows = (value: unknown) => showsAnswer(JSON.stringify(value), printed);
    assert.ok(shows({ status: 'success', data: { id, amount: 100, log: [{ number: 1, duration_ms: 9 }] } }));
    assert.ok(shows({ number: 1, duration_ms: 12 }));
    assert.ok(!shows({ number: 2, duration_ms: 7 }));
    assert.ok(!shows({ number: 1 }));
    assert.ok(!shows({ number: 1, duration_ms: 7, more: true }));
    assert.equal(answersIn('{\n[a line of a log]\n').length, 0);
  });
});

suite('the reader’s shell', () => {
  test('keeps its variables, and notices every command that fails', async (t) => {
    const reader = await createReader({});
    t.after(reader.leave);
    assert.deepEqual(await reader.run('NAME=till\n'), { stdout: '', stderr: '', failed: [] });
    assert.equal((await reader.run('echo $NAME')).stdout, 'till\n');
    for (const code of [
      'false\ntrue\n',
      'false | cat\n',
      'X=$(grep nothing package.json)\n',
      '(exit 3)\ntrue\n',
      'npx other\n',
    ])
      assert.notDeepEqual((await reader.run(code)).failed, [], code);
    assert.deepEqual((await reader.run('true\n')).failed, []);
    assert.match((await reader.run('echo $MISSING\n')).failed.join(), /has ended/);
  });

  test('runs commands as processes of their own would', async (t) => {
    const reader = await createReader({});
    t.after(reader.leave);
    const said = async (command: string) => {
      const { stdout, stderr, failed } = await reader.run(`${command}; echo "status $?"\n`);
      return { stdout, stderr, hasFailed: failed.length > 0 };
    };
    const words = `accounts rename '' --colour 'ä  b'`;
    for (const [settings, rest] of [
      ['', words],
      [`DATABASE_URL='a  b'`, 'keys list'],
      ['', 'keys list --help'],
    ]) {
      const here = await said(`${settings} npx opentill ${rest}`);
      assert.deepEqual(here, await said(`${settings} node bin/opentill.js ${rest}`));
    }
    assert.equal((await said('echo input | npx opentill --version')).stdout, `${version}\nstatus 0\n`);
    assert.match((await said('cd docs; npx opentill --version')).stderr, /not the directory/);
  });

  test('does not give its variables to others that keep running', async (t) => {
    const reader = await createReader({});
    t.after(reader.leave);
    await reader.run('NAME=till\n');
    await assert.rejects(
      reader.keep('echo $NAME\nsleep 60\n', () => false),
      /NAME: unbound/,
    );
    const kept = await reader.keep('echo ready\nsleep 60\n', (output) => output !== '');
    assert.equal(kept.output(), 'ready\n');
  });
});
