/** Runs test files in a copy of the tree until the first of them fails. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';

export type Verdict = {
  /** `timed out`: neither passed nor failed in time, such as in an endless loop. */
  readonly result: 'passed' | 'failed' | 'timed out';
  /** The first test that failed, or what the process said instead. */
  readonly first: string;
  readonly seconds: number;
};

type Options = {
  readonly timeoutMs: number;
  /** Runs all files in one process: quicker, for files that share nothing. */
  readonly inOneProcess?: boolean;
  /** Settings of the tests. */
  readonly env?: Readonly<Record<string, string>>;
};

const FAILURE = /^ *not ok \d+ - (.*)$/gm;

export async function runTests(
  root: string,
  files: readonly string[],
  { timeoutMs, inOneProcess = false, env: settings = {} }: Options,
): Promise<Verdict> {
  const startedAt = performance.now();
  const args = [
    '--test',
    '--test-reporter=tap',
    '--test-concurrency=1',
    `--test-timeout=${Math.ceil(timeoutMs / 2)}`,
    ...(inOneProcess ? ['--test-isolation=none'] : []),
    ...files,
  ];
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  // A process group of its own, so that whatever the tests have started ends with them.
  const child = spawn(process.execPath, args, {
    cwd: root,
    detached: true,
    env: { ...env, ...settings, NODE_COMPILE_CACHE: join(root, '.compile-cache') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const endNow = () => end(child.pid);
  // The process ends before the copy is removed: its writes would keep the copy from being removed.
  process.prependListener('exit', endNow);
  let said = '';
  let timedOut = false;
  const ended = new Promise<number | null>((resolve) => child.on('close', (code) => resolve(code)));
  const timer = setTimeout(() => {
    timedOut = true;
    endNow();
  }, timeoutMs);
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (firstFailure(said) !== null) endNow();
    });
  }
  const code = await ended;
  clearTimeout(timer);
  endNow();
  process.off('exit', endNow);
  const seconds = (performance.now() - startedAt) / 1000;
  const failure = firstFailure(said);
  if (failure !== null) return { result: 'failed', first: failure, seconds };
  if (timedOut) return { result: 'timed out', first: `after ${Math.round(seconds)} s`, seconds };
  if (code === 0) return { result: 'passed', first: '', seconds };
  return { result: 'failed', first: said.trim().split('\n').at(-1) ?? '', seconds };
}

/** The innermost test that failed first: TAP tells of it before it tells of the suites around it. */
function firstFailure(tap: string): string | null {
  FAILURE.lastIndex = 0;
  return FAILURE.exec(tap)?.[1] ?? null;
}

/** Ends a process group that was started here; one that has ended by itself is none any more. */
function end(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process is gone already.
  }
}
