/**
 * Files of tests, each as a test of its own. The test runner of Node.js follows every promise, timer and socket to tell
 * which test it is of, for a fifth of the processor time of all tests. Only tests that are being declared need that, since
 * they say nothing of where they belong; so all is followed while a file is loaded, and to its end if its suites await
 * something. An error that nobody catches may be of no test then, and ends the process.
 */
import asyncHooks, { type AsyncHook, AsyncResource, type HookCallbacks } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** The limit of a file and of each test in it, for what hangs: the longest take minutes, or an hour beside other work. */
const TIMEOUT_MS = 3_600_000;

/** The hook of the runner, which begins and ends here, and its callback for what is gone. */
let hook: AsyncHook | undefined;
let forget: HookCallbacks['destroy'];
/** All that it follows. To hear of what is gone would cost more than to forget it in the end. */
const followed: number[] = [];
const { createHook } = asyncHooks;
Object.assign(asyncHooks, {
  createHook({ init, destroy }: HookCallbacks): AsyncHook {
    forget = destroy;
    hook = createHook({
      init(id, ...how) {
        followed.push(id);
        init?.(id, ...how);
      },
    });
    return hook;
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
  hook?.enable();
  await outside.runInAsyncScope(() =>
    test(name, { timeout: TIMEOUT_MS }, () => {
      // The tests of a suite wait until all of it is loaded, as those of a file do.
      suite('file', async () => {
        await import(href);
        if (!declaresLate) followNoMore();
      });
    }),
  );
  followNoMore();
}

function followNoMore(): void {
  hook?.disable();
  for (const id of followed.splice(0)) forget?.(id);
}
