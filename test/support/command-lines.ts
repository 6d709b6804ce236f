/** A process beside the test that runs command lines for it; it ends with the process of the test. */
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { Command, Result } from './command-host.ts';

const hostFile = join(import.meta.dirname, 'command-host.ts');

let host: ChildProcess | undefined;
/** Resolves when the command that runs is over. */
let busy: Promise<unknown> | null = null;

/** Runs the command, or returns null while another one runs: both at once need processes of their own. */
export async function runInHost(command: Command): Promise<Result | null> {
  return busy === null ? runNow(command) : null;
}

/** Runs the command once those before it are over: one that ends by itself, whatever others do meanwhile. */
export async function runInTurn(command: Command): Promise<Result> {
  while (busy !== null) await busy;
  return runNow(command);
}

function runNow(command: Command): Promise<Result> {
  const result = askHost(command).finally(() => {
    busy = null;
  });
  busy = result.catch(() => {});
  return result;
}

async function askHost(command: Command): Promise<Result> {
  if (host === undefined || !host.connected) host = startHost();
  const { channel } = host;
  channel?.ref();
  try {
    return await answerOf(host, command);
  } finally {
    // A test that has nothing left to do but this may end.
    channel?.unref();
  }
}

function startHost(): ChildProcess {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = fork(hostFile, {
    env: { PATH, ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }) },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  child.unref();
  return child;
}

async function answerOf(child: ChildProcess, command: Command): Promise<Result> {
  try {
    return await new Promise<Result>((resolve, reject) => {
      child.once('message', (result) => resolve(result as Result));
      child.once('exit', () => reject(new Error(`opentill ${command.args.join(' ')} has ended its process`)));
      child.send(command);
    });
  } finally {
    child.removeAllListeners();
  }
}
