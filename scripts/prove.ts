/**
 * `npm run prove`: runs the campaigns at full length, one after the other, and writes what they have tried and reached to
 * docs/reference/evidence.md.
 *
 *     node scripts/prove.ts [--list] [--short] [names]
 *
 * Names choose campaigns; what is known of the others stays. It ends with 1 if a campaign fails or reaches too little.
 * Those on Citus need its source in a directory that OPENTILL_CITUS names, and are left out where it is not given.
 * `--short` tries a little of all that can be tried in seconds, and writes nothing.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { globalSetup, globalTeardown } from '../test/support/postgres-setup.ts';
import type { Campaign } from './prove/campaign.ts';
import { campaigns } from './prove/campaigns.ts';
import { judged, type Outcome, shortFaults } from './prove/judge.ts';
import { evidencePage, FIGURES, isInNpmTest, outcomes } from './prove/page.ts';
import { runCampaign } from './prove/run.ts';
import { commitOfTree, machine } from './prove/tree.ts';
import { formatted } from './reference/markdown.ts';

const PAGE = 'docs/reference/evidence.md';
const WRITTEN = 'docs/reference/evidence.*';
const NEEDS_CITUS = 'OPENTILL_CITUS must name a directory with the source of Citus';
/** Campaigns of a short run at the same time: each waits for its processes now and then. */
const LANES = 3;

const { values, positionals: names } = parseArgs({
  options: { list: { type: 'boolean', default: false }, short: { type: 'boolean', default: false } },
  allowPositionals: true,
});
process.chdir(join(import.meta.dirname, '..'));
// Campaigns end with this process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const unknown = names.filter((name) => !campaigns.some((campaign) => campaign.name === name));
if (unknown.length > 0) throw new Error(`there is no campaign ${unknown.join(', ')}; --list shows them all`);
const wanted = campaigns.filter(({ name }) => names.length === 0 || names.includes(name));

const citus = process.env.OPENTILL_CITUS;
const leftOut = (campaign: Campaign) => campaign.onCitus === true && citus === undefined;

if (values.list) list();
else if (values.short) await proveInShort();
else await proveAll();

function list(): void {
  for (const campaign of wanted) {
    const where = [
      campaign.short === undefined ? [] : 'short',
      isInNpmTest(campaign) ? 'npm test' : [],
      leftOut(campaign) ? `left out: ${NEEDS_CITUS}` : [],
    ].flat();
    const text = where.length === 0 ? '' : ` (${where.join('; ')})`;
    console.log(`${campaign.name.padEnd(17)} ${campaign.what}${text}`);
  }
}

async function proveAll(): Promise<void> {
  // The tried code has to be in a commit, so that it can be found again.
  if (commitOfTree(WRITTEN).endsWith('-dirty'))
    throw new Error('there are changes that are in no commit; `npm run prove -- --short` tries them, too');
  for (const campaign of wanted) {
    if (!leftOut(campaign)) keep(await outcomeOf(campaign));
    else if (names.length > 0) throw new Error(`${campaign.name}: ${NEEDS_CITUS}`);
    else console.log(`== ${campaign.name}: left out, ${NEEDS_CITUS}`);
  }
}

async function outcomeOf(campaign: Campaign): Promise<Outcome> {
  console.log(`== ${campaign.name}: ${campaign.what}`);
  const ran = await runCampaign(campaign, campaign, citus);
  const outcome = judged(campaign, ran.lines, {
    ...ran,
    date: new Date(),
    commit: commitOfTree(WRITTEN),
    machine,
  });
  console.log(
    outcome.faults.length === 0 ? '   reached' : outcome.faults.map((fault) => `   ${fault}`).join('\n'),
  );
  return outcome;
}

/** Figures of a short run are far from those to reach: what counts is that all passes, and that each figure is there. */
async function proveInShort(): Promise<void> {
  const begun = performance.now();
  const short = wanted.filter((campaign) => campaign.short !== undefined);
  await globalSetup();
  try {
    await Promise.all(Array.from({ length: LANES }, () => lane(short)));
  } finally {
    await globalTeardown();
  }
  console.log(`${Math.round((performance.now() - begun) / 1000)} s`);
  const others = wanted.filter((campaign) => campaign.short === undefined).map(({ name }) => name);
  if (others.length > 0) console.log(`only at length: ${others.join(', ')}`);
}

async function lane(campaigns: Campaign[]): Promise<void> {
  for (let next = campaigns.shift(); next !== undefined; next = campaigns.shift()) {
    if (next.short === undefined) continue;
    const ran = await runCampaign(next, next.short);
    const faults = shortFaults(next, ran);
    if (faults.length > 0) process.exitCode = 1;
    const result = faults.length === 0 ? 'passed' : faults.join('; ');
    console.log(`${next.name.padEnd(17)} ${result}, ${Math.round(60 * ran.minutes)} s`);
  }
}

/** Puts the outcome in the place of the last one of its campaign, at once: a run of hours can be ended in between. */
function keep(outcome: Outcome): void {
  if (outcome.faults.length > 0) process.exitCode = 1;
  const known = outcomes();
  const all = campaigns.flatMap(({ name }) =>
    name === outcome.campaign ? outcome : known.filter(({ campaign }) => campaign === name),
  );
  writeFileSync(FIGURES, formatted(JSON.stringify(all), 'figures.json'));
  writeFileSync(PAGE, formatted(evidencePage()));
}
