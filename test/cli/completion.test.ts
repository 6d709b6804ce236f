/** Completion scripts: bash runs its own; of all three, every command and option has to be in them. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { fishCompletion } from '../../src/cli/completion/fish.ts';
import { zshCompletion } from '../../src/cli/completion/zsh.ts';
import { plainCommand } from '../../src/cli/declare/access.ts';
import { objectOf } from '../../src/cli/declare/json.ts';
import { flag, optional, optionName, required } from '../../src/cli/declare/parameter.ts';
import { choice, file, text } from '../../src/cli/declare/values.ts';
import { loadSections } from '../../src/cli/table.ts';
import { freshDirectory, runToEnd } from '../support/process.ts';

const commands = (await loadSections()).flatMap((section) => section.commands);

async function scriptFor(t: TestContext, shell: string): Promise<string> {
  const { code, stdout, stderr } = await runToEnd(t, ['completion', shell], {});
  assert.deepEqual([code, stderr], [0, '']);
  return stdout;
}

/** Bash's completions of the last word of each command line, by one shell, which has the script loaded. */
function completionsOf(t: TestContext, script: string, lines: ReadonlyArray<readonly string[]>): string[][] {
  const directory = freshDirectory(t);
  writeFileSync(join(directory, 'completion.bash'), script);
  writeFileSync(join(directory, 'books.csv'), '');
  const code = `
    source ./completion.bash
    while (( $# )); do
      COMP_WORDS=(opentill "\${@:2:$1}"); COMP_CWORD=$1; shift $(( $1 + 1 )); COMPREPLY=()
      _opentill
      printf '%s\\n' "\${COMPREPLY[@]}"; printf '\\0'
    done`;
  const counted = lines.flatMap((words) => [String(words.length), ...words]);
  const output = execFileSync('bash', ['-c', code, 'bash', ...counted], { encoding: 'utf8', cwd: directory });
  return output
    .split('\0')
    .slice(0, -1)
    .map((all) => all.split('\n').filter((word) => word !== ''));
}

suite('opentill completion', () => {
  test('in bash proposes commands, options and their values at every place', async (t) => {
    const script = await scriptFor(t, 'bash');
    const examples: ReadonlyArray<readonly [words: readonly string[], proposed: readonly string[]]> = [
      [['acc'], ['accounts']],
      [
        ['accounts', 're'],
        ['rename', 'remove-logo'],
      ],
      [
        ['bank', 'account', ''],
        ['list', 'set', 'remove', '--help'],
      ],
      [['trigger', 'refund.s'], ['refund.succeeded']],
      [['keys', 'create', '--li'], ['--live']],
      [['keys', 'create', '--permissions', 'we'], ['webhooks']],
      [['keys', 'create', '--name', ''], []],
      [['keys', 'create', '--name', 'revoke', '--ac'], ['--account']],
      [['bank', 'import', 'bo'], ['books.csv']],
      [['accounts', 'configure', '--file', 'bo'], ['books.csv']],
      [['nothing', 'x'], []],
    ];
    const proposed = completionsOf(
      t,
      script,
      examples.map(([words]) => words),
    );
    assert.deepEqual(
      proposed,
      examples.map(([, expected]) => expected),
    );
    const wanted = commands.flatMap(([name, command]) => {
      const words = name.split(' ');
      const options = Object.keys(command.options).map(optionName);
      return [
        ...words.map((word, index) => [words.slice(0, index + 1), [word]] as const),
        [
          [...words, '--'],
          [...options, '--help', ...(command.json ? ['--json'] : [])],
        ] as const,
      ];
    });
    const found = completionsOf(
      t,
      script,
      wanted.map(([words]) => words),
    );
    assert.equal(found.length, wanted.length);
    for (const [index, [words, expected]] of wanted.entries())
      for (const word of expected) assert.ok(found[index]?.includes(word), `${words.join(' ')}: ${word}`);
  });

  for (const [shell, hasOption] of [
    ['zsh', (script, name, option) => lineOf(script, `(' ${name}')`, 'choices=').includes(`'${option}:`)],
    [
      'fish',
      (script, name, option) => script.includes(`'__opentill_at \\'${name}\\'' -l ${option.slice(2)} `),
    ],
  ] as const satisfies ReadonlyArray<
    readonly [string, (script: string, name: string, option: string) => boolean]
  >) {
    test(`in ${shell} knows every command and option, with its meaning`, async (t) => {
      const script = await scriptFor(t, shell);
      for (const [name, command] of commands) {
        const plain = command.purpose.replaceAll('`', '').replaceAll("'", '');
        assert.ok(script.replaceAll(/\\?'/g, '').includes(plain), name);
        const options = [...Object.keys(command.options), ...(command.json ? ['json'] : []), 'help'];
        for (const key of options)
          assert.ok(hasOption(script, name, optionName(key)), `${name} ${optionName(key)}`);
      }
    });
  }
});

/** A table of few commands, with a parameter of each kind. The scripts of other shells are not run here. */
suite('the script of a small table of commands', () => {
  const rest = { examples: [['opentill', 'Nothing']], run: async () => {} } as const;
  const labels = plainCommand({
    purpose: "Print a label for each of `parcels.csv`, in the shop's colours.",
    arguments: { list: required(file('parcels.csv'), 'The parcels.') },
    options: {
      paperSize: required(choice('size', 'small', 'large'), 'Small: for letters.'),
      logo: optional(file('image'), 'A picture.'),
      title: optional(text('text'), 'A title.'),
      dry: flag('Print nothing.'),
    },
    json: objectOf({ labels: 'How many were printed.' }),
    ...rest,
  });
  const list = plainCommand({ purpose: 'List parcels.', ...rest });
  const commands = [
    ['labels', labels],
    ['parcels list', list],
    ['parcels lost list', list],
  ] as const;
  for (const [shell, completion] of [
    ['zsh', zshCompletion],
    ['fish', fishCompletion],
  ] as const) {
    test(`is as it was found good in ${shell}`, (t) => {
      const path = join(import.meta.dirname, `completion-${shell}.txt`);
      t.assert.fileSnapshot(`${completion(commands)}\n`, path, { serializers: [(script) => script] });
    });
  }
});

/** The line with all of these texts. */
function lineOf(script: string, ...texts: string[]): string {
  return script.split('\n').find((line) => texts.every((text) => line.includes(text))) ?? '';
}
