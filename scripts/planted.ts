/**
 * The campaign `planted`: plants each fault that a checker is there for, one at a time, in copies of the tree, and says how
 * soon the checker finds it. A checker that finds nothing proves nothing, and neither does one that finds something where
 * nothing is wrong: each is tried on the code as it is as well.
 *
 *     node scripts/planted.ts
 *     OPENTILL_SEED=1 node scripts/planted.ts lease 'lost event'
 *
 * Words keep to the faults that have one of them in their names, or are planted in a path that begins so.
 */
import { availableParallelism } from 'node:os';
import { evidence } from '../test/support/evidence.ts';
import { seed } from '../test/support/seed.ts';
import { allFaults, planted } from './faults/all.ts';
import type { Checker, Fault } from './faults/fault.ts';
import { checkers, type Found } from './trial/checkers.ts';
import { type Copy, copyOfTree } from './trial/copy.ts';

/** A checker on the code with a fault, or as it is. */
type Trial = { readonly checker: Checker; readonly fault: Fault | null };
type Ended = Trial & Found;

const names = ['simulation', 'rules'] as const satisfies readonly Checker[];
const words = process.argv.slice(2);
const meant = allFaults.filter(
  ({ name, file }) =>
    words.length === 0 || words.some((word) => name.includes(word) || file.startsWith(word)),
);
const trials = names.flatMap((checker): Trial[] => [
  // The slowest runs start first.
  { checker, fault: null },
  ...meant.filter((fault) => fault.checkers?.[checker] === 'finds').map((fault) => ({ checker, fault })),
]);

console.log(`${trials.length} trials, OPENTILL_SEED=${seed}`);
const waiting = trials.values();
const lanes = Array.from({ length: availableParallelism() }, copyOfTree);
tell((await Promise.all(lanes.map(tryInTurn))).flat());

/** Lanes share what waits: each takes the next trial that no other has taken. */
async function tryInTurn(copy: Copy): Promise<Ended[]> {
  const done: Ended[] = [];
  for (const trial of waiting) {
    const begun = performance.now();
    const found = await tried(copy, trial);
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    const how = found.isFound ? `found in ${found.after}: ${found.said}` : `NOT FOUND in ${found.after}`;
    console.log(`${trial.checker}, ${seconds} s, ${trial.fault?.name ?? 'the code as it is'}: ${how}`);
    done.push({ ...trial, ...found });
  }
  return done;
}

function tried(copy: Copy, { checker, fault }: Trial): Promise<Found> {
  const check = () => checkers[checker].check(copy.root, seed);
  return fault === null ? check() : copy.with(fault.file, planted(copy.root, fault), check);
}

function tell(ended: readonly Ended[]): void {
  const of = (checker: Checker) => ended.filter((each) => each.checker === checker && each.fault !== null);
  const isFound = (each: Ended) => each.isFound;
  const simulated = of('simulation');
  const searched = of('rules');
  evidence(
    { diagnostic: console.log },
    'planted',
    {
      planted: simulated.length,
      found: simulated.filter(isFound).length,
      most_histories: Math.max(0, ...simulated.filter(isFound).map(({ after }) => after)),
      rules_planted: searched.length,
      rules_missed: searched.filter((each) => !each.isFound).length,
      false_alarms: ended.filter((each) => each.fault === null && each.isFound).length,
      // A checker that was stopped has said nothing about the code as it is.
      not_tried_to_the_end: ended.filter((each) => each.after === 0).length,
    },
    {
      head: ['Fault', 'Checker', 'Found after', 'As'],
      rows: [
        ...[...simulated, ...searched].map(({ fault, checker, isFound, after, said }) => [
          fault?.name ?? '',
          checker,
          isFound ? `${after} ${checkers[checker].counts}` : 'never',
          said,
        ]),
        ...names.flatMap((checker) => meant.flatMap((fault) => beyond(fault, checker))),
      ],
    },
  );
}

/** The row of a fault that the checker cannot find, if there is a reason for that. */
function beyond({ name, checkers = {} }: Fault, checker: Checker): string[][] {
  const { [checker]: expectation = 'finds' } = checkers;
  return expectation === 'finds' ? [] : [[name, checker, 'not tried', expectation.beyond]];
}
