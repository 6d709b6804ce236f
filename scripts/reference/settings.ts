import { secretNames } from '../../src/config/read.ts';
import { settings } from '../../src/config/settings.ts';
import { generatedFrom, table } from './markdown.ts';

export function settingsReference(): string {
  const rows = Object.entries(settings).map(([name, row]) => {
    const text = 'defaultText' in row ? row.defaultText : row.default === '' ? '' : `\`${row.default}\``;
    return [`\`${name}\``, text, row.meaning];
  });
  return `${generatedFrom('src/config/settings.ts')}
# Settings

All settings are environment variables. An empty one counts as absent. A wrong value stops the start with one line that
says what is wrong.

${table(['Name', 'Default', 'Meaning'], rows)}
## Secrets in files

Any of these may be in a file instead, such as a secret of a container or a credential of systemd: \`<NAME>_FILE\` names the
file, and white space around its content does not count. If both are set, or the file is empty or cannot be read, that is
a wrong value.

${secretNames.map((name) => `- \`${name}_FILE\``).join('\n')}

The last one is for [commands](cli.md) that talk to a server.

[Operating](../guides/operating.md) says which of them matter when, and why.
`;
}
