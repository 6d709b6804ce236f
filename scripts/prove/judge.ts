/** What the figures of a campaign come to. */
import type { Evidence, Figures, Table } from '../../test/support/evidence.ts';
import type { Bound, Campaign } from './campaigns.ts';

/** What is kept of a campaign. */
export interface Outcome {
  readonly campaign: string;
  readonly figures: Figures;
  readonly tables: readonly Table[];
  /** What was not reached, in words; none if all was. */
  readonly faults: readonly string[];
  readonly seeds: readonly number[];
  readonly minutes: number;
  /** ISO 8601. */
  readonly date: string;
  /** The commit that was tried, and what it ran on. */
  readonly commit: string;
  readonly machine: string;
}

/** Of what ends so, the worst counts; all else is added up. */
const WORST = /_(ms|mib|ratio)$/;

export interface Ended {
  /** So many tests have passed; 0 where there are only programs that measure. */
  readonly tests: number;
  /** Whether a test, or such a program, has failed. */
  readonly hasFailed: boolean;
  readonly minutes: number;
  readonly date: Date;
  readonly commit: string;
  readonly machine: string;
}

export function judged(campaign: Campaign, lines: readonly Evidence[], ended: Ended): Outcome {
  const own = lines.filter((line) => line.campaign === campaign.name);
  const passed: Figures = ended.tests > 0 ? { tests: ended.tests } : {};
  const figures = together([...own.map((line) => line.figures), passed]);
  const faults = Object.entries(campaign.reach).flatMap(([name, bound]) => {
    const value = figures[name];
    if (value === undefined) return `${name} was not said`;
    return isReached(value, bound) ? [] : `${name} is ${value}, not ${boundText(bound)}`;
  });
  return {
    campaign: campaign.name,
    figures,
    tables: own.flatMap((line) => line.table ?? []),
    faults: ended.hasFailed ? ['a test failed', ...faults] : faults,
    seeds: [...new Set(own.map((line) => line.seed))],
    minutes: Math.round(ended.minutes * 10) / 10,
    date: ended.date.toISOString().slice(0, 10),
    commit: ended.commit,
    machine: ended.machine,
  };
}

function together(all: readonly Figures[]): Figures {
  const result: Record<string, number> = {};
  for (const [name, value] of all.flatMap((figures) => Object.entries(figures))) {
    const before = result[name];
    if (before === undefined) result[name] = value;
    else result[name] = WORST.test(name) ? Math.max(before, value) : before + value;
  }
  return result;
}

const isReached = (value: number, bound: Bound): boolean =>
  'atLeast' in bound ? value >= bound.atLeast : value <= bound.atMost;

export const boundText = (bound: Bound): string =>
  'atLeast' in bound ? `at least ${bound.atLeast}` : `at most ${bound.atMost}`;
