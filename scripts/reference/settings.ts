import { settings } from '../../src/config.ts';
import { generatedFrom, table } from './markdown.ts';

export function settingsReference(): string {
  const rows = Object.entries(settings).map(([name, row]) => {
    const text = 'defaultText' in row ? row.defaultText : row.default === '' ? '' : `\`${row.default}\``;
    return [`\`${name}\``, text, row.meaning];
  });
  return `${generatedFrom('src/config.ts')}
# Settings

All settings are environment variables. An empty one counts as absent. A wrong value stops the start with one line that
says what is wrong.

${table(['Name', 'Default', 'Meaning'], rows)}
[Operating](../guides/operating.md) says which of them matter when, and why.
`;
}
