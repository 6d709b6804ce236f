/**
 * Plants known faults, one at a time, in a copy of the tree, and says whether the tests that answer for them find them:
 * mistakes in the rules, the store, the rails, the webhooks and HTTP, as a person would make them.
 *
 *     node scripts/plant-faults.ts --sample 10
 *     node scripts/plant-faults.ts --only 'money is booked each time that it is reported'
 *
 * A fault whose text is no longer in the code, or is there twice, is an error before anything is planted; `--check` looks
 * for nothing else. So the list cannot rot.
 */
import { parseArgs } from 'node:util';
import { migratedDatabase } from '../test/support/postgres.ts';
import { globalSetup, globalTeardown } from '../test/support/postgres-setup.ts';
import { allFaults, obstacleTo, planted } from './faults/all.ts';
import type { Fault } from './faults/fault.ts';
import { type Copy, copyOfTree, root } from './trial/copy.ts';
import { runTests, type Verdict } from './trial/run-tests.ts';
import { freshSeed, sampleOf, wholeNumber } from './trial/sample.ts';

/** Longer than any of the named files takes, on a machine with other work. */
const TIMEOUT_MS = 180_000;

const { values } = parseArgs({
  options: {
    sample: { type: 'string' },
    seed: { type: 'string' },
    /** The name of a fault, or the beginning of the path of its file; may be given several times. */
    only: { type: 'string', multiple: true },
    list: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
});
const { only } = values;
for (const text of only ?? [])
  if (!allFaults.some((fault) => isMeant(fault, text))) throw new Error(`there is no fault ${text}`);
const meant =
  only === undefined ? allFaults : allFaults.filter((fault) => only.some((text) => isMeant(fault, text)));
const seed = wholeNumber('seed', values.seed ?? process.env.OPENTILL_SEED, freshSeed());
const chosen =
  values.sample === undefined ? meant : sampleOf(meant, wholeNumber('sample', values.sample, 0), seed);

const obstacles = allFaults.flatMap((fault) => {
  const obstacle = obstacleTo(fault, root);
  return obstacle === null ? [] : [`cannot be planted: ${fault.name} (${fault.file}): ${obstacle}`];
});
if (obstacles.length > 0) {
  for (const obstacle of obstacles) console.log(obstacle);
  process.exitCode = 1;
} else if (values.check) {
  console.log(`${allFaults.length} faults can be planted`);
} else if (values.list) {
  for (const { name, file } of chosen) console.log(`${file}: ${name}`);
} else {
  console.log(`${chosen.length} of ${allFaults.length} faults${values.sample ? `, --seed ${seed}` : ''}`);
  const missed = await missedOf(chosen);
  for (const name of missed) console.log(`not found: ${name}`);
  console.log(missed.length === 0 ? 'all of them were found' : `${missed.length} were not found`);
  if (missed.length > 0) process.exitCode = 1;
}

function isMeant({ name, file }: Fault, text: string): boolean {
  return name === text || file.startsWith(text);
}

/** The names of those that no test has found. */
async function missedOf(faults: readonly Fault[]): Promise<string[]> {
  const missed: string[] = [];
  const copy = copyOfTree();
  if (faults.some(({ withPostgres }) => withPostgres)) await startPostgres();
  for (const [index, fault] of faults.entries()) {
    const { result, first, seconds } = await tried(copy, fault);
    const isFound = result === 'failed';
    if (!isFound) missed.push(fault.name);
    const how = isFound ? `found by “${first}”` : result === 'passed' ? 'NOT FOUND' : 'TIMED OUT';
    console.log(`${index + 1}. ${fault.name} (${fault.file}): ${how}, ${seconds.toFixed(1)} s`);
  }
  await globalTeardown();
  return missed;
}

/** The server that the tests share, with a template that no fault has made. */
async function startPostgres(): Promise<void> {
  await globalSetup();
  const ends: Array<() => Promise<void>> = [];
  await migratedDatabase({ after: (end: () => Promise<void>) => void ends.push(end) });
  for (const end of ends) await end();
}

/** Runs its tests one file after the other until one fails. */
async function tried(copy: Copy, fault: Fault): Promise<Verdict> {
  const { file, tests, histories, whole = false } = fault;
  const env = {
    ...(histories && { OPENTILL_SEED: `${histories.seed}`, COUNT: `${histories.count}` }),
    ...(whole && { OPENTILL_TEST_SCALE: '2' }),
  };
  return copy.with(file, planted(copy.root, fault), async () => {
    let verdict: Verdict = { result: 'passed', first: '', seconds: 0 };
    for (const test of tests) {
      verdict = await runTests(copy.root, [test], { timeoutMs: TIMEOUT_MS, env });
      if (verdict.result !== 'passed') return verdict;
    }
    return verdict;
  });
}
