/** Facts about a command in words, for help and for the reference page. Code is in backticks. */
import type { Command } from './declare/command.ts';
import type { Json } from './declare/json.ts';
import { argumentName, optionName, type Parameter } from './declare/parameter.ts';
import { exitStatus } from './failure.ts';
import { meaningOfVariable } from './variables.ts';

/** Beyond that, the meaning has to say where they are listed. */
const MOST_CHOICES = 20;

export type Row = readonly [name: string, meaning: string];

/** `opentill bank assign <entry> <part>… [options]`. */
export function usageOf(name: string, command: Command): string {
  const args = Object.entries(command.arguments).map(([key, { isRequired, isRepeated }]) => {
    const word = `${argumentName(key)}${isRepeated ? '…' : ''}`;
    return isRequired ? word : `[${word}]`;
  });
  const needed = Object.entries(command.options)
    // An API key is more often in the environment.
    .filter(([, { isRequired, variables }]) => isRequired && variables.length === 0)
    .map(([key, { value }]) => `${optionName(key)} <${value?.placeholder}>`);
  return ['opentill', name, ...args, ...needed, '[options]'].join(' ');
}

export function argumentRows(command: Command): readonly Row[] {
  return Object.entries(command.arguments).map(([key, parameter]) => [
    argumentName(key),
    meaningOf(parameter, false),
  ]);
}

/** Options of a command, with `--help` and, if it prints data, `--json`. */
export function optionRows(command: Command): readonly Row[] {
  const own = Object.entries(command.options).map(([key, parameter]): Row => {
    const value = parameter.value === null ? '' : ` <${parameter.value.placeholder}>`;
    return [`${optionName(key)}${value}`, meaningOf(parameter, true)];
  });
  return [
    ...own,
    ...(command.json ? [['--json', `Print ${formOf(command.json)} instead of text.`] as const] : []),
    ['-h, --help', 'Show this help.'],
  ];
}

function meaningOf(parameter: Parameter, isOption: boolean): string {
  const { meaning, isRequired, defaultText, variables, value } = parameter;
  const from = variables.length > 0 ? `from \`${variables.join('` or `')}\`` : '';
  const fallback = [from, !defaultText ? '' : `\`${defaultText}\``].filter((each) => each !== '');
  const notes = [
    ...(isOption && isRequired && variables.length === 0 ? ['required'] : []),
    ...(fallback.length > 0 ? [`default: ${fallback.join(', else ')}`] : []),
  ];
  const shown = choicesOf(value);
  const text = `${meaning}${shown}`;
  return notes.length === 0 ? text : `${text.replace(/\.$/, '')} (${notes.join('; ')}).`;
}

/** A sentence with the values there are, unless they are too many to read. */
function choicesOf(value: Parameter['value']): string {
  const { choices = [], isList = false } = value ?? {};
  if (choices.length === 0 || choices.length > MOST_CHOICES) return '';
  return ` ${isList ? 'Any' : 'One'} of ${choices.map((each) => `\`${each}\``).join(', ')}.`;
}

function formOf(json: Json): string {
  if (json.form === 'lines') return 'JSON lines';
  return json.form === 'list' ? 'a JSON list' : 'a JSON object';
}

/** Permissions of the API key, in a sentence. */
export function permissionOf({ access, permissions }: Command): string {
  const names = permissions.map((each) => `\`${each}\``).join(' and ');
  const needed = `the permission${permissions.length > 1 ? 's' : ''} ${names}`;
  if (access === 'api') return `The API key needs ${needed}.`;
  if (access === 'either')
    return `On the database it needs no API key. With \`--url\`, the key in \`OPENTILL_API_KEY\` needs ${needed}.`;
  if (access === 'database') return 'It needs no API key: the command opens the database directly.';
  return 'No API key.';
}

export function variableRows({ variables, access }: Command): readonly Row[] {
  return variables.map((name) => [name, meaningOfVariable(name, access)]);
}

/** Kinds of objects that `--json` prints, each with its keys. */
export function jsonParts(
  json: Json,
): ReadonlyArray<{ readonly title: string; readonly rows: readonly Row[] }> {
  if (json.form === 'lines') {
    return Object.entries(json.records).map(([name, keys]) => ({
      title: `Each line with \`"record": "${name}"\` has`,
      rows: Object.entries(keys),
    }));
  }
  const what = json.form === 'list' ? 'A list of objects, each with' : 'One object with';
  const title =
    json.of === null
      ? what
      : `${json.form === 'list' ? 'A list of' : 'One'} \`${json.of}\` object${json.form === 'list' ? 's' : ''} of the API; of the fields`;
  return [{ title, rows: Object.entries(json.keys) }];
}

export const exitStatusRows: readonly Row[] = [
  [String(exitStatus.success), 'The command succeeded.'],
  [String(exitStatus.failure), 'The command failed; standard error says why.'],
  [String(exitStatus.usage), 'The command line or a setting is wrong; nothing was done.'],
  [
    String(exitStatus.found),
    '`reconcile` found missed events, `replay` refused requests, `db check` or `db backup` broken rules, or `doctor` something wrong.',
  ],
];
