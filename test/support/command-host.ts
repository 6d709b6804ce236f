/**
 * Runs command lines one after the other in one process: to start a process takes a hundred times as long as most
 * commands do. Each has its own arguments, settings and directory; its output and its exit status are caught.
 */
import { main } from '../../src/cli/main.ts';

export type Command = {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly directory: string;
};

export type Result = { readonly code: number; readonly stdout: string; readonly stderr: string };

const exit = process.exit;
let output = { stdout: '', stderr: '' };
let isOver = true;

for (const name of ['stdout', 'stderr'] as const)
  process[name].write = (chunk: string | Uint8Array, ...more: unknown[]): boolean => {
    output[name] += Buffer.from(chunk as string).toString();
    const done = more.find((each) => typeof each === 'function');
    if (done) queueMicrotask(done as () => void);
    return true;
  };

function end(code: number, then?: () => void): void {
  if (isOver) return;
  isOver = true;
  process.send?.({ code, ...output } satisfies Result, then ?? (() => {}));
}

// A command that ends its process takes this one along; the next command gets another one.
process.exit = (code?: number | string | null): never => {
  end(Number(code ?? process.exitCode ?? 0), () => exit());
  throw new Error('the command has ended its process');
};

process.on('message', async ({ args, env, directory }: Command) => {
  process.env = { ...env };
  process.chdir(directory);
  process.exitCode = undefined;
  output = { stdout: '', stderr: '' };
  isOver = false;
  try {
    await main(args);
  } catch (error) {
    // Node prints an uncaught error and exits with 1.
    console.error(error);
    process.exitCode = 1;
  }
  end(Number(process.exitCode ?? 0));
});
process.on('disconnect', () => exit());
