/** The table of commands: what help, the reference, completion and the parser make of each command in it. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { suite, test } from 'node:test';
import { cliReference } from '../../scripts/reference/cli.ts';
import { formatted } from '../../scripts/reference/markdown.ts';
import type { Command } from '../../src/cli/declare/command.ts';
import { argumentName, optionName } from '../../src/cli/declare/parameter.ts';
import { helpOfCommand, helpOfSections } from '../../src/cli/help.ts';
import { findTarget, readWords } from '../../src/cli/parse.ts';
import { commandNames, loadCommand, loadSections } from '../../src/cli/table.ts';

const root = join(import.meta.dirname, '../..');
const sections = await loadSections();
const commands = sections.flatMap((section) => section.commands);
/** A key, so that commands which need one lack nothing else. */
const env = { OPENTILL_API_KEY: 'ak_test_1:sk_test_1' };

/** The words of an example, as a shell sees them. */
function wordsOf(line: string): string[] {
  return (line.match(/(?:'[^']*'|[^\s'])+/g) ?? []).map((word) => word.replaceAll("'", ''));
}

function problemsOf(command: Command, words: readonly string[], settings: NodeJS.ProcessEnv = env) {
  return command.read(readWords(command, words), settings).problems;
}

async function commandOf(name: string): Promise<Command> {
  const command = await loadCommand(name);
  assert.ok(command, name);
  return command;
}

suite('the table of commands', () => {
  test('has a file for each command, and a command for each file', () => {
    const folder = join(root, 'src/cli/commands');
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
    const expected = commandNames.map((name) => `${name.replaceAll(' ', '/')}.ts`);
    assert.deepEqual(files.sort(), expected.sort());
  });

  test('has no command that is a group as well', () => {
    const both = commandNames.filter((name) => commandNames.some((each) => each.startsWith(`${name} `)));
    assert.deepEqual(both, []);
  });

  for (const [name, command] of commands) {
    test(`${name} has parameters that are told apart, and only its last argument is open`, () => {
      const keys = [...Object.keys(command.arguments), ...Object.keys(command.options), 'json', 'help'];
      assert.deepEqual([...new Set(keys)], keys);
      const args = Object.values(command.arguments);
      for (const each of args.slice(0, -1)) assert.ok(each.isRequired && !each.isRepeated);
      for (const each of args) assert.deepEqual([each.defaultText, each.variables], [null, []]);
    });

    test(`${name} has examples that parse, each in another way`, () => {
      for (const [line, meaning] of command.examples) {
        const [program, ...words] = wordsOf(line);
        assert.equal(program, 'opentill');
        const target = findTarget(words, commandNames);
        assert.ok(target.kind === 'command' && target.name === name, line);
        assert.equal(problemsOf(command, target.args), null, line);
        assert.match(meaning, /^\S.*[^.]$/);
      }
      const lines = command.examples.map(([line]) => line);
      assert.deepEqual([...new Set(lines)], lines);
    });

    test(`${name} is told in help, of 80 columns at most, and in the reference`, () => {
      const help = helpOfCommand(name, command);
      const reference = entryIn(readFileSync(join(root, 'docs/reference/cli.md'), 'utf8'), name);
      for (const line of help.split('\n')) assert.ok(line.length <= 80, line);
      assert.ok(reference.includes(command.purpose) && flat(help).includes(flat(command.purpose)));
      const own = Object.entries(command.options).filter(([key]) => !['url', 'key'].includes(key));
      for (const key of Object.keys(command.arguments)) {
        assert.ok(help.includes(`  ${argumentName(key)} `), key);
        assert.ok(reference.includes(`| \`${argumentName(key)}\``), key);
      }
      for (const key of Object.keys(command.options)) assert.ok(help.includes(`\n  ${optionName(key)}`), key);
      for (const [key] of own) assert.ok(reference.includes(`| \`${optionName(key)}`), key);
      for (const variable of command.variables) assert.ok(help.includes(`\n  ${variable} `), variable);
      for (const permission of command.permissions) {
        assert.match(flat(help), new RegExp(`needs the permissions? .*\\b${permission}\\b`));
        assert.ok(reference.includes(`\`${permission}\``), permission);
      }
      for (const [line] of command.examples) {
        assert.ok(help.replaceAll(/ \\\n +/g, ' ').includes(`\n  ${line}`), line);
        assert.ok(reference.includes(`\n${line}\n`), line);
      }
      assert.equal(help.includes('\n  --json '), command.json !== null);
    });
  }

  test('is what the reference was generated from', async () => {
    const written = readFileSync(join(root, 'docs/reference/cli.md'), 'utf8');
    assert.equal(formatted(await cliReference()), written, 'npm run generate writes it anew');
  });

  test('is shown as a whole, and a group by itself', async () => {
    const all = helpOfSections('', sections);
    for (const name of commandNames) assert.match(all, new RegExp(`^ {2}${name}( |$)`, 'm'));
    for (const line of all.split('\n')) assert.ok(line.length <= 80, line);
    const group = helpOfSections('bank account', await loadSections('bank account '));
    assert.deepEqual(group.match(/^ {2}bank account \w+/gm), [
      '  bank account list',
      '  bank account set',
      '  bank account remove',
    ]);
    assert.doesNotMatch(group, /bank inbox/);
  });
});

