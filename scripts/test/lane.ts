/**
 * Runs test files one after the other in one process, which loads the service once for all of them. The hooks of each are
 * over before the next one begins. Several lanes take from the same list until it is empty.
 */
import { createHook } from 'node:async_hooks';
import { flushCompileCache } from 'node:module';
import { claimRun, nameOf } from './plan.ts';
import { runFile } from './runner.ts';

/** Grace after the last test: handles that a file leaves open must not keep the lane alive in silence. */
const ENDING_MS = 10_000;

/**
 * Pending timers and where they were set; Node.js lists open timers without their origin. To note each of them takes
 * a twentieth of the processor time, so it is done where it is asked for.
 */
const timers = new Map<number, { readonly timer: NodeJS.Timeout; readonly set: Error }>();
const NOTES_TIMERS = 'OPENTILL_TEST_TIMERS';
if (process.env[NOTES_TIMERS] !== undefined)
  createHook({
    init(id, type, _, resource) {
      if (type === 'Timeout')
        timers.set(id, { timer: resource as NodeJS.Timeout, set: new Error('a timer, set') });
    },
    destroy: (id) => void timers.delete(id),
    trackPromises: false,
  }).enable();

/** All that keeps the process alive, but for its pipes. */
const leftOpen = () => process.getActiveResourcesInfo().filter((each) => each !== 'PipeWrap');
/** The file since which there has always been something; null if nothing is there now. */
let openSince: string | null = null;

for (let run = claimRun(); run !== undefined; run = claimRun()) {
  const { file, database } = run;
  process.env.OPENTILL_TEST_DATABASE = database;
  await runFile(nameOf(run), file, database === 'sqlite' ? '' : `?${database}`);
  openSince = leftOpen().length === 0 ? null : (openSince ?? nameOf(run));
  // Other processes load what this one has compiled.
  flushCompileCache();
}

setTimeout(() => {
  console.error(
    `A test file has left something open, ${openSince} or one behind it: ${leftOpen().join(', ')}`,
  );
  for (const { timer, set } of timers.values()) if (timer.hasRef()) console.error(set.stack);
  if (process.env[NOTES_TIMERS] === undefined)
    console.error(`${NOTES_TIMERS}=1 shows where a timer was set.`);
  process.exit(1);
}, ENDING_MS).unref();
