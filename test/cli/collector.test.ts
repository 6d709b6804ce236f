/** Collections of everything: counted while a process makes buffers and drops them, as a service does, and behind a start. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { GCProfiler, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { setCollector } from '../../src/cli/collector.ts';

const MB = 2 ** 20;
const PIECE_BYTES = 64 * 1024;

/** Makes V8's space for young objects as large as it is under load: many of them live for a while. */
function makeYoung(): number {
  let recent: object[] = [];
  for (let count = 0; count < 2_000_000; count++) {
    if (recent.length === 100_000) recent = [];
    recent.push({ count, text: `object ${count}` });
  }
  return recent.length;
}

/** Has V8 set its limits by what lives now, as close as it does where little was to be collected. */
function setLimits(): void {
  setFlagsFromString('--heap-growing-percent=10');
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

test('buffers that are dropped at once have V8 collect everything a few times at most', async () => {
  setCollector();
  makeYoung();
  setLimits();
  await pause(10);
  const profiler = new GCProfiler();
  profiler.start();
  for (let bytes = 0; bytes < 128 * MB; bytes += 4 * PIECE_BYTES) {
    for (let count = 0; count < 4; count++) new Uint8Array(PIECE_BYTES).fill(1);
    await pause(1);
  }
  const collections = profiler.stop().statistics.filter(({ gcType }) => gcType === 'MarkSweepCompact');
  assert.ok(collections.length <= 3, `${collections.length}`);
});

/** Collections of everything behind the start of a process that does `work` then, and megabytes of its space for young objects. */
function behindStart(work: string): { collections: number; before: number; after: number } {
  const program = `
    import { GCProfiler, getHeapSpaceStatistics } from 'node:v8';
    import { setTimeout as pause } from 'node:timers/promises';
    import { collectStart } from './src/cli/collector.ts';
    const young = () =>
      getHeapSpaceStatistics().find((each) => each.space_name === 'new_space').physical_space_size / 2 ** 20;
    const kept = [];
    for (let count = 0; count < 100_000; count++) kept.push({ text: 'object ' + count });
    // What V8 has begun by itself is over.
    await pause(100);
    const before = young();
    const profiler = new GCProfiler();
    profiler.start();
    collectStart(100);
    ${work}
    const collections = profiler.stop().statistics.filter(({ gcType }) => gcType === 'MarkSweepCompact').length;
    console.log(JSON.stringify({ collections, before, after: young() }));`;
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  assert.equal(stderr, '');
  return JSON.parse(stdout);
}

test('a start behind which nobody asks for anything gives its space back', () => {
  const { collections, before, after } = behindStart('await pause(300);');
  assert.ok(collections > 0);
  assert.ok(after < before, `${before} and ${after} MB`);
});

test('a start under load keeps its space', () => {
  const busy =
    'for (let turn = 0; turn < 30; turn++) { const until = performance.now() + 9; while (performance.now() < until); await pause(1); }';
  assert.equal(behindStart(busy).collections, 0);
});
