/**
 * The command line for the shells of a page: a function that has the process of `command-lines.ts` run what is typed. A
 * process for each command would take five times as much processor time. What keeps running, or reads its input, has one.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Command, Result } from '../support/command-host.ts';
import { runInTurn } from '../support/command-lines.ts';

/**
 * `opentill` in the language of the shell. The directory, the number of words, the words and the settings go out, with a
 * null byte behind each and one behind all; status and output come back in the same way.
 */
const functionFor = (port: number) => `
opentill() {
  case "\${1-}" in serve | demo | listen) node bin/opentill.js "$@"; return ;; esac
  [ /dev/stdin -ef /dev/null ] || { node bin/opentill.js "$@"; return; }
  local status stdout stderr
  {
    { printf '%s\\0' "$PWD" "$#" "$@"; env -0; printf '\\0'; } >&9
    IFS= read -r -d '' status
    IFS= read -r -d '' stdout
    IFS= read -r -d '' stderr
  } 9<> /dev/tcp/127.0.0.1/${port} <&9
  printf '%s' "$stdout"
  printf '%s' "$stderr" >&2
  return "$status"
}
`;

export type Commands = {
  /** Declares the function in a shell. */
  readonly declaration: string;
  close(): Promise<void>;
};

export async function serveCommands(): Promise<Commands> {
  const server = createServer((socket) => {
    // A shell that was killed wants no answer.
    socket.on('error', () => {});
    void answer(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    declaration: functionFor((server.address() as AddressInfo).port),
    async close() {
      await once(server.close(), 'close');
    },
  };
}

async function answer(socket: Socket): Promise<void> {
  const command = await commandFrom(socket);
  if (command === null) return;
  // Pages are read at the same time, and one process runs their commands.
  const { code, stdout, stderr } = await runInTurn(command).catch(
    (error): Result => ({ code: 1, stdout: '', stderr: `${error}\n` }),
  );
  socket.end([code, stdout, stderr, ''].join('\0'));
}

/** The command that a shell sends; null if the shell ends before. */
async function commandFrom(socket: Socket): Promise<Command | null> {
  let received = '';
  for await (const text of socket.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    received += text;
    const [directory = '', count = '', ...rest] = received.split('\0').slice(0, -1);
    const args = rest.slice(0, Number(count));
    const settings = rest.slice(Number(count));
    // Words may be empty, settings are not.
    if (settings.at(-1) !== '') continue;
    const env = Object.fromEntries(settings.slice(0, -1).map((each) => each.split(/=(.*)/s, 2)));
    return { directory, args, env };
  }
  return null;
}
