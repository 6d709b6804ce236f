import { bashCompletion } from '../completion/bash.ts';
import { fishCompletion } from '../completion/fish.ts';
import { zshCompletion } from '../completion/zsh.ts';
import { plainCommand } from '../declare/access.ts';
import { required } from '../declare/parameter.ts';
import { choice } from '../declare/values.ts';

const shells = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

export const command = plainCommand({
  purpose: 'Print a completion script for a shell.',
  details: [
    'In bash, put `source <(opentill completion bash)` into ~/.bashrc. In zsh, write the script to a file _opentill in a directory of $fpath. In fish, write it to ~/.config/fish/completions/opentill.fish.',
  ],
  arguments: { shell: required(choice('shell', 'bash', 'zsh', 'fish'), 'The shell.') },
  examples: [['opentill completion bash', 'Commands, options and their values, for bash']],
  async run({ shell }, { output }) {
    const { loadSections } = await import('../table.ts');
    output.line(shells[shell]((await loadSections()).flatMap(({ commands }) => commands)));
  },
});
