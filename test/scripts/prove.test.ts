import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Campaign } from '../../scripts/prove/campaign.ts';
import { judged, type Outcome, shortFaults } from '../../scripts/prove/judge.ts';
import { evidencePage, isInNpmTest, markedOutcomes, outcomes } from '../../scripts/prove/page.ts';
import { runCampaign } from '../../scripts/prove/run.ts';
import { evidence, type Figures } from '../support/evidence.ts';
import { freshDirectory } from '../support/process.ts';
import { mockTimers } from '../support/timers.ts';

const campaign: Campaign = {
  name: 'kills',
  chapter: 'Nobody in',
  what: 'Kills.',
  files: [],
  scale: 1,
  limitMinutes: 1,
  reach: { kills: { atLeast: 3 }, ready_ms: { atMost: 100 } },
};
const ended = { tests: 2, hasFailed: false, minutes: 1, date: new Date(0), commit: 'abc', machine: 'one' };
const faultsOf = (...all: readonly Figures[]) =>
  judged(
    campaign,
    all.map((figures) => ({ campaign: 'kills', figures, seed: 1 })),
    ended,
  ).faults;

suite('figures of a campaign', () => {
  test('are added up, but of times the longest counts', () => {
    assert.deepEqual(faultsOf({ kills: 1, ready_ms: 100 }, { kills: 2, ready_ms: 100 }), []);
    assert.deepEqual(faultsOf({ kills: 3, ready_ms: 1 }, { kills: 3, ready_ms: 101 }), [
      'ready_ms is 101, not at most 100',
    ]);
  });

  test('that are too few or missing are not reached', () => {
    assert.deepEqual(faultsOf({ kills: 2 }), ['kills is 2, not at least 3', 'ready_ms was not said']);
  });

  test('have the tests that passed, and none where there are only programs', () => {
    assert.deepEqual(judged(campaign, [], ended).figures, { tests: 2 });
    assert.deepEqual(judged(campaign, [], { ...ended, tests: 0 }).figures, {});
  });

  test('fail with a test', () => {
    const figures = { kills: 3, ready_ms: 1 };
    const line = { campaign: 'kills', figures, seed: 1 };
    assert.deepEqual(judged(campaign, [line], { ...ended, hasFailed: true }).faults, ['a test failed']);
  });

  test('name what the tests ran on', () => {
    const lines = [{ ranOn: 'PostgreSQL 18.4' }, { ranOn: 'PostgreSQL 18.4' }, { ranOn: 'Citus 13.2' }];
    assert.equal(judged(campaign, lines, ended).machine, 'one, PostgreSQL 18.4, Citus 13.2');
  });

  test('of a short run are only there', () => {
    const said = (figures: Figures) =>
      shortFaults(campaign, { ...ended, lines: [{ campaign: 'kills', figures, seed: 1 }] });
    assert.deepEqual(said({ kills: 1, ready_ms: 101 }), []);
    assert.deepEqual(said({ kills: 0 }), ['ready_ms was not said', 'kills is 0']);
    assert.deepEqual(shortFaults(campaign, { ...ended, hasFailed: true, lines: [] })[0], 'a test failed');
  });

  for (const value of [Number.NaN, Number.POSITIVE_INFINITY])
    test(`cannot be ${value}`, () => {
      assert.throws(() => evidence({ diagnostic() {} }, 'kills', { ready_ms: value }), /ready_ms is/);
    });
});

suite('evidence', () => {
  test('says of no campaign that needs a compiler or Citus, or is long, that npm test has it', () => {
    const has = (file: string, further: Partial<Campaign> = {}) =>
      isInNpmTest({ ...campaign, files: [file], ...further });
    assert.equal(has('test/crash/kill.test.ts'), true);
    assert.equal(has('test/cluster/races.test.ts', { onCitus: true }), false);
    for (const name of ['io-faults', 'power-loss', 'kill-steps'])
      assert.equal(has(`test/crash/${name}.test.ts`), false, name);
    assert.equal(has('bench/hanging.ts'), false);
  });

  test('of a commit that the history does not have is marked', () => {
    const commits = outcomes().map(({ commit }) => `${commit}0`);
    assert.ok(commits.length > 20);
    assert.deepEqual(goneIn(markedOutcomes(commits)), []);
    const [first = '', ...others] = commits;
    const gone = outcomes().filter(({ commit }) => `${commit}0` === first);
    const left = others.filter((commit) => commit !== first);
    assert.deepEqual(
      goneIn(markedOutcomes(left)),
      gone.map(({ campaign }) => campaign),
    );
    assert.ok(evidencePage(markedOutcomes(left)).includes('which the history does not have'));
  });

  test('stays as it is where the history is not known', () => {
    assert.deepEqual(markedOutcomes(null), outcomes());
  });
});

const goneIn = (all: readonly Outcome[]) =>
  all.filter(({ commitIsGone }) => commitIsGone).map(({ campaign }) => campaign);

test('a campaign that takes too long has failed, and what it has started ends with it', async (t) => {
  const directory = freshDirectory(t);
  const [program, told] = [join(directory, 'program.ts'), join(directory, 'told')];
  writeFileSync(
    program,
    `import { spawn } from 'node:child_process';
     import { writeFileSync } from 'node:fs';
     const { pid } = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
     writeFileSync(${JSON.stringify(told)}, pid + '\\n');`,
  );
  const timers = mockTimers(t, ['setTimeout']);
  const ran = runCampaign({ ...campaign, files: [program] });
  const isTold = () => existsSync(told) && readFileSync(told, 'utf8').endsWith('\n');
  while (!isTold()) await nextTurn();
  timers.tick(60_000);
  assert.equal((await ran).hasFailed, true);
  const started = `/proc/${Number(readFileSync(told, 'utf8'))}`;
  while (existsSync(started)) await nextTurn();
});
