/** Collections of everything, counted while a process makes buffers and drops them, as a service does. */
import assert from 'node:assert/strict';
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
