/** Modules that a start loads: each takes time, and memory for as long as the service runs. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { cleanUp, type Ends } from '../support/clean-up.ts';
import { freshDirectory, serve } from '../support/process.ts';

const root = join(import.meta.dirname, '../..');
const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Notes what its process loads, until it ends. */
const notes = `
  import { appendFileSync, writeFileSync } from 'node:fs';
  import { registerHooks } from 'node:module';
  import { isMainThread } from 'node:worker_threads';
  const files = [];
  registerHooks({ load(url, context, next) { files.push(url); return next(url, context); } });
  const write = () => writeFileSync(process.env.LOADED, JSON.stringify({ files, builtins: process.moduleLoadList }));
  if (isMainThread) process.on('exit', write);
  // A thread may be ended at any time.
  else registerHooks({ load(url, context, next) { appendFileSync(process.env.LOADED + '.threads', url + '\\n'); return next(url, context); } });
`;

type Loaded = {
  /** Files of the project, from its root. */
  readonly ours: readonly string[];
  readonly packages: readonly string[];
  /** Parts of Node.js itself. */
  readonly builtins: readonly string[];
  /** Files of threads, from the root of the project. */
  readonly threads: readonly string[];
};

/** Starts the service on a database that has been there, uses it, and says what it has loaded in the end. */
async function loaded(t: Ends, use: (url: string) => Promise<void> = async () => {}): Promise<Loaded> {
  const directory = freshDirectory(t);
  const [hook, list] = [join(directory, 'hook.mjs'), join(directory, 'loaded.json')];
  writeFileSync(hook, notes);
  writeFileSync(`${list}.threads`, '');
  const settings = { DATABASE_URL: `sqlite:${join(directory, 'till.db')}` };
  await (await serve(t, settings)).kill('SIGTERM');
  const server = await serve(t, { ...settings, NODE_OPTIONS: `--import=${hook}`, LOADED: list });
  await use(server.url);
  assert.equal((await server.kill('SIGTERM')).code, 0);
  const { files, builtins }: { files: string[]; builtins: string[] } = JSON.parse(readFileSync(list, 'utf8'));
  const paths = files.filter((url) => url.startsWith('file:')).map((url) => fileURLToPath(url));
  const packages = paths.map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]);
  return {
    ours: paths.filter((_, at) => packages[at] === undefined).map((path) => relative(root, path)),
    packages: [...new Set(packages.filter((name) => name !== undefined))].sort(),
    builtins,
    threads: readFileSync(`${list}.threads`, 'utf8')
      .split('\n')
      .filter((url) => url.endsWith('-thread.ts'))
      .map((url) => relative(root, fileURLToPath(url))),
  };
}

test('a start loads what serves, and nothing for what may never be asked', async () => {
  await using t = cleanUp();
  const { ours, packages, builtins, threads } = await loaded(t);
  assert.ok(ours.includes('src/http/app.ts') && ours.includes('src/store/sqlite/store.ts'));
  assert.deepEqual(
    packages.filter((name) => name in dependencies),
    ['@fastify/formbody', '@fastify/proxy-addr', 'ajv', 'fastify', 'ibantools', 'ipaddr.js', 'pino', 'uqr'],
  );
  // Fastify would bring them along, and the types of schemas.
  for (const name of ['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler', 'typebox'])
    assert.ok(!packages.includes(name), name);
  const unused = /^src\/(store\/postgres|statements\/(read|camt|csv|mt940)|documents\/(pen|sheet|fonts))/;
  assert.deepEqual(
    ours.filter((file) => unused.test(file)),
    [],
  );
  // Node.js loads it with the first import of node:http.
  assert.deepEqual(
    builtins.filter((name) => name.includes('undici')),
    [],
  );
  // A thread takes 7 MB. The background work of an idle service needs none.
  assert.deepEqual(threads, []);
});
