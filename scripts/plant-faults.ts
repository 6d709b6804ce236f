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
import { existsSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { migratedDatabase } from '../test/support/postgres.ts';
import { globalSetup, globalTeardown } from '../test/support/postgres-setup.ts';
import { bankingFaults } from './faults/banking.ts';
import { checkoutFaults } from './faults/checkout.ts';
import type { Fault } from './faults/fault.ts';
import { httpFaults } from './faults/http.ts';
import { methodFaults } from './faults/methods.ts';
import { nodeFaults } from './faults/nodes.ts';
import { operationFaults } from './faults/operation.ts';
import { simulationFaults } from './faults/simulation.ts';
import { statementFaults } from './faults/statements.ts';
import { storeFaults } from './faults/store.ts';
import { webhookFaults } from './faults/webhooks.ts';
import { writerFaults } from './faults/writer.ts';
import { type Copy, copyOfTree, root } from './trial/copy.ts';
import { runTests, type Verdict } from './trial/run-tests.ts';
import { freshSeed, sampleOf, wholeNumber } from './trial/sample.ts';

const all: readonly Fault[] = [
  ...checkoutFaults,
  ...webhookFaults,
  ...statementFaults,
  ...bankingFaults,
  ...methodFaults,
  ...httpFaults,
  ...writerFaults,
  ...storeFaults,
  ...nodeFaults,
  ...operationFaults,
  ...simulationFaults,
];

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
  if (!all.some((fault) => isMeant(fault, text))) throw new Error(`there is no fault ${text}`);
const meant = only === undefined ? all : all.filter((fault) => only.some((text) => isMeant(fault, text)));
const seed = wholeNumber('seed', values.seed ?? process.env.OPENTILL_SEED, freshSeed());
const chosen =
  values.sample === undefined ? meant : sampleOf(meant, wholeNumber('sample', values.sample, 0), seed);

const obstacles = all.flatMap((fault) => {
  const obstacle = obstacleTo(fault);
  return obstacle === null ? [] : [`cannot be planted: ${fault.name} (${fault.file}): ${obstacle}`];
});
if (obstacles.length > 0) {
  for (const obstacle of obstacles) console.log(obstacle);
  process.exitCode = 1;
} else if (values.check) {
  console.log(`${all.length} faults can be planted`);
} else if (values.list) {
  for (const { name, file } of chosen) console.log(`${file}: ${name}`);
} else {
  console.log(`${chosen.length} of ${all.length} faults${values.sample ? `, --seed ${seed}` : ''}`);
  const missed = await missedOf(chosen);
  for (const name of missed) console.log(`not found: ${name}`);
  console.log(missed.length === 0 ? 'all of them were found' : `${missed.length} were not found`);
  if (missed.length > 0) process.exitCode = 1;
}

function isMeant({ name, file }: Fault, text: string): boolean {
  return name === text || file.startsWith(text);
}

/** Why the fault cannot be planted, or null. */
function obstacleTo(fault: Fault): string | null {
  const { name, file, find, replace, tests } = fault;
  if (all.filter((each) => each.name === name).length > 1) return 'another one has its name';
  if (!existsSync(join(root, file))) return 'there is no such file';
  const count = readFileSync(join(root, file), 'utf8').split(find).length - 1;
  if (count !== 1) return `its text is there ${count} times`;
  if (find === replace) return 'it changes nothing';
  const missing = tests.find((test) => !existsSync(join(root, test)));
  if (missing !== undefined) return `there is no ${missing}`;
  try {
    // What cannot even be loaded would be found by any test.
    stripTypeScriptTypes(planted(root, fault));
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : 'it is no TypeScript';
  }
}

function planted(tree: string, { file, find, replace }: Fault): string {
  return readFileSync(join(tree, file), 'utf8').split(find).join(replace);
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
  const { file, tests, histories } = fault;
  const env =
    histories === undefined ? {} : { OPENTILL_SEED: `${histories.seed}`, COUNT: `${histories.count}` };
  return copy.with(file, planted(copy.root, fault), async () => {
    let verdict: Verdict = { result: 'passed', first: '', seconds: 0 };
    for (const test of tests) {
      verdict = await runTests(copy.root, [test], { timeoutMs: TIMEOUT_MS, env });
      if (verdict.result !== 'passed') return verdict;
    }
    return verdict;
  });
}
