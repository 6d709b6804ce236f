/** Places on a command line, and the words that can come next at each: what all shells complete from. */
import type { Command } from '../declare/command.ts';
import { optionName, type Parameter } from '../declare/parameter.ts';

export type Word = { readonly word: string; readonly meaning: string };

export type Option = Word & {
  readonly takesValue: boolean;
  readonly choices: readonly string[];
  readonly isFile: boolean;
};

/** Behind the words of a group or a command; the group of everything has the name "". */
export type Place = {
  readonly name: string;
  /** Next words of a group, or choices of an argument. */
  readonly words: readonly Word[];
  readonly takesFile: boolean;
  readonly options: readonly Option[];
};

export type Commands = ReadonlyArray<readonly [name: string, command: Command]>;

export function placesOf(commands: Commands): readonly Place[] {
  const groups = new Map<string, Map<string, string>>([['', new Map()]]);
  for (const [name, { purpose }] of commands) {
    const words = name.split(' ');
    for (const [index, word] of words.entries()) {
      const group = words.slice(0, index).join(' ');
      const isCommand = index === words.length - 1;
      const children = groups.get(group) ?? new Map<string, string>();
      groups.set(group, children);
      if (isCommand || !children.has(word)) children.set(word, isCommand ? plain(purpose) : `${word} …`);
    }
  }
  const help: Option = { ...optionOf('help', null, 'Show help.') };
  return [
    ...[...groups].map(([name, children]) => ({
      name,
      words: [...children].map(([word, meaning]) => ({ word, meaning })),
      takesFile: false,
      options: name === '' ? [help, optionOf('version', null, 'Show the version.')] : [help],
    })),
    ...commands.map(([name, command]) => placeOf(name, command, help)),
  ];
}

function placeOf(name: string, command: Command, help: Option): Place {
  const args = Object.values(command.arguments);
  return {
    name,
    words: args.flatMap(({ value, meaning }) =>
      (value?.choices ?? []).map((word) => ({ word, meaning: plain(meaning) })),
    ),
    takesFile: args.some(({ value }) => value?.isFile),
    options: [
      ...Object.entries(command.options).map(([key, { value, meaning }]) => optionOf(key, value, meaning)),
      ...(command.json ? [optionOf('json', null, 'Print JSON.')] : []),
      help,
    ],
  };
}

function optionOf(key: string, value: Parameter['value'], meaning: string): Option {
  return {
    word: optionName(key),
    meaning: plain(meaning),
    takesValue: value !== null,
    choices: value?.choices ?? [],
    isFile: value?.isFile ?? false,
  };
}

/** Quotes a text as one word for a shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function plain(text: string): string {
  return text.replaceAll('`', '');
}
