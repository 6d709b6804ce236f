/** Starts what is measured in processes of their own, as it would run. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../src/cli/free-port.ts';

export type Running = { readonly url: string; readonly child: ChildProcess; stop(): Promise<void> };

/** Runs a program of Node until it prints that it listens, and resolves with the address it names. */
export async function startProcess(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Running> {
  const child = spawn(process.execPath, [...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /listening on (http:\S+)/.exec(line)?.[1];
    if (url) return { url, child, stop: () => ended(child) };
  }
  throw new Error(`${args.join(' ')} ended before it listened`);
}

/** A server that makes nothing but the API work: webhooks are written, and sending them is another thing to measure. */
export async function startService(env: NodeJS.ProcessEnv, program?: string): Promise<Running> {
  const args = program
    ? [join(import.meta.dirname, program)]
    : [join(import.meta.dirname, '../bin/opentill.js'), 'serve'];
  const settings = {
    LOG_LEVEL: 'error',
    RATE_LIMIT: '0',
    WEBHOOK_CONCURRENCY: '0',
    PORT: String(await freePort()),
  };
  return startProcess(args, { ...settings, ...env });
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}
