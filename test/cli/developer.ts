/** A developer's machine: the command line beside a service that is elsewhere, reached by its address and a key. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Ends } from '../support/clean-up.ts';
import { type Running, run, runToEnd } from '../support/process.ts';
import type { TestKey, TestService } from '../support/service.ts';

export function settingsFor({
  url,
  key,
}: Pick<TestService, 'url'> & { key: Pick<TestKey, 'id' | 'secret'> }) {
  return { OPENTILL_URL: url, OPENTILL_API_KEY: `${key.id}:${key.secret}` };
}

/** Runs a command to its end. */
export function opentill(t: Ends, service: TestService, ...args: string[]) {
  return runToEnd(t, args, settingsFor(service), { waits: true });
}

type Settings = Readonly<Record<string, string>>;

/** Asserts that the command line is wrong: status 2 and one line that matches, and nothing else. */
export function assertMistake(t: Ends, args: readonly string[], settings: Settings, expected: RegExp) {
  return assertRefused(t, args, settings, 2, expected);
}

/** Asserts that the command fails: status 1 and one line that matches, and nothing else. */
export function assertFailure(t: Ends, args: readonly string[], settings: Settings, expected: RegExp) {
  return assertRefused(t, args, settings, 1, expected);
}

async function assertRefused(
  t: Ends,
  args: readonly string[],
  settings: Settings,
  status: number,
  expected: RegExp,
): Promise<void> {
  const { code, stdout, stderr } = await runToEnd(t, args, settings, { waits: true });
  assert.deepEqual([code, stdout], [status, ''], `${args.join(' ')}: ${stderr}`);
  assert.match(stderr, /^opentill: [^\n]+\n$/, args.join(' '));
  assert.match(stderr, expected, args.join(' '));
  assert.doesNotMatch(stderr, /sk_(test|live)_\w/, 'a secret');
}

/** Starts `listen`, and waits until it says that it listens. */
export async function startListening(
  t: Ends,
  service: Pick<TestService, 'url' | 'key'>,
  ...args: string[]
): Promise<Running> {
  const running = run(t, ['listen', ...args], settingsFor(service));
  await said(running, args.includes('--forward') ? /^Forwarded to .*\n/m : /^Events of .*\n/m);
  return running;
}

/** Waits until the command has said this; fails if it ends before. */
export async function said({ child, output, ended }: Running, what: RegExp): Promise<RegExpExecArray> {
  for (;;) {
    const found = what.exec(output.stdout) ?? what.exec(output.stderr);
    if (found) return found;
    const enough = new AbortController();
    const news = [child.stdout, child.stderr].map((stream) =>
      once(stream as NodeJS.ReadableStream, 'data', { signal: enough.signal }),
    );
    const isOver = await Promise.race([...news, ended.then(() => true)]);
    enough.abort();
    await Promise.allSettled(news);
    if (isOver === true && !what.test(output.stdout) && !what.test(output.stderr))
      assert.fail(`it ended without saying ${what}: ${output.stdout}${output.stderr}`);
  }
}

/** Ends it as Ctrl-C does; the cursor with which the next one goes on. */
export async function stopListening(running: Running): Promise<string> {
  const ended = await running.kill('SIGINT');
  assert.deepEqual(ended, { code: 0, signal: null }, running.output.stderr);
  const cursor = /^Stopped; continue with opentill listen (?:.* )?--after (\d+)\n$/m.exec(
    running.output.stdout,
  )?.[1];
  assert.ok(cursor, running.output.stdout);
  return cursor;
}
