/** docs/reference/performance.md, from what the rows came to. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bound } from '../scripts/prove/campaign.ts';
import { boundText } from '../scripts/prove/judge.ts';
import { generatedFrom, table } from '../scripts/reference/markdown.ts';
import { type Outcome, type Row, verdictOf } from './row.ts';
import { rows } from './rows.ts';

export const FIGURES = join(import.meta.dirname, '../docs/reference/performance.json');
export const PAGE = join(import.meta.dirname, '../docs/reference/performance.md');

const INTRODUCTION = `# Performance

**Reference.** How fast the service is: as ratios to something simpler in the same run where that is possible, since rates
say more about the machine than about the code, and with the processor time of each request, which noise hardly moves.
\`npm run bench\` writes this page, and \`npm run bench -- fetch\` measures one row anew.
`;

/** Newest record of each row. */
export function outcomes(): Outcome[] {
  return existsSync(FIGURES) ? JSON.parse(readFileSync(FIGURES, 'utf8')) : [];
}

export function performancePage(): string {
  const known = new Map(outcomes().map((outcome) => [outcome.row, outcome]));
  const overview = rows.map((row) => {
    const outcome = known.get(row.name);
    return [
      `[${row.name}](#${row.name})`,
      row.title,
      outcome === undefined ? '' : foundText(row, outcome),
      boundsText(row.reach),
      boundsText(row.aim),
      outcome === undefined ? 'not run yet' : verdictOf(row, outcome.figures),
    ];
  });
  const head = ['Row', 'What', 'Found', 'Reach', 'Aim', ''];
  const parts = rows.map((row) => part(row, known.get(row.name)));
  return [
    generatedFrom('docs/reference/performance.json'),
    INTRODUCTION,
    table(head, overview),
    ...parts,
  ].join('\n');
}

/** The figures that something is asked of. */
export function foundText({ reach }: Row, { figures }: Outcome): string {
  return Object.keys(reach)
    .map((name) => `${words(name)} ${figures[name]?.toLocaleString('en') ?? '–'}`)
    .join(', ');
}

function boundsText(bounds: Row['reach']): string {
  const texts = Object.values<Bound>(bounds).map(boundText);
  return [...new Set(texts)].join(', ');
}

function part(row: Row, outcome: Outcome | undefined): string {
  const head = `## ${row.name}\n\n${row.title}.\n`;
  if (outcome === undefined) return `${head}\nNot run yet.\n`;
  const { figures, table: more, date, commit, machine, load, syncMs, seconds } = outcome;
  const lines = Object.entries(figures).map(([name, value]) => [words(name), value.toLocaleString('en')]);
  const about = `${date}, commit ${commit}, ${seconds} s; ${machine}; before: load ${load}, ${syncMs} ms for a write to the disk.`;
  return [
    head,
    table(['Figure', 'Found'], lines),
    ...(more === undefined ? [] : [table(more.head, more.rows)]),
    `${about}\n`,
  ].join('\n');
}

const words = (name: string): string => name.replaceAll('_', ' ');
