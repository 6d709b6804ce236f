/**
 * Runs test files one after the other in one process, which loads the service once for all of them. Each file is a test
 * of its own, whose hooks are over before the next file begins. Several lanes take from the same list until it is empty.
 */
import { flushCompileCache } from 'node:module';
import { suite, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { claimRun, nameOf } from './plan.ts';

/** The limit of a file and of each test in it, for what hangs: the longest take minutes, or an hour beside other work. */
const TIMEOUT_MS = 3_600_000;
/** What a file leaves open must not keep the lane alive in silence. */
const ENDING_MS = 10_000;

for (let run = claimRun(); run !== undefined; run = claimRun()) {
  const { file, database } = run;
  process.env.OPENTILL_TEST_DATABASE = database;
  // Under another address, the file runs anew where it has run on the other database.
  const { href } = new URL(database === 'sqlite' ? '' : `?${database}`, pathToFileURL(file));
  await test(nameOf(run), { timeout: TIMEOUT_MS }, () => {
    // The tests of a suite wait until all of it is loaded, as those of a file do.
    suite('file', async () => {
      await import(href);
    });
  });
  // Other processes load what this one has compiled.
  flushCompileCache();
}

setTimeout(() => {
  console.error(`A test file has left something open: ${process.getActiveResourcesInfo().join(', ')}`);
  process.exit(1);
}, ENDING_MS).unref();
