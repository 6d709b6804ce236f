/** The reference page of the command line, from the table of commands. */
import { connectionOptions } from '../../src/cli/declare/access.ts';
import type { Command } from '../../src/cli/declare/command.ts';
import type { Json } from '../../src/cli/declare/json.ts';
import {
  argumentRows,
  exitStatusRows,
  jsonParts,
  optionRows,
  permissionOf,
  type Row,
  usageOf,
  variableRows,
} from '../../src/cli/describe.ts';
import { type LoadedSection, loadSections } from '../../src/cli/table.ts';
import { generatedFrom, table } from './markdown.ts';

export async function cliReference(): Promise<string> {
  const sections = await loadSections();
  const commands = sections.flatMap((section) => section.commands.map(([, command]) => command));
  return `${generatedFrom('the table of commands')}
# The command line

From a clone of the repository, run \`npx opentill …\`: that uses the Node.js which \`npm ci\` has installed.
\`opentill <command> --help\` prints what this page says of a command.

- Commands on the database open the one that \`DATABASE_URL\` names, also while a server runs on it. The server notices
  at once, on PostgreSQL within a second. They need no API key.
- Commands through the API work from any machine, with an API key that has the permissions they need: see
  [Connection](#connection).
- Commands for API keys work on the database or, with \`--url\`, through the API of a server.
- \`--json\` prints JSON instead of text: one document, or one object a line. Remarks and errors go to standard error.
- \`opentill completion bash\`, \`zsh\` or \`fish\` prints a completion script.

## Exit status

${table(['Status', 'Meaning'], exitStatusRows.map(marked))}
## Connection

Commands through the API have these options, and read these environment variables:

${connection(commands)}
## Commands

${sections.map(contentsOf).join('\n')}
${sections.flatMap(({ commands }) => commands.map(([name, command]) => entryOf(name, command))).join('\n')}
## Objects of the API

With \`--json\`, some commands print objects of the API with all of their fields. Scripts can rely on these:

${objectsOf(commands).join('\n\n')}
`;
}

function contentsOf({ title, commands }: LoadedSection): string {
  const rows = commands.map(([name, { purpose }]) => [
    `[\`${name}\`](#${`opentill ${name}`.replaceAll(' ', '-')})`,
    purpose,
  ]);
  return `${title}:\n\n${table(['Command', 'Purpose'], rows)}`;
}

function entryOf(name: string, command: Command): string {
  const { purpose, details, json, examples } = command;
  const code = examples.map(([line, meaning]) => `# ${meaning}\n${line}`).join('\n');
  const parts = [
    `### opentill ${name}`,
    purpose,
    ...details,
    `\`\`\`text\n${usageOf(name, command)}\n\`\`\``,
    ...rowsOf('Argument', argumentRows(command)),
    ...rowsOf('Option', ownOptions(command)),
    ...(command.access === 'none' ? [] : [permissionOf(command)]),
    ...variablesOf(command),
    ...(json ? partsOf(json) : []),
    `\`\`\`sh\n${code}\n\`\`\``,
  ];
  return `${parts.join('\n\n')}\n`;
}

/** Options that not every command has. */
function ownOptions(command: Command): readonly Row[] {
  const common = command.access === 'api' ? connectionOptions : [];
  return optionRows(command).filter(
    ([name]) => name !== '-h, --help' && !common.includes(name.split(' ')[0] ?? ''),
  );
}

function variablesOf(command: Command): readonly string[] {
  if (command.access !== 'none' || command.variables.length === 0) return [];
  if (command.variables.length > 5) return ['It reads all [settings](settings.md).'];
  return [`It reads ${command.variables.map((name) => `\`${name}\``).join(' and ')}.`];
}

function partsOf(json: Json): readonly string[] {
  return jsonParts(json).flatMap(({ title, rows }) =>
    json.form !== 'lines' && json.of !== null
      ? [
          `With \`--json\`: ${json.form === 'list' ? 'a list of' : 'one'} [\`${json.of}\`](#object-${json.of}).`,
        ]
      : [`With \`--json\`: ${title.charAt(0).toLowerCase()}${title.slice(1)}`, ...rowsOf('Key', rows)],
  );
}

function connection(commands: readonly Command[]): string {
  const command = commands.find(({ access }) => access === 'api');
  if (!command) throw new Error('no command uses the API');
  const options = optionRows(command).filter(([name]) =>
    connectionOptions.includes(name.split(' ')[0] ?? ''),
  );
  return [...rowsOf('Option', options), ...rowsOf('Variable', variableRows(command))].join('\n\n');
}

/** The keys that commands promise of each object of the API. */
function objectsOf(commands: readonly Command[]): readonly string[] {
  const objects = new Map<string, Readonly<Record<string, string>>>();
  for (const { json } of commands) {
    if (json === null || json.form === 'lines' || json.of === null) continue;
    objects.set(json.of, { ...objects.get(json.of), ...json.keys });
  }
  return [...objects].map(([name, keys]) =>
    [`### Object ${name}`, ...rowsOf('Key', Object.entries(keys))].join('\n\n'),
  );
}

function rowsOf(head: string, rows: readonly Row[]): readonly string[] {
  return rows.length === 0 ? [] : [table([head, 'Meaning'], rows.map(marked)).trimEnd()];
}

function marked([name, meaning]: Row): [string, string] {
  return [`\`${name}\``, meaning];
}
