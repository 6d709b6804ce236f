/** Metrics of the process, against those of the metrics library. */
import assert from 'node:assert/strict';
import { openSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { watchProcess } from '../../src/http/process-metrics.ts';

/** Metrics whose values the library takes from what Node.js keeps for itself. */
const UNOFFICIAL = /nodejs_active_(handles|requests)/;

const declarationsOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('#') && !UNOFFICIAL.test(line))
    .sort();

/** Values by name and labels. Each line has to be a declaration or a value of what was declared. */
function valuesOf(text: string): ReadonlyMap<string, number> {
  const values = new Map<string, number>();
  let declared = '';
  for (const line of text.trimEnd().split('\n')) {
    const [, ofType = ''] = /^# TYPE (\w+) (?:counter|gauge|histogram)$/.exec(line) ?? [];
    if (ofType !== '') declared = ofType;
    if (line.startsWith('# ')) continue;
    const [, name = '', labels = '', value = ''] =
      /^(\w+?)(?:_bucket|_sum|_count)?((?:\{\w+="[^"\\]*"(?:,\w+="[^"\\]*")*\})?) (NaN|[\d.e+-]+)$/.exec(
        line,
      ) ?? [];
    assert.equal(name, declared, line);
    values.set(line.slice(0, -value.length - 1), Number(value));
    assert.ok(value === 'NaN' || Number.isFinite(Number(value)), `${labels} ${line}`);
  }
  return values;
}

const text = watchProcess();

test('the process has the metrics that services of Node.js have, under their names, types and words', async () => {
  const register = new Registry();
  collectDefaultMetrics({ register });
  const theirs = declarationsOf(await register.metrics());
  assert.ok(theirs.length > 40);
  assert.deepEqual(declarationsOf(await text()), theirs);
});

test('values are those of the process, and move with it', async () => {
  const before = valuesOf(await text());
  const files = [openSync('/dev/null', 'r'), openSync('/dev/null', 'r')];
  const kept = Buffer.alloc(50_000_000, 1);
  // The time from a text to the next look at the loop is not measured.
  await pause(30);
  const until = performance.now() + 200;
  while (performance.now() < until);
  await pause(30);
  const after = valuesOf(await text());
  const grown = (name: string) => Number(after.get(name)) - Number(before.get(name));
  assert.equal(grown('process_open_fds'), files.length);
  assert.ok(grown('process_cpu_seconds_total') > 0.01);
  assert.equal(grown('process_start_time_seconds'), 0);
  assert.ok(Math.abs(Number(after.get('process_start_time_seconds')) - Date.now() / 1000) < 3600);
  assert.ok(Number(after.get('process_max_fds')) > files.length);
  const sizes = [
    ...['resident_memory', 'virtual_memory', 'heap'].map((each) => `process_${each}_bytes`),
    'nodejs_external_memory_bytes',
  ];
  for (const name of sizes) assert.ok(Number(after.get(name)) > kept.length, name);
  const heldUp = Number(after.get('nodejs_eventloop_lag_max_seconds'));
  assert.ok(heldUp >= 0.15);
  assert.ok(Number(after.get('nodejs_heap_space_size_used_bytes{space="old"}')) > 1e6);
  const [major] = process.versions.node.split('.');
  assert.ok(
    [...after.keys()].some(
      (each) => each.startsWith('nodejs_version_info{') && each.includes(`major="${major}"`),
    ),
  );

  // Of what was before the last text nothing is told again. A busy machine may hold up the loop for longer: then once more.
  let next = Number.NaN;
  for (let looks = 0; looks < 20 && !(next < heldUp); looks++) {
    await pause(30);
    next = Number(valuesOf(await text()).get('nodejs_eventloop_lag_max_seconds'));
    assert.notEqual(next, heldUp);
  }
  assert.ok(next < heldUp);
});

test('collections of garbage are counted by their kind', async () => {
  const made = async () =>
    [...valuesOf(await text())].find(
      ([name]) => name === 'nodejs_gc_duration_seconds_count{kind="minor"}',
    )?.[1] ?? 0;
  const before = await made();
  let waste: unknown[] = [];
  while ((await made()) <= before) {
    for (let index = 0; index < 100_000; index++) waste.push({ index });
    waste = [];
    await pause(1);
  }
});

test('nothing is told of delays where none was measured, and nothing of them is lost', async () => {
  const delaysIn = (each: string) =>
    [...valuesOf(each)].filter(([name]) => /^nodejs_eventloop_lag_(?!seconds)/.test(name));
  await text();
  await pause(50);
  const [first, second] = await Promise.all([text(), text()]);
  assert.equal(delaysIn(first).length, 7);
  assert.deepEqual(delaysIn(second), []);
  assert.match(second, /# TYPE nodejs_eventloop_lag_mean_seconds gauge/);
  for (const [name, value] of delaysIn(first)) assert.ok(value >= 0 && value < 3600, `${name} ${value}`);

  // Texts one after the other, with less between them than from one look at the loop to the next.
  const until = performance.now() + 200;
  let told = 0;
  while (performance.now() < until) {
    told += delaysIn(await text()).length;
    await pause(1);
  }
  assert.ok(told > 0);
});
