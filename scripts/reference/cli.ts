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
The \`keys\`, \`accounts\` and \`bank account\` commands work on the database that \`DATABASE_URL\` names, also while a
server is running: it takes notice at once, on PostgreSQL within a second. What the \`db\` commands do is told in
[Operating](../guides/operating.md#back-up) and [Move to PostgreSQL](../guides/moving.md).

\`listen\`, \`trigger\`, \`reconcile\`, \`webhooks\`, \`refund\` and the other \`bank\` commands need no database: they talk to the
API of a server, with a key that has the permissions \`read\` for \`listen\` and \`bank inbox\`, \`read\` and \`write\` for \`trigger\`,
\`bank import\`, \`bank assign\`, \`bank ignore\` and \`bank reopen\`, \`webhooks\` for \`webhooks\`, \`read\` and \`webhooks\` for
\`reconcile\`, and \`read\` and \`refund\` for \`refund\`, \`bank send-back\` and \`bank payments\`. Better than \`--key\` is the
variable \`OPENTILL_API_KEY\`: everybody on a machine can see what stands in its command lines.

A command ends with status 0 if it did what it was asked, and with status 1 and one line on standard error if not.
\`reconcile\` ends with status 2 if it has found events that were missed, also if it has sent them again.
`;
}
