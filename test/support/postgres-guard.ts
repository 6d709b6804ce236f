/**
 * Runs a PostgreSQL server for a test, and ends it with the process that wanted it. A process that is killed cannot
 * clean up, and the server would live on. This one stands between: its channel to the test closes however the test ends,
 * and then it ends the server and removes its data.
 */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';

export type Guarded = {
  readonly program: string;
  readonly args: readonly string[];
  /** The server's working directory. */
  readonly directory: string;
  /** Files that the server leaves on the disk. */
  readonly traces: readonly string[];
  /** The user that runs the server, if not the user of the tests. */
  readonly account: { readonly uid?: number; readonly gid?: number };
};

const { program, args, directory, traces, account } = JSON.parse(process.argv[2] ?? '') as Guarded;

// The server's log goes straight to the test, which knows by its end that the last process of the server is
// gone.
const server = spawn(program, args, { cwd: directory, stdio: ['ignore', 'ignore', 'inherit'], ...account });

/** SIGQUIT is PostgreSQL's immediate shutdown: it waits for nobody, and takes all processes of the server along. */
const end = () => server.kill('SIGQUIT');

process.on('message', (signal: NodeJS.Signals) => server.kill(signal));
if (process.connected) process.on('disconnect', end);
else end();

server.on('exit', () => {
  if (!process.connected) for (const trace of traces) rmSync(trace, { recursive: true, force: true });
  process.exit();
});
