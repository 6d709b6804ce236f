/** The verdict on a campaign's figures. */
import type { Evidence, Figures, Line, Table } from '../../test/support/evidence.ts';
import type { Bound, Campaign } from './campaign.ts';
import type { Ran } from './run.ts';

/** The stored result of a campaign. */
export interface Outcome {
  readonly campaign: string;
  readonly figures: Figures;
  readonly tables: readonly Table[];
  /** Goals that were missed, in words; empty if all were reached. */
  readonly faults: readonly string[];
  readonly seeds: readonly number[];
  readonly minutes: number;
  /** ISO 8601. */
  readonly date: string;
  /** The commit that was tried, and what it ran on. */
  readonly commit: string;
  /** True if the history does not have the commit any more, so that nobody can look at what was tried. */
  readonly commitIsGone?: boolean;
  readonly machine: string;
}

/** Figures with these endings count at their worst; all others are added up. */
const WORST = /_(ms|mib|ratio)$/;

export interface Ended extends Omit<Ran, 'lines'> {
  readonly date: Date;
  readonly commit: string;
  readonly machine: string;
}

const linesFor = ({ name }: Campaign, lines: readonly Line[]): Evidence[] =>
  lines.flatMap((line) => ('campaign' in line && line.campaign === name ? line : []));

export function judged(campaign: Campaign, lines: readonly Line[], ended: Ended): Outcome {
  const own = linesFor(campaign, lines);
  const ranOn = new Set(lines.flatMap((line) => ('ranOn' in line ? line.ranOn : [])));
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
    machine: [ended.machine, ...ranOn].join(', '),
  };
}

/** Faults of a short run: it has failed, or does not say what a long one would have to reach. */
export function shortFaults(campaign: Campaign, { lines, tests, hasFailed }: Ran): string[] {
  const figures = together([{ tests }, ...linesFor(campaign, lines).map((line) => line.figures)]);
  const unsaid = Object.keys(campaign.reach).filter((name) => figures[name] === undefined);
  return [
    ...(hasFailed ? ['a test failed'] : []),
    ...unsaid.map((name) => `${name} was not said`),
    ...Object.entries(campaign.reach).flatMap(([name, bound]) =>
      'atLeast' in bound && figures[name] === 0 ? `${name} is 0` : [],
    ),
  ];
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
