import assert from 'node:assert/strict';
import { test } from 'node:test';
import { version } from '../../src/version.ts';
import { cleanUp } from '../support/clean-up.ts';
import { runToEnd } from '../support/process.ts';

test('the command line says which version it is', async () => {
  await using t = cleanUp();
  const { code, stdout, stderr } = await runToEnd(t, ['--version'], {});
  assert.deepEqual([code, stdout, stderr], [0, `${version}\n`, '']);
});

test('a word that is no command is named in one line', async () => {
  await using t = cleanUp();
  const { code, stdout, stderr } = await runToEnd(t, ['server'], {});
  assert.deepEqual([code, stdout], [2, '']);
  assert.equal(stderr, 'opentill: there is no command "server"; did you mean "serve"? See opentill --help\n');
});

test('several mistakes are a list on standard error, and end with status 2', async () => {
  await using t = cleanUp();
  const { code, stdout, stderr } = await runToEnd(t, ['bank', 'ignore', '--reasn', 'x', '--limit=3'], {});
  assert.deepEqual([code, stdout], [2, '']);
  assert.equal(
    stderr,
    `opentill: bank ignore has 5 mistakes:
  there is no option --reasn; did you mean --reason?
  there is no option --limit
  <entry> is missing: id of the bank entry, ntc_…
  --reason <text> is missing: reason, such as Interest
  --key <ak_…:sk_…> is missing: an API key and its secret; OPENTILL_API_KEY can give it too
See opentill bank ignore --help
`,
  );
});

test('a wrong setting ends with status 2 too, and what cannot be done with status 1', async () => {
  await using t = cleanUp();
  const wrong = await runToEnd(t, ['keys', 'list'], { DATABASE_URL: 'mysql://root:secret@db/till' });
  assert.deepEqual([wrong.code, wrong.stdout], [2, '']);
  assert.match(wrong.stderr, /^opentill: DATABASE_URL must be [^\n]+\n$/);
  assert.doesNotMatch(wrong.stderr, /secret/);
  // A setting that the command does not need is none of its business.
  const settings = { DATABASE_URL: 'sqlite:/nowhere/till.db', PORT: 'http' };
  const { code, stderr } = await runToEnd(t, ['keys', 'list'], settings);
  assert.equal(code, 1);
  assert.match(stderr, /^opentill: there is no database \/nowhere\/till\.db; /);
});

test('help of a command goes to standard output, whatever else was typed', async () => {
  await using t = cleanUp();
  for (const args of [
    ['keys', 'create', '--help'],
    ['help', 'keys', 'create'],
    ['keys', 'create', '--nmae', '-h'],
  ]) {
    const { code, stdout, stderr } = await runToEnd(t, args, {});
    assert.deepEqual([code, stderr], [0, ''], args.join(' '));
    assert.match(
      stdout,
      /^Create an API key; its secret is shown once\.\n\nUsage:\n {2}opentill keys create \[options\]\n/,
    );
  }
});

test('a mistake of ours keeps its stack, for whoever is to find it', async () => {
  await using t = cleanUp();
  const broken = `data:text/javascript,${encodeURIComponent('console.log=()=>{throw new TypeError("out of ink")}')}`;
  const { code, stderr } = await runToEnd(t, ['--version'], { NODE_OPTIONS: `--import=${broken}` });
  assert.equal(code, 1);
  assert.match(stderr, /TypeError: out of ink\n +at /);
});
