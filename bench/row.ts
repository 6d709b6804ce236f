/** A row of the bench: what is measured, what is to be reached, and what came of it. */
import type { Bound } from '../scripts/prove/campaign.ts';
import type { Figures, Table } from '../test/support/evidence.ts';
import type { Bench } from './bench.ts';

/** Figures by their names, with their unit last, and a table of what has no place among them. */
export type Measured = { readonly figures: Figures; readonly table?: Table };

/** Bounds of figures by their names. */
export type Bounds = Readonly<Record<string, Bound>>;

export type Row = {
  readonly name: string;
  readonly title: string;
  readonly reach: Bounds;
  readonly aim: Bounds;
  /** True if it runs only by its name, as it takes too long for a run of all. */
  readonly isLong?: true;
  readonly run: (bench: Bench) => Promise<Measured>;
};

/** Record of a row that has run. */
export type Outcome = Measured & {
  readonly row: string;
  readonly seconds: number;
  /** ISO 8601. */
  readonly date: string;
  readonly commit: string;
  readonly machine: string;
  /** Processes that could run when the row began, on average over a minute: what else the machine had to do. */
  readonly load: number;
  /** Time of a small write to be on the disk then; a disk that others use makes changes slow. */
  readonly syncMs: number;
};

export type Verdict = 'aim' | 'reached' | 'not reached' | 'measured';

/** Verdict on figures: `measured` where nothing is to be reached. */
export function verdictOf({ reach, aim }: Pick<Row, 'reach' | 'aim'>, figures: Figures): Verdict {
  const keeps = (bounds: Bounds) =>
    Object.entries(bounds).every(([name, bound]) => isWithin(figures[name], bound));
  if (Object.keys(reach).length === 0) return 'measured';
  if (!keeps(reach)) return 'not reached';
  return Object.keys(aim).length > 0 && keeps(aim) ? 'aim' : 'reached';
}

/** A figure that is missing, or no number, reaches nothing. */
function isWithin(value: number | undefined, bound: Bound): boolean {
  if (value === undefined || Number.isNaN(value)) return false;
  return 'atLeast' in bound ? value >= bound.atLeast : value <= bound.atMost;
}
