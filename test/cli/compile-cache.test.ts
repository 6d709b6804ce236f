/** Compiled code that is kept between starts: it is run as it is, so only a place of the user's own will do. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { cleanUp } from '../support/clean-up.ts';
import { executable, freshDirectory, run, serve } from '../support/process.ts';

/** Starts the program; the settings of the machine that runs the tests do not reach it. */
function start(env: Readonly<Record<string, string>>): { readonly log: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [executable, '--version'], {
    env: { NODE_DEBUG_NATIVE: 'COMPILE_CACHE', ...env },
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
  return { log: stderr };
}

const isUsed = (log: string) => /code cache for \S+ \S+\/cli\/main\.ts was accepted/.test(log);
const filesIn = (folder: string) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    : [];

suite('compiled code', () => {
  test('is kept in the cache of the user for the next start', (t) => {
    const home = freshDirectory(t);
    assert.ok(!isUsed(start({ HOME: home }).log));
    assert.equal(statSync(join(home, '.cache/opentill')).mode & 0o777, 0o700);
    assert.ok(isUsed(start({ HOME: home }).log));
  });

  test('is kept where the user has the cache', (t) => {
    const home = freshDirectory(t);
    start({ HOME: home, XDG_CACHE_HOME: join(home, 'elsewhere') });
    assert.ok(filesIn(join(home, 'elsewhere/opentill')).length > 0);
    assert.ok(!existsSync(join(home, '.cache')));
  });

  test('is where the settings of Node.js say, or nowhere', (t) => {
    const home = freshDirectory(t);
    start({ HOME: home, NODE_COMPILE_CACHE: join(home, 'chosen') });
    assert.ok(filesIn(join(home, 'chosen')).length > 0);
    start({ HOME: home, NODE_DISABLE_COMPILE_CACHE: '1' });
    assert.ok(!existsSync(join(home, '.cache')));
  });

  test('of the service is taken by commands', async () => {
    await using t = cleanUp();
    const home = freshDirectory(t);
    const settings = {
      DATABASE_URL: `sqlite:${join(home, 'till.db')}`,
      NODE_COMPILE_CACHE: join(home, 'cache'),
    };
    await (await serve(t, settings)).kill('SIGTERM');
    const { ended, output } = run(t, ['keys', 'list'], { ...settings, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' });
    assert.equal((await ended).code, 0);
    const [fate] = /code cache for \S+ \S+\/store\/sqlite\/store\.ts was \w+/.exec(output.stderr) ?? [];
    assert.match(fate ?? '', /accepted$/);
  });

  const places: Readonly<Record<string, (home: string) => void>> = {
    'a folder in which others may write': (home) => {
      mkdirSync(join(home, '.cache/opentill'), { recursive: true });
      chmodSync(join(home, '.cache/opentill'), 0o777);
    },
    'a sticky folder in which others may write': (home) => {
      mkdirSync(join(home, '.cache/opentill'), { recursive: true });
      chmodSync(join(home, '.cache/opentill'), 0o1777);
    },
    'a folder that others may replace': (home) => {
      mkdirSync(join(home, '.cache/opentill'), { recursive: true });
      chmodSync(join(home, '.cache'), 0o777);
    },
    'a link to a folder in which others may write': (home) => {
      mkdirSync(join(home, 'open'));
      chmodSync(join(home, 'open'), 0o777);
      mkdirSync(join(home, '.cache'));
      symlinkSync(join(home, 'open'), join(home, '.cache/opentill'));
    },
    'a folder below one of another user': (home) => {
      // Root alone can give a folder away; for everybody else this is the folder that others may replace.
      mkdirSync(join(home, '.cache/opentill'), { recursive: true });
      if (process.getuid?.() === 0) chownSync(join(home, '.cache'), 65_534, 65_534);
      else chmodSync(join(home, '.cache'), 0o777);
    },
  };
  for (const [name, prepare] of Object.entries(places)) {
    test(`is not kept in ${name}`, (t) => {
      const home = freshDirectory(t);
      prepare(home);
      start({ HOME: home });
      assert.deepEqual(filesIn(home), []);
    });
  }

  test('is done without where there is no place for it', (t) => {
    const home = freshDirectory(t);
    start({ HOME: executable });
    start({ HOME: home, XDG_CACHE_HOME: executable });
    start({ HOME: executable, XDG_CACHE_HOME: 'relative' });
    assert.ok(!existsSync('relative'));
    assert.deepEqual(filesIn(home), []);
  });
});
