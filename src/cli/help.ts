/** Help as text for a terminal of 80 columns. */
import type { Command } from './declare/command.ts';
import {
  argumentRows,
  exitStatusRows,
  jsonParts,
  optionRows,
  permissionOf,
  type Row,
  usageOf,
  variableRows,
} from './describe.ts';
import type { LoadedSection } from './table.ts';

const WIDTH = 80;
/** A longer name stands on a line of its own. */
const LONGEST_NAME = 26;

/** Everything about one command. */
export function helpOfCommand(name: string, command: Command): string {
  const { purpose, details, json, examples } = command;
  const parts = [
    wrapped(purpose, 0),
    ...details.map((each) => wrapped(each, 0)),
    `Usage:\n${wrapped(usageOf(name, command), 2, 6)}`,
    ...block('Arguments', argumentRows(command)),
    ...block('Options', optionRows(command)),
    `Permission:\n${wrapped(permissionOf(command), 2)}`,
    ...block('Environment', variableRows(command)),
    ...(json ? jsonParts(json).flatMap(({ title, rows }) => block(`JSON: ${lowered(title)}`, rows)) : []),
    `Examples:\n${examples.map(([line, meaning]) => `${wrapped(`# ${meaning}`, 2)}\n${broken(line)}`).join('\n')}`,
  ];
  return parts.map(plain).join('\n\n');
}

/** All commands, or those of one group, each in a line or two. */
export function helpOfSections(group: string, sections: readonly LoadedSection[]): string {
  const one = ['opentill', group, '<command>'].filter((each) => each !== '').join(' ');
  const parts = [
    ...(group === '' ? ['opentill: checkout sessions for your shop'] : []),
    `Usage:\n  ${one} [arguments] [options]`,
    ...sections.flatMap(({ title, commands }) =>
      block(
        title,
        commands.map(([name, { purpose }]) => [name, purpose]),
      ),
    ),
    `See ${one} --help for arguments, options and examples.`,
    ...(group === ''
      ? [
          ...block('Exit status', exitStatusRows),
          'opentill --version shows the version. Settings are environment variables:\nopentill serve --help lists them.',
        ]
      : []),
  ];
  return parts.map(plain).join('\n\n');
}

/** Rows in two columns under a title; nothing where there are no rows. */
function block(title: string, rows: readonly Row[]): readonly string[] {
  if (rows.length === 0) return [];
  const width = Math.min(LONGEST_NAME, Math.max(...rows.map(([name]) => name.length)));
  const indent = width + 4;
  const lines = rows.map(([name, meaning]) => {
    const text = wrapped(meaning, indent);
    return name.length > width ? `  ${name}\n${text}` : `  ${name.padEnd(width)}  ${text.slice(indent)}`;
  });
  return [`${wrapped(title, 0)}:\n${lines.join('\n')}`];
}

/** `indent` of every line; `following` of those behind the first. */
function wrapped(text: string, indent: number, following = indent): string {
  return flowed(text.split(' '), indent, following, WIDTH).join('\n');
}

function flowed(words: readonly string[], indent: number, following: number, width: number): string[] {
  const lines: string[] = [];
  let line = ' '.repeat(indent);
  let isEmpty = true;
  for (const word of words) {
    // Backticks are not printed.
    if (!isEmpty && plain(`${line} ${word}`).length > width) {
      lines.push(line);
      line = ' '.repeat(following);
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line];
}

/** A command line that stays one when it is pasted: lines end in a backslash. */
function broken(command: string): string {
  const words = command.match(/(?:'[^']*'|\S)+/g) ?? [];
  return flowed(words, 2, 4, WIDTH - 2).join(' \\\n');
}

function lowered(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}

/** Code has no backticks on a terminal. */
function plain(text: string): string {
  return text.replaceAll('`', '');
}
