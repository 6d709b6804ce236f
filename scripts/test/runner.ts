/**
 * Files of tests, each as a test of its own. The test runner of Node.js follows every promise to tell which test it is of,
 * for a seventh of the processor time of all tests. Only tests that are being declared need that, since they say nothing of
 * where they belong; so promises are followed while a file is loaded, and to its end if its suites await something. An
 * error that nobody catches may be of no test then, and ends the process.
 */
import asyncHooks, { type AsyncHook, AsyncResource, type HookCallbacks } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

/** The limit of a file and of each test in it, for what hangs: the longest take minutes, or an hour beside other work. */
const TIMEOUT_MS = 3_600_000;

/** The hook of the runner as it is, and the same one for all but promises. */
const hooks: { whole?: AsyncHook; lean?: AsyncHook } = {};
const { createHook } = asyncHooks;
Object.assign(asyncHooks, {
  createHook(callbacks: HookCallbacks): AsyncHook {
    hooks.lean = createHook({ ...callbacks, trackPromises: false });
    hooks.whole = createHook(callbacks);
    return hooks.whole;
  },
});
// `node:test` takes `createHook` when it is loaded.
const { suite, test } = await import('node:test');
Object.assign(asyncHooks, { createHook });

/** Files begin here, and not in the test before. */
const outside = new AsyncResource('files');
let current = '';

for (const event of ['uncaughtException', 'unhandledRejection'] as const)
  process.on(event, (error: unknown) => {
    console.error(`Nobody has caught an error in ${current}:`, error);
    process.exit(1);
  });

/** A suite that may declare tests behind an `await`. */
const LATE_SUITE = /\bsuite\([^)]*\basync\b/;

/**
 * Resolves when the tests of the file and its hooks are over. A file that was run runs anew under another query of its
 * address.
 */
export async function runFile(name: string, path: string, query = ''): Promise<void> {
  current = name;
  const { href } = new URL(query, pathToFileURL(path));
  const declaresLate = LATE_SUITE.test(readFileSync(path, 'utf8'));
  hooks.lean?.disable();
  hooks.whole?.enable();
  await outside.runInAsyncScope(() =>
    test(name, { timeout: TIMEOUT_MS }, () => {
      // The tests of a suite wait until all of it is loaded, as those of a file do.
      suite('file', async () => {
        await import(href);
        if (!declaresLate) await followNoMore();
      });
    }),
  );
}

async function followNoMore(): Promise<void> {
  hooks.whole?.disable();
  hooks.lean?.disable();
  // Promises are followed for a moment behind the end of the last hook.
  await turn();
  hooks.lean?.enable();
}
