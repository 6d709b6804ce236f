/**
 * What a campaign has tried and found, in figures: for whoever reads the output of its test, and for `npm run prove`,
 * which collects them in the file that OPENTILL_EVIDENCE names.
 */
import { appendFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { seed } from './seed.ts';

/** Names with their unit last. What ends in `ms`, `mib` or `ratio` is the worst that was seen; all else is counted. */
export type Figures = Readonly<Record<string, number>>;

/** A line of the file. A campaign has one for each of its tests that says something. */
export interface Evidence {
  readonly campaign: string;
  readonly figures: Figures;
  readonly seed: number;
  readonly table?: Table;
}

/** Of what has no place in a few figures. */
export interface Table {
  readonly head: readonly string[];
  readonly rows: ReadonlyArray<readonly (string | number)[]>;
}

/** Throws where a figure is no number, which nothing can be compared with. */
export function evidence(
  t: Pick<TestContext, 'diagnostic'>,
  campaign: string,
  figures: Figures,
  table?: Table,
): void {
  const text = Object.entries(figures).map(([name, value]) => {
    if (!Number.isFinite(value)) throw new TypeError(`${campaign}: ${name} is ${value}, which tells nothing`);
    return `${name} ${value}`;
  });
  t.diagnostic(`${campaign}: ${text.join(', ')}`);
  const path = process.env.OPENTILL_EVIDENCE;
  if (path === undefined) return;
  const line: Evidence = { campaign, figures, seed, ...(table === undefined ? {} : { table }) };
  appendFileSync(path, `${JSON.stringify(line)}\n`);
}
