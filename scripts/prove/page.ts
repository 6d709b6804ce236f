/** docs/reference/evidence.md, from what the campaigns came to. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generatedFrom, table } from '../reference/markdown.ts';
import { COMPILED, LONG_CAMPAIGNS } from '../test/plan.ts';
import { type Campaign, CHAPTERS } from './campaign.ts';
import { campaigns } from './campaigns.ts';
import { boundText, type Outcome } from './judge.ts';

export const FIGURES = join(import.meta.dirname, '../../docs/reference/evidence.json');

const INTRODUCTION = `# Evidence

**Reference.** What was tried to make opentill lose or double money, let somebody in, or let one caller stop the others:
how often, and what came of it. \`npm run prove\` writes this page, and \`npm run prove -- kill\` repeats one campaign: on
your machine, with other seeds; those on Citus run where \`OPENTILL_CITUS\` names a directory with its source. [Tests](../internals/testing.md) has how they work, and [security](../explanation/security.md)
what is defended against.
`;

/** The stored results of all campaigns. */
export function outcomes(): Outcome[] {
  return existsSync(FIGURES) ? JSON.parse(readFileSync(FIGURES, 'utf8')) : [];
}

/** The same, marked by whether the history has their commits; as they are where that is not known. */
export function markedOutcomes(commits: readonly string[] | null): Outcome[] {
  if (commits === null) return outcomes();
  return outcomes().map(({ commitIsGone: _, ...outcome }) =>
    commits.some((commit) => commit.startsWith(outcome.commit.replace(/-dirty$/, '')))
      ? outcome
      : { ...outcome, commitIsGone: true },
  );
}

export function evidencePage(known = outcomes()): string {
  const chapters = CHAPTERS.map((chapter) => {
    const own = campaigns.filter((campaign) => campaign.chapter === chapter);
    const parts = own.map((campaign) =>
      part(
        campaign,
        known.find((one) => one.campaign === campaign.name),
      ),
    );
    return `## ${chapter}\n\n${parts.join('\n')}`;
  });
  return `${generatedFrom('docs/reference/evidence.json')}\n${INTRODUCTION}\n${chapters.join('\n')}`;
}

/** True of a campaign that `npm test` has as well, shorter. */
export const isInNpmTest = ({ files, onCitus }: Campaign): boolean =>
  onCitus !== true &&
  files.every((file) => file.endsWith('.test.ts') && !LONG_CAMPAIGNS.test(file) && !COMPILED.test(file));

function part(campaign: Campaign, outcome: Outcome | undefined): string {
  const inNpmTest = isInNpmTest(campaign) ? ' In short it is a part of `npm test`.' : '';
  return `### \`${campaign.name}\`\n\n${campaign.what}${inNpmTest}\n\n${outcome === undefined ? 'Not run yet.\n' : result(campaign, outcome)}`;
}

function result({ reach }: Campaign, outcome: Outcome): string {
  const rows = Object.entries(outcome.figures).map(([name, value]) => {
    const bound = reach[name];
    return `| ${name.replaceAll('_', ' ')} | ${value.toLocaleString('en')} | ${bound === undefined ? '' : boundText(bound)} |`;
  });
  const { faults, tables, date, commit, commitIsGone, machine, minutes, seeds } = outcome;
  const verdict = faults.length === 0 ? 'Reached' : `**Not reached**: ${faults.join('; ')}`;
  const seedsText = seeds.length === 0 ? '' : `, seed ${seeds.join(', ')}`;
  const commitText = commitIsGone
    ? `commit ${commit}, **which the history does not have**`
    : `commit ${commit}`;
  return `| Figure | Found | To reach |
| --- | ---: | --- |
${rows.join('\n')}

${verdict}. ${date}, ${commitText}, ${minutes} minutes${seedsText}; ${machine}.
${tables.map(({ head, rows }) => `\n${table(head, rows)}`).join('')}`;
}
