/** docs/reference/evidence.md, from what the campaigns came to. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generatedFrom, table } from '../reference/markdown.ts';

import { type Campaign, CHAPTERS, campaigns } from './campaigns.ts';
import { boundText, type Outcome } from './judge.ts';

export const FIGURES = join(import.meta.dirname, '../../docs/reference/evidence.json');

const INTRODUCTION = `# Evidence

**Reference.** What was tried to make opentill lose or double money, let somebody in, or let one caller stop the others:
how often, and what came of it. \`npm run prove\` writes this page, and \`npm run prove -- kill\` repeats one campaign: on
your machine, with other seeds; those on Citus run where \`OPENTILL_CITUS\` names a directory with its source. [Tests](../internals/testing.md) has how they work, and [security](../explanation/security.md)
what is defended against.
`;

/** What is known of each campaign. */
export function outcomes(): Outcome[] {
  return existsSync(FIGURES) ? JSON.parse(readFileSync(FIGURES, 'utf8')) : [];
}

export function evidencePage(): string {
  const known = outcomes();
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

function part(campaign: Campaign, outcome: Outcome | undefined): string {
  return `### \`${campaign.name}\`\n\n${campaign.what}\n\n${outcome === undefined ? 'Not run yet.\n' : result(campaign, outcome)}`;
}

function result({ reach }: Campaign, outcome: Outcome): string {
  const rows = Object.entries(outcome.figures).map(([name, value]) => {
    const bound = reach[name];
    return `| ${name.replaceAll('_', ' ')} | ${value.toLocaleString('en')} | ${bound === undefined ? '' : boundText(bound)} |`;
  });
  const { faults, tables, date, commit, machine, minutes, seeds } = outcome;
  const verdict = faults.length === 0 ? 'Reached' : `**Not reached**: ${faults.join('; ')}`;
  const seedsText = seeds.length === 0 ? '' : `, seed ${seeds.join(', ')}`;
  return `| Figure | Found | To reach |
| --- | ---: | --- |
${rows.join('\n')}

${verdict}. ${date}, commit ${commit}, ${minutes} minutes${seedsText}; ${machine}.
${tables.map(({ head, rows }) => `\n${table(head, rows)}`).join('')}`;
}
