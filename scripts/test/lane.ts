/**
 * Runs test files one after the other in one process, which loads the service once for all of them. The hooks of each are
 * over before the next one begins. Several lanes take from the same list until it is empty. What a file has started cannot be
 * collected, since the test runner keeps all tests and Node.js all modules; so after some files another process goes on.
 */
import { Session } from 'node:inspector/promises';
import { flushCompileCache } from 'node:module';
import { claimRun, nameOf, RUNS_OF_LANE } from './plan.ts';
import { runFile } from './runner.ts';

/** Grace after the last test: handles that a file leaves open must not keep the lane alive in silence. */
const ENDING_MS = 10_000;

/** All that keeps the process alive, but for its pipes. */
const leftOpen = () => process.getActiveResourcesInfo().filter((each) => each !== 'PipeWrap');
/** The file since which there has always been something; null if nothing is there now. */
let openSince: string | null = null;

for (let count = 0; count < RUNS_OF_LANE; count++) {
  const run = claimRun();
  if (run === undefined) break;
  const { file, database } = run;
  process.env.OPENTILL_TEST_DATABASE = database;
  await runFile(nameOf(run), file, database === 'sqlite' ? '' : `?${database}`);
  openSince = leftOpen().length === 0 ? null : (openSince ?? nameOf(run));
  // Other processes load what this one has compiled.
  flushCompileCache();
}

setTimeout(async () => {
  console.error(
    `A test file has left something open, ${openSince} or one behind it: ${leftOpen().join(', ')}`,
  );
  for (const told of await openTimers()) console.error(told);
  process.exit(1);
}, ENDING_MS).unref();

/** Timers that keep the process alive, which Node.js itself only counts: how long each waits, and the code that it calls. */
async function openTimers(): Promise<readonly string[]> {
  const session = new Session();
  session.connect();
  const ofTimers = await session.post('Runtime.evaluate', {
    expression: 'setTimeout(() => {}).constructor.prototype',
  });
  const { objects } = await session.post('Runtime.queryObjects', {
    prototypeObjectId: ofTimers.result.objectId ?? '',
  });
  const told = await session.post('Runtime.callFunctionOn', {
    objectId: objects.objectId ?? '',
    // The timer of the line above waits for one millisecond.
    functionDeclaration: `function () {
      return this
        .filter((timer) => timer.hasRef() && !timer._destroyed && timer._idleTimeout > 1)
        .map((timer) => 'A timer of ' + timer._idleTimeout + ' ms: ' + timer._onTimeout);
    }`,
    returnByValue: true,
  });
  return told.result.value;
}
