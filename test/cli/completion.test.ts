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

/** Bash's completions of the last word, with the script loaded. */
function completionsOf(t: TestContext, script: string, ...words: string[]): string[] {
  const directory = freshDirectory(t);
  writeFileSync(join(directory, 'completion.bash'), script);
  writeFileSync(join(directory, 'books.csv'), '');
  const code = `source ./completion.bash; COMP_WORDS=(opentill "$@"); COMP_CWORD=$#; _opentill; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const output = execFileSync('bash', ['-c', code, 'bash', ...words], { encoding: 'utf8', cwd: directory });
  return output.split('\n').filter((word) => word !== '');
}

suite('opentill completion', () => {
  test('in bash proposes commands, options and their values at every place', async (t) => {
    const script = await scriptFor(t, 'bash');
    const propose = (...words: string[]) => completionsOf(t, script, ...words);
    assert.deepEqual(propose('acc'), ['accounts']);
    assert.deepEqual(propose('accounts', 're'), ['rename']);
    assert.deepEqual(propose('bank', 'account', ''), ['list', 'set', 'remove', '--help']);
    assert.deepEqual(propose('trigger', 'refund.s'), ['refund.succeeded']);
    assert.deepEqual(propose('keys', 'create', '--li'), ['--live']);
    assert.deepEqual(propose('keys', 'create', '--permissions', 'we'), ['webhooks']);
    assert.deepEqual(propose('keys', 'create', '--name', ''), []);
    assert.deepEqual(propose('keys', 'create', '--name', 'revoke', '--ac'), ['--account']);
    assert.deepEqual(propose('bank', 'import', 'bo'), ['books.csv']);
    assert.deepEqual(propose('accounts', 'configure', '1', '--file', 'bo'), ['books.csv']);
    assert.deepEqual(propose('nothing', 'x'), []);
    for (const [name, command] of commands) {
      const words = name.split(' ');
      for (const [index, word] of words.entries())
        assert.ok(propose(...words.slice(0, index), word).includes(word), name);
      const expected = Object.keys(command.options).map(optionName);
      const proposed = propose(...words, '--');
      for (const option of [...expected, '--help', ...(command.json ? ['--json'] : [])])
        assert.ok(proposed.includes(option), `${name} ${option}`);
    }
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
