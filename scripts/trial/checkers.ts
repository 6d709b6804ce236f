/** The checkers that planted faults are tried on, and what each of them says of a tree. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { UntilFound } from '../../test/sim/until-found.ts';
import type { Checker } from '../faults/fault.ts';
import { runTests } from './run-tests.ts';

export type Found = {
  readonly isFound: boolean;
  /** The number of trials until the fault was found, or in all. */
  readonly after: number;
  /** The error, in the words of the checker. */
  readonly said: string;
};

type Trier = {
  /** The unit of `after`. */
  readonly counts: string;
  readonly check: (tree: string, seed: number) => Promise<Found>;
};

/** Within which each fault is to be found. */
const MOST_HISTORIES = 2_000;
/** Longer than so many histories take, or a search, on a machine with other work. */
const TIMEOUT_MS = 1_200_000;
const LONGEST_SAID = 100;

const RULES = 'test/checkout/exhaustive/exhaustive.test.ts';
/** The smallest bounds find most, and in the shortest time; then those of `npm run test:all` are searched. */
const SCALES = ['1', '4'];

const run = promisify(execFile);

export const checkers: Readonly<Record<Checker, Trier>> = {
  simulation: {
    counts: 'histories',
    async check(tree, seed) {
      const args = ['test/sim/until-found.ts', String(seed), String(MOST_HISTORIES)];
      try {
        const { stdout } = await run(process.execPath, args, { cwd: tree, timeout: TIMEOUT_MS });
        const { histories, fault }: UntilFound = JSON.parse(stdout);
        return { isFound: fault !== null, after: histories, said: shortened(fault ?? '') };
      } catch (error) {
        // A fault that hangs or fails at once would be noticed by any test: the checker has found nothing.
        return { isFound: false, after: 0, said: shortened(String(error)) };
      }
    },
  },
  rules: {
    counts: 'searches',
    async check(tree) {
      for (const [index, scale] of SCALES.entries()) {
        const settings = { timeoutMs: TIMEOUT_MS, env: { OPENTILL_TEST_SCALE: scale } };
        const { result, first } = await runTests(tree, [RULES], settings);
        if (result !== 'passed')
          return { isFound: result === 'failed', after: index + 1, said: shortened(first) };
      }
      return { isFound: false, after: SCALES.length, said: '' };
    },
  },
};

/** The first line, with ids reduced to their kind: random parts tell nothing. */
function shortened(text: string): string {
  const [line = ''] = text.split('\n');
  const plain = line.replace(/\b([a-z]{2,4})_[0-9a-z]{20,}/g, '$1_…');
  return plain.length > LONGEST_SAID ? `${plain.slice(0, LONGEST_SAID)}…` : plain;
}
