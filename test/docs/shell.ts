/**
 * The reader's machine: a clone of the repository in a fresh directory, a shell that keeps its variables from block to
 * block, and further shells for what keeps running.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { serveCommands } from './commands.ts';
import { root } from './page.ts';

/**
 * npm and npx take half a second for what is one command: the script of package.json, or the one executable. What is
 * installed is what the tests run on, and they do not run themselves.
 */
const prelude = `
set -Euo pipefail
npm() {
  case "$1" in
    ci | test) ;;
    start) node --run start ;;
    *) echo "the test knows no npm $1" >&2; return 1 ;;
  esac
}
npx() {
  [ "$1" = opentill ] || { echo "the test knows no npx $1" >&2; return 1; }
  # Elsewhere npx looks for another package.
  [ -e bin/opentill.js ] || { echo 'this is not the directory of opentill' >&2; return 1; }
  shift
  opentill "$@"
}
`;

const READY_WITHIN_MS = 20_000;
const BLOCK_WITHIN_MS = 60_000;

export type Kept = { readonly output: () => string; readonly isRunning: () => boolean };
export type Result = { readonly stdout: string; readonly stderr: string; readonly failed: readonly string[] };
export type Reader = {
  readonly directory: string;
  /** Runs a block in the shell of the page, to its end. */
  run(code: string): Promise<Result>;
  /** Runs a block in a shell of its own, and resolves when it has printed something that is enough. */
  keep(code: string, enough: (output: string) => boolean): Promise<Kept>;
  /** Ends everything that was started, and removes the directory. */
  leave(): Promise<void>;
};

/** A reader with a fresh clone, whose shells have these settings in their environment. */
export async function createReader(settings: Readonly<Record<string, string>>): Promise<Reader> {
  const commands = await serveCommands();
  const home = mkdtempSync(join(tmpdir(), 'opentill-reader-'));
  const directory = join(home, 'opentill');
  mkdirSync(directory);
  for (const name of readdirSync(root).filter((each) => !['.git', 'data'].includes(each)))
    symlinkSync(join(root, name), join(directory, name));
  const own = join(home, 'blocks');
  mkdirSync(own);
  writeFileSync(join(own, 'prelude.sh'), prelude + commands.declaration);
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const env = {
    HOME,
    PATH: `${join(root, 'node_modules/.bin')}:${PATH}`,
    TMPDIR: own,
    // The shared cache keeps compiled code of the packages that the clone is linked to.
    NODE_COMPILE_CACHE: NODE_COMPILE_CACHE ?? join(tmpdir(), 'opentill-docs-compile-cache'),
    ...settings,
  };

  const leaving: Array<() => Promise<void>> = [];

  function shell(command: string) {
    const child = spawn('bash', ['--noprofile', '--norc', '-c', command], {
      cwd: directory,
      env,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const ended = once(child, 'close');
    leaving.push(async () => {
      endGroup(child.pid);
      await ended;
    });
    const state = { isOver: false };
    child.once('close', () => {
      // Later than its exit: all of its output is here.
      state.isOver = true;
    });
    const output = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output.stderr += text;
    });
    return { child, output, state };
  }

  // Reads the names of files with blocks; each is run with its output in files beside it.
  const session = shell(`source '${own}/prelude.sh'
    while IFS= read -r block; do
      trap 'printf "%s\\n" "$BASH_COMMAND" >> "$block.failed"' ERR
      : > "$block.failed"
      { source "$block"; } > "$block.stdout" 2> "$block.stderr" < /dev/null
      trap - ERR
      printf 'done\\n'
    done`);
  let count = 0;

  async function run(code: string): Promise<Result> {
    count++;
    const file = join(own, `${count}.sh`);
    writeFileSync(file, code);
    const before = session.output.stdout.length;
    session.child.stdin.write(`${file}\n`);
    await until(() => session.output.stdout.length > before || session.state.isOver, BLOCK_WITHIN_MS);
    const read = (name: string) => readFileSync(`${file}.${name}`, 'utf8');
    const failed = read('failed').split('\n').filter(Boolean);
    const isDone = session.output.stdout.length > before;
    const wrong = isDone ? [] : [session.state.isOver ? 'the shell has ended' : 'no end in sight'];
    return { stdout: read('stdout'), stderr: read('stderr'), failed: [...failed, ...wrong] };
  }

  async function keep(code: string, enough: (output: string) => boolean): Promise<Kept> {
    count++;
    const file = join(own, `${count}.sh`);
    writeFileSync(file, code);
    // The shell ends with the test, even if the test is killed: then its input ends.
    const { output, state } = shell(`source '${own}/prelude.sh'
      exec 3<&0 < /dev/null
      { cat <&3 > /dev/null; kill -KILL 0; } > /dev/null 2>&1 &
      exec 3<&-
      source '${file}'`);
    const printed = () => output.stdout + output.stderr;
    await until(() => enough(printed()) || state.isOver, READY_WITHIN_MS);
    assert.ok(!state.isOver, `it has ended: ${printed()}`);
    return { output: printed, isRunning: () => !state.isOver };
  }

  async function leave(): Promise<void> {
    await Promise.all(leaving.map((end) => end()));
    await commands.close();
    rmSync(home, { recursive: true, force: true });
  }
  return { directory, run, keep, leave };
}

/** Ends a shell and everything that it has started. */
function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // The process has ended by itself.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Waits for something that another process does; gives up quietly, since the caller says what is missing. */
export async function until(holds: () => boolean, withinMs: number): Promise<void> {
  const end = performance.now() + withinMs;
  while (!holds() && performance.now() < end) await pause(10);
}
