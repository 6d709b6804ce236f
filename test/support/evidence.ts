/**
 * Figures of a campaign: printed with the output of its test, and read by `npm run prove`, which collects
 * them in the file that OPENTILL_EVIDENCE names.
 */
import { appendFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { seed } from './seed.ts';

/** Names with their unit last. What ends in `ms`, `mib` or `ratio` is the worst that was seen; all else is counted. */
export type Figures = Readonly<Record<string, number>>;

/** Figures of a campaign, as a line of the file. A campaign has one for each of its tests that says something. */
export interface Evidence {
  readonly campaign: string;
  readonly figures: Figures;
  readonly seed: number;
  readonly table?: Table;
}

/** A line of the file, too: what the tests ran on beside Node.js, such as `PostgreSQL 18.4`. */
export interface RanOn {
  readonly ranOn: string;
}

export type Line = Evidence | RanOn;

/** A table of results that do not fit into a few figures. */
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
  write({ campaign, figures, seed, ...(table === undefined ? {} : { table }) });
}

const ranOnSoFar = new Set<string>();

/** Notes what a campaign runs on; `what` is asked for only where somebody collects it. */
export async function noteRanOn(what: () => Promise<readonly string[]>): Promise<void> {
  if (process.env.OPENTILL_EVIDENCE === undefined) return;
  for (const ranOn of await what()) {
    if (ranOnSoFar.has(ranOn)) continue;
    ranOnSoFar.add(ranOn);
    write({ ranOn });
  }
}

function write(line: Line): void {
  const path = process.env.OPENTILL_EVIDENCE;
  if (path !== undefined) appendFileSync(path, `${JSON.stringify(line)}\n`);
}
