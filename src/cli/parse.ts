/** Reads a command line by the table of commands: which command it names, and what was typed for each parameter. */
import { parseArgs } from 'node:util';
import type { Command, Typed } from './declare/command.ts';
import { optionName } from './declare/parameter.ts';
import { nearest } from './nearest.ts';
import { printable } from './printable.ts';

export type Target =
  | { readonly kind: 'command'; readonly name: string; readonly args: readonly string[] }
  /** Help for a command, for a group such as `keys`, or for everything, which has the name "". */
  | { readonly kind: 'help'; readonly name: string }
  | { readonly kind: 'version' }
  | { readonly kind: 'mistake'; readonly mistake: string };

const HELP: ReadonlyArray<string | undefined> = ['--help', '-h'];
const VERSION: ReadonlyArray<string | undefined> = ['--version', '-V'];

/** The command that the first words name. */
export function findTarget(words: readonly string[], names: readonly string[]): Target {
  if (words[0] === 'help') {
    const target = findTarget(words.slice(1), names);
    return target.kind === 'command' ? { kind: 'help', name: target.name } : target;
  }
  if (VERSION.includes(words[0])) return { kind: 'version' };
  let group = '';
  for (const [index, word] of words.entries()) {
    if (HELP.includes(word)) return { kind: 'help', name: group };
    const name = group === '' ? word : `${group} ${word}`;
    if (names.includes(name)) return { kind: 'command', name, args: words.slice(index + 1) };
    if (!names.some((each) => each.startsWith(`${name} `)))
      return { kind: 'mistake', mistake: noCommand(group, word, names) };
    group = name;
  }
  return { kind: 'help', name: group };
}

function noCommand(group: string, word: string, names: readonly string[]): string {
  if (word.startsWith('-')) {
    const form = ['opentill', group, '<command>'].filter((each) => each !== '').join(' ');
    return `${printable(word.split('=')[0] ?? '')} comes before the command; write ${form} [options]`;
  }
  const typed = group === '' ? word : `${group} ${word}`;
  // Groups too: of "web hooks list" only the first word has been looked at.
  const groups = names.flatMap((name) => {
    const parts = name.split(' ');
    return parts.map((_, index) => parts.slice(0, index + 1).join(' '));
  });
  const meant = nearest(typed, [...new Set(groups)]);
  return `there is no command "${printable(typed)}"${meant === null ? '' : `; did you mean "${meant}"?`}`;
}

/** Sorts the words of a command by its parameters, and notes every mistake in their form. */
export function readWords(
  command: Command,
  args: readonly string[],
): Typed & { readonly wantsHelp: boolean } {
  const keys = new Map(Object.keys(command.options).map((key) => [optionName(key), key]));
  if (command.json) keys.set('--json', 'json');
  const isFlag = (key: string) => key === 'json' || command.options[key]?.value === null;
  const types = [...keys].map(([name, key]) => [name.slice(2), { type: isFlag(key) ? 'boolean' : 'string' }]);
  const { tokens } = parseArgs({
    args: [...args],
    options: { ...Object.fromEntries(types), help: { type: 'boolean', short: 'h' } },
    strict: false,
    tokens: true,
  });

  const texts: Record<string, string[]> = {};
  const problems: string[] = [];
  const faulty = new Set<string>();
  const words: string[] = [];
  let wantsHelp = false;
  let isAfterUnknown = false;
  for (const token of tokens) {
    if (token.kind === 'positional') {
      // The word behind an option that does not exist is most likely its value, and may be a secret.
      if (!isAfterUnknown) words.push(token.value);
      isAfterUnknown = false;
      continue;
    }
    isAfterUnknown = false;
    if (token.kind === 'option-terminator') continue;
    const { name, rawName, value, inlineValue } = token;
    const key = keys.get(`--${name}`);
    if (name === 'help') wantsHelp = true;
    else if (key === undefined) {
      const meant = nearest(rawName, [...keys.keys(), '--help']);
      problems.push(
        `there is no option ${printable(rawName)}${meant === null ? '' : `; did you mean ${meant}?`}`,
      );
      isAfterUnknown = value === undefined;
    } else {
      const problem = isFlag(key)
        ? value !== undefined && 'takes no value'
        : value === undefined
          ? `needs a value, <${command.options[key]?.value?.placeholder}>`
          : !inlineValue && /^-./.test(value)
            ? `needs a value; write ${rawName}=… if it begins with -`
            : texts[key] !== undefined && 'is given twice';
      if (problem === false) texts[key] = [value ?? ''];
      else {
        problems.push(`${rawName} ${problem}`);
        faulty.add(key);
      }
    }
  }

  for (const [key, { isRepeated }] of Object.entries(command.arguments)) {
    const given = isRepeated ? words.splice(0) : words.splice(0, 1);
    if (given.length > 0) texts[key] = given;
  }
  problems.push(...words.map((word) => `unexpected argument "${printable(word)}"`));
  return { texts, problems, faulty, wantsHelp };
}
