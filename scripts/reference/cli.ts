import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { generatedFrom } from './markdown.ts';

const program = join(import.meta.dirname, '../../bin/opentill.js');

export function cliReference(): string {
  const help = execFileSync(process.execPath, [program, '--help'], { encoding: 'utf8' }).trim();
  return `${generatedFrom('opentill --help')}
# The command line

\`\`\`text
${help}
\`\`\`

In a clone of the repository run it as \`npx opentill keys list\`: that takes the Node.js which \`npm ci\` has installed.
The \`keys\` and \`accounts\` commands work on the database that \`DATABASE_URL\` names, also while a server is running: it
takes notice at once, on PostgreSQL within a second. What the \`db\` commands do is told in
[Operating](../guides/operating.md#back-up) and [Move to PostgreSQL](../guides/moving.md).

A command ends with status 0 if it did what it was asked, and with status 1 and one line on standard error if not.
`;
}
