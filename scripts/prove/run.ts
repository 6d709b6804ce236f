/** Runs a campaign: each of its files in a process of its own, which says its figures by way of a file. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Line } from '../../test/support/evidence.ts';
import type { Campaign } from './campaign.ts';

/** Output lines shown of a failed test. */
const SHOWN_LINES = 1_000;

export type Ran = {
  readonly lines: readonly Line[];
  /** The number of tests that passed; 0 where there are only programs that measure. */
  readonly tests: number;
  /** Set if a test or program failed; the end of its output was printed. */
  readonly hasFailed: boolean;
  readonly minutes: number;
};

export type How = Pick<Campaign, 'scale' | 'environment'>;

/** `citus` is a directory with the source of Citus. */
export async function runCampaign(
  campaign: Campaign,
  how: How = campaign,
  citus: string | undefined = undefined,
): Promise<Ran> {
  const directory = mkdtempSync(join(tmpdir(), 'opentill-prove-'));
  try {
    const begun = performance.now();
    const runs = campaign.files.flatMap((file) =>
      (campaign.databases ?? [undefined]).map((database) => ({ file, database })),
    );
    let tests = 0;
    let hasFailed = false;
    for (const { file, database } of runs) {
      const command = commandOf(file, campaign.onCitus === true ? citus : undefined);
      const passed = await passedBy(command, directory, campaign.limitMinutes, {
        ...how.environment,
        ...(database === undefined ? {} : { OPENTILL_TEST_DATABASE: database }),
        OPENTILL_TEST_SCALE: String(how.scale),
      });
      tests += passed ?? 0;
      hasFailed ||= passed === null;
    }
    return { lines: linesOf(directory), tests, hasFailed, minutes: (performance.now() - begun) / 60_000 };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Tests are recognised by their folder: `npm test` runs only those that end in `.test.ts`. */
const isTest = (file: string) => file.startsWith('test/');

function commandOf(file: string, citus: string | undefined): [string, ...string[]] {
  const run: [string, ...string[]] = [
    process.execPath,
    ...(isTest(file) ? ['--test', '--test-reporter=spec', file] : [file]),
  ];
  return citus === undefined ? run : ['scripts/citus.sh', citus, ...run];
}

/**
 * Runs a command, and returns how many of its tests have passed, 0 for a program that only measures; if something failed,
 * it shows the end of what was said, and returns null.
 */
async function passedBy(
  [program, ...args]: [string, ...string[]],
  directory: string,
  limitMinutes: number,
  environment: NodeJS.ProcessEnv,
): Promise<number | null> {
  const log = join(directory, 'log');
  const output = openSync(log, 'w');
  const child = spawn(program, args, {
    stdio: ['ignore', output, output],
    // A process group of its own, so that what it starts does not outlive it.
    detached: true,
    env: { ...process.env, ...environment, OPENTILL_EVIDENCE: join(directory, 'lines') },
  });
  const end = () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid);
  };
  const limit = setTimeout(end, limitMinutes * 60_000);
  process.once('exit', end);
  const status = await new Promise<number | null>((resolve) => child.on('close', resolve));
  clearTimeout(limit);
  process.off('exit', end);
  const said = readFileSync(log, 'utf8');
  const passed = args.includes('--test') ? /^ℹ pass (\d+)$/m.exec(said)?.[1] : '0';
  if (status === 0 && passed !== undefined) return Number(passed);
  console.log(said.split('\n').slice(-SHOWN_LINES).join('\n'));
  return null;
}

function linesOf(directory: string): Line[] {
  const path = join(directory, 'lines');
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
