/**
 * `npm run prove`: runs the campaigns at full length, one after the other, and writes what they have tried and reached to
 * docs/reference/evidence.md.
 *
 *     node scripts/prove.ts [--list] [names]
 *
 * Names choose campaigns; what is known of the others stays. It ends with 1 if a campaign fails or reaches too little.
 * Those on Citus need its source in a directory that OPENTILL_CITUS names, and are left out where it is not given.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Evidence } from '../test/support/evidence.ts';
import { type Campaign, campaigns } from './prove/campaigns.ts';
import { judged, type Outcome } from './prove/judge.ts';
import { evidencePage, FIGURES, outcomes } from './prove/page.ts';
import { commitOfTree, machine } from './prove/tree.ts';
import { formatted } from './reference/markdown.ts';

const PAGE = 'docs/reference/evidence.md';
/** Of a test that failed. */
const SHOWN_LINES = 80;
const NEEDS_CITUS = 'OPENTILL_CITUS must name a directory with the source of Citus';

const { values, positionals: names } = parseArgs({
  options: { list: { type: 'boolean', default: false } },
  allowPositionals: true,
});
process.chdir(join(import.meta.dirname, '..'));
const unknown = names.filter((name) => !campaigns.some((campaign) => campaign.name === name));
if (unknown.length > 0) throw new Error(`there is no campaign ${unknown.join(', ')}; --list shows them all`);
const wanted = campaigns.filter(({ name }) => names.length === 0 || names.includes(name));

const citus = process.env.OPENTILL_CITUS;
const leftOut = (campaign: Campaign) => campaign.onCitus === true && citus === undefined;

if (values.list)
  for (const campaign of wanted)
    console.log(
      `${campaign.name.padEnd(17)} ${campaign.what}${leftOut(campaign) ? ` (Left out: ${NEEDS_CITUS}.)` : ''}`,
    );
else for (const campaign of wanted) await prove(campaign);

async function prove(campaign: Campaign): Promise<void> {
  if (!leftOut(campaign)) keep(await outcomeOf(campaign));
  else if (names.length > 0) throw new Error(`${campaign.name}: ${NEEDS_CITUS}`);
  else console.log(`== ${campaign.name}: left out, ${NEEDS_CITUS}`);
}

async function outcomeOf(campaign: Campaign): Promise<Outcome> {
  console.log(`== ${campaign.name}: ${campaign.what}`);
  const directory = mkdtempSync(join(tmpdir(), 'opentill-prove-'));
  try {
    const begun = performance.now();
    const runs = campaign.files.flatMap((file) =>
      (campaign.databases ?? [undefined]).map((database) => ({ file, database })),
    );
    let tests = 0;
    let hasFailed = false;
    for (const { file, database } of runs) {
      const passed = await passedIn(file, database, campaign, directory);
      tests += passed ?? 0;
      hasFailed ||= passed === null;
    }
    const minutes = (performance.now() - begun) / 60_000;
    const outcome = judged(campaign, linesOf(directory), {
      tests,
      hasFailed,
      minutes,
      date: new Date(),
      commit: commitOfTree('docs/reference/evidence.*'),
      machine,
    });
    console.log(
      outcome.faults.length === 0 ? '   reached' : outcome.faults.map((fault) => `   ${fault}`).join('\n'),
    );
    return outcome;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/**
 * Runs a file, and returns how many of its tests have passed, 0 for a program that only measures; if something failed, it
 * shows the end of what was said, and returns null.
 */
async function passedIn(
  file: string,
  database: string | undefined,
  campaign: Campaign,
  directory: string,
): Promise<number | null> {
  const log = join(directory, 'log');
  const output = openSync(log, 'w');
  // Not all of them end so that `npm test` would run them.
  const isTest = file.startsWith('test/');
  const args = isTest ? ['--test', '--test-reporter=spec', file] : [file];
  const command = [process.execPath, ...args];
  const onCitus = campaign.onCitus === true && citus !== undefined;
  const [program = '', ...given] = onCitus ? ['scripts/citus.sh', citus, ...command] : command;
  const child = spawn(program, given, {
    stdio: ['ignore', output, output],
    timeout: campaign.limitMinutes * 60_000,
    env: {
      ...process.env,
      ...campaign.environment,
      ...(database === undefined ? {} : { OPENTILL_TEST_DATABASE: database }),
      OPENTILL_TEST_SCALE: String(campaign.scale),
      OPENTILL_EVIDENCE: join(directory, 'lines'),
    },
  });
  const status = await new Promise<number | null>((resolve) => child.on('close', resolve));
  const said = readFileSync(log, 'utf8');
  const passed = isTest ? /^ℹ pass (\d+)$/m.exec(said)?.[1] : '0';
  if (status === 0 && passed !== undefined) return Number(passed);
  console.log(said.split('\n').slice(-SHOWN_LINES).join('\n'));
  return null;
}

function linesOf(directory: string): Evidence[] {
  const path = join(directory, 'lines');
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** Puts the outcome in the place of the last one of its campaign, at once: a run of hours can be ended in between. */
function keep(outcome: Outcome): void {
  if (outcome.faults.length > 0) process.exitCode = 1;
  const known = outcomes();
  const all = campaigns.flatMap(({ name }) =>
    name === outcome.campaign ? outcome : known.filter(({ campaign }) => campaign === name),
  );
  writeFileSync(FIGURES, formatted(JSON.stringify(all), 'json'));
  writeFileSync(PAGE, formatted(evidencePage()));
}