suite('a command line', () => {
  const rows: ReadonlyArray<[line: string, target: object]> = [
    ['', { kind: 'help', name: '' }],
    ['help', { kind: 'help', name: '' }],
    ['-h', { kind: 'help', name: '' }],
    ['keys', { kind: 'help', name: 'keys' }],
    ['keys --help', { kind: 'help', name: 'keys' }],
    ['help keys create', { kind: 'help', name: 'keys create' }],
    ['bank account', { kind: 'help', name: 'bank account' }],
    ['--version', { kind: 'version' }],
    ['keys create --live', { kind: 'command', name: 'keys create', args: ['--live'] }],
    ['bank account set eur', { kind: 'command', name: 'bank account set', args: ['eur'] }],
  ];
  for (const [line, expected] of rows) {
    test(`"${line}" is found in the table`, () => {
      assert.deepEqual(findTarget(line === '' ? [] : line.split(' '), commandNames), expected);
    });
  }

  const wrong: ReadonlyArray<[line: string, mistake: RegExp]> = [
    ['kyes list', /^there is no command "kyes"; did you mean "keys"\?$/],
    ['keys craete', /^there is no command "keys craete"; did you mean "keys create"\?$/],
    ['refund', /^there is no command "refund"; did you mean "refunds"\?$/],
    ['bank accounts', /did you mean "bank account"\?$/],
    ['toString', /^there is no command "toString"$/],
    ['keys constructor', /^there is no command "keys constructor"$/],
    ['help nothing', /^there is no command "nothing"$/],
    ['--live keys create', /^--live comes before the command; write opentill <command>/],
    ['webhooks --key=ak_test_1:sk_test_1 list', /^--key comes before the command; write opentill webhooks </],
  ];
  for (const [line, mistake] of wrong) {
    test(`"${line}" is a mistake, and the nearest command is named`, () => {
      const target = findTarget(line.split(' '), commandNames);
      assert.ok(target.kind === 'mistake');
      assert.match(target.mistake, mistake);
    });
  }

  test('is told all of its mistakes at once, each by the name of what is wrong', async () => {
    const create = await commandOf('keys create');
    assert.deepEqual(
      problemsOf(create, ['--nmae', 'Till', '--live=yes', '--account', '0', 'now', '--permissions', 'admin']),
      [
        'there is no option --nmae; did you mean --name?',
        '--live takes no value',
        'unexpected argument "now"',
        '--account takes the number of an account, such as 1, not "0"',
        '--permissions takes permissions, separated by commas: read, write, refund, webhooks, bank, manage, accounts, not "admin"',
      ],
    );
    const ignore = await commandOf('bank ignore');
    assert.deepEqual(problemsOf(ignore, [], {}), [
      '<entry> is missing: id of the bank entry, ntc_…',
      '--reason <text> is missing: reason, such as Interest',
      '--key <ak_…:sk_…> is missing: an API key and its secret; OPENTILL_API_KEY can give it too',
    ]);
  });

  test('does not repeat what may be a secret', async () => {
    const list = await commandOf('webhooks list');
    const secret = 'ak_test_1:sk_test_hush';
    for (const words of [['--kye', secret], [`--kye=${secret}`], ['--key', `${secret}!`]])
      assert.doesNotMatch(problemsOf(list, words)?.join('\n') ?? '', /hush/);
    assert.deepEqual(problemsOf(list, [], { BOOTSTRAP_API_KEY: 'sk_test_hush' }), [
      'BOOTSTRAP_API_KEY must be a key and its secret, ak_…:sk_…',
    ]);
  });

  test('gives an option one value, and one that begins with - only after =', async () => {
    const create = await commandOf('keys create');
    assert.deepEqual(problemsOf(create, ['--name', 'a', '--name', 'b']), ['--name is given twice']);
    assert.deepEqual(problemsOf(create, ['--name']), ['--name needs a value, <text>']);
    assert.deepEqual(problemsOf(create, ['--name', '--live']), [
      '--name needs a value; write --name=… if it begins with -',
    ]);
    assert.equal(problemsOf(create, ['--name=--live']), null);
    const configure = await commandOf('accounts configure');
    assert.equal(problemsOf(configure, ['--file', '-']), null);
    assert.deepEqual(problemsOf(configure, ['--file']), ['--file needs a value, <settings.json>']);
  });

  test('takes what begins with - as an argument after --', async () => {
    const create = await commandOf('accounts create');
    assert.deepEqual(readWords(create, ['--', '--Shop']).texts, { name: ['--Shop'] });
  });

  test('asks for help wherever it stands', async () => {
    const create = await commandOf('keys create');
    for (const words of [['--help'], ['x', '-h'], ['--nmae', '--help']])
      assert.equal(readWords(create, words).wantsHelp, true, words.join(' '));
    assert.equal(readWords(create, ['--', '--help']).wantsHelp, false);
  });

  test('goes by the environment where nothing was typed', async () => {
    const { options } = await commandOf('listen');
    assert.deepEqual(options.url?.read([], { PORT: '4000' }), 'http://127.0.0.1:4000');
    const list = await commandOf('webhooks list');
    assert.deepEqual(problemsOf(list, [], { ...env, OPENTILL_URL: 'ftp://x', PUBLIC_URL: 'http://x' }), [
      'OPENTILL_URL must be an http or https address without user and query, such as https://pay.example.com',
    ]);
    assert.equal(problemsOf(list, ['--url', 'http://x'], { ...env, OPENTILL_URL: 'ftp://x' }), null);
    // An empty variable counts as unset.
    assert.equal(problemsOf(list, [], { ...env, OPENTILL_URL: ' ', PUBLIC_URL: 'http://x' }), null);
  });
});

/** The part of the reference that is about one command. */
function entryIn(reference: string, name: string): string {
  const [, entry = ''] = reference.split(`\n### opentill ${name}\n`);
  return entry.split(/\n#{2,3} /)[0] ?? '';
}

function flat(text: string): string {
  return text.replaceAll('`', '').replaceAll(/\s+/g, ' ');
}
