/** Starts what is measured in processes of their own, as it would run. */
import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../src/cli/free-port.ts';

export type Running = {
  readonly url: string;
  readonly pid: number;
  readonly child: ChildProcess;
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** Processes that run, to be ended with the bench however it ends. */
const running = new Set<ChildProcess>();

export function endAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** Beyond that a process that was asked to end is made to. */
const STOP_MS = 30_000;

/** Runs a program of Node.js until it prints that it listens, and resolves with the address it names. */
export async function startProcess(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Running> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /listening on (http:\S+)/.exec(line)?.[1];
    const stop = () => ended(child);
    if (url) return { url, pid: child.pid ?? 0, child, stop, [Symbol.asyncDispose]: stop };
  }
  throw new Error(`${args.join(' ')} ended before it listened`);
}

/** A server that makes nothing but the API work: webhooks are written, and sending them is another thing to measure. */
export async function startService(env: NodeJS.ProcessEnv, program = '../bin/opentill.js'): Promise<Running> {
  const settings = {
    LOG_LEVEL: 'error',
    RATE_LIMIT: '0',
    ADDRESS_RATE_LIMIT: '0',
    ADDRESS_CONNECTION_LIMIT: '0',
    WEBHOOK_CONCURRENCY: '0',
    PORT: String(await freePort()),
  };
  return startProcess([resolve(import.meta.dirname, program), 'serve'], { ...settings, ...env });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await new Promise<void>((resolve) => {
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    child.once('exit', () => {
      clearTimeout(late);
      resolve();
    });
    child.kill('SIGTERM');
  });
}
