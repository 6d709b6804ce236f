/** The service as an operator runs it: a process of its own, started by its command line. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../src/cli/free-port.ts';
import type { Ends } from './clean-up.ts';
import { runInHost, runInTurn } from './command-lines.ts';

export const executable = join(import.meta.dirname, '../../bin/opentill.js');

type Settings = Readonly<Record<string, string>>;

export type Ended = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

export type Running = {
  readonly child: ChildProcess;
  /** Output of the process so far. */
  readonly output: { stdout: string; stderr: string };
  readonly ended: Promise<Ended>;
  kill(signal: NodeJS.Signals): Promise<Ended>;
};

export type Server = Running & {
  readonly url: string;
  readonly port: number;
  /** Time from the start of the process to its ready line. */
  readonly readyMs: number;
};

/** A directory that goes with the test. */
export function freshDirectory(context: Ends): string {
  const directory = mkdtempSync(join(tmpdir(), 'opentill-test-'));
  // A process that ends only now may still write there.
  context.after(() => rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 20 }));
  return directory;
}

/** The welcome of a first start without a terminal, which is in a file; null until the output names it. */
export function welcomeIn(output: string): string | null {
  const file = /^This is a new database\. .* are in (.+) \(mode 600\)\. /m.exec(output)?.[1];
  return file === undefined ? null : readFileSync(file, 'utf8');
}

/** True until the process has ended, by itself or by a signal. */
export const isRunning = ({ child }: Running): boolean =>
  child.exitCode === null && child.signalCode === null;

/** The welcome of a server, as soon as it has written it; fails if it ends before. */
export async function welcomeOf(server: Running): Promise<string> {
  for (;;) {
    const wasRunning = isRunning(server);
    const welcome = welcomeIn(server.output.stdout);
    if (welcome !== null) return welcome;
    assert.ok(wasRunning, `the server has ended without a welcome: ${server.output.stderr}`);
    await pause(5);
  }
}

/** Settings of the machine that runs the tests must not reach the service; what Node has compiled before may. */
function environment(settings: Settings): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE } = process.env;
  const given = {
    PATH,
    HOME,
    TMPDIR,
    NODE_COMPILE_CACHE,
    RATE_LIMIT: '0',
    ADDRESS_RATE_LIMIT: '0',
    ...settings,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/**
 * Starts `opentill <args>`; it does not outlive the test. `shell` is put before the command, for limits that only a
 * shell can set; `program` takes the place of the command line.
 */
export function run(
  context: Ends,
  args: readonly string[],
  settings: Settings,
  { shell = '', directory = tmpdir(), program = executable } = {},
): Running {
  const words = [process.execPath, program, ...args];
  const env = environment(settings);
  const child =
    shell === ''
      ? spawn(words[0] as string, words.slice(1), { env, cwd: directory })
      : spawn('bash', ['-c', `${shell}; exec "$@"`, 'bash', ...words], { env, cwd: directory });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  const ended = once(child, 'close').then(([code, signal]): Ended => ({ code, signal }));
  const kill = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return ended;
  };
  context.after(() => kill('SIGKILL'));
  return { child, output, ended, kill };
}

/**
 * Runs `opentill <args>` to its end. One command after the other shares a process, which has them loaded. A server, which
 * leaves things to the end of its process, and a command that runs beside another have processes of their own;
 * `startsNothing` tells of a server that is refused before it begins, and `waits` of a command that need not run beside
 * others of the same suite.
 */
export async function runToEnd(
  context: Ends,
  args: readonly string[],
  settings: Settings,
  { directory = tmpdir(), startsNothing = false, waits = false } = {},
): Promise<Ended & { readonly stdout: string; readonly stderr: string }> {
  const isServer = (args[0] === 'serve' || args[0] === 'demo') && !startsNothing;
  // Commands with options of Node itself need a process of their own, too.
  const isOfItsOwn = isServer || settings.NODE_OPTIONS !== undefined;
  const inHost = waits ? runInTurn : runInHost;
  const result = isOfItsOwn ? null : await inHost({ args, env: environment(settings), directory });
  if (result !== null) return { ...result, signal: null };
  const { output, ended } = run(context, args, settings, { directory });
  return { ...(await ended), ...output };
}

const MOST_PORTS = 3;

/** Starts a server on a fresh port and waits for its ready line. */
export async function serve(
  context: Ends,
  settings: Settings,
  options: { shell?: string; directory?: string; program?: string } = {},
): Promise<Server> {
  for (let tries = 1; ; tries++) {
    const port = Number(settings.PORT ?? (await freePort()));
    const startedAt = performance.now();
    const running = run(context, ['serve'], { LOG_LEVEL: 'warn', ...settings, PORT: String(port) }, options);
    try {
      const url = await readyLine(running);
      return { ...running, url, port, readyMs: performance.now() - startedAt };
    } catch (error) {
      // A connection of another process may have got the port meanwhile.
      const isTaken = settings.PORT === undefined && running.output.stderr.includes('EADDRINUSE');
      if (!isTaken || tries === MOST_PORTS) throw error;
    }
  }
}

async function readyLine({ child, output, ended }: Running): Promise<string> {
  assert.ok(child.stdout);
  const ready = new Promise<string>((resolve) => {
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    lines.on('line', (line) => {
      const url = /^opentill listening on (http:\S+)$/.exec(line)?.[1];
      if (url) resolve(url);
    });
  });
  const early = ended.then((how) => {
    throw new Error(`the server ended (${JSON.stringify(how)}) before it was ready: ${output.stderr}`);
  });
  return Promise.race([ready, early]);
}
