/** Counters and gauges, against those of the metrics library. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Counter, Gauge, Registry } from 'prom-client';
import { createCounter, createGauge, createReadCounter } from '../../src/http/counters.ts';

const [name, help] = ['opentill_test_total', 'Things.'];

test('counters say what those of the metrics library say', async () => {
  const registers = [new Registry(), new Registry()] as const;
  const plain = new Counter({ name, help, registers: [registers[0]] });
  const labelled = new Counter({ name, help, labelNames: ['rail'], registers: [registers[1]] });
  const [ourPlain, ourLabelled] = [createCounter(name, help), createCounter(name, help, 'rail')];
  const same = async () => {
    assert.equal(await ourPlain.text(), await registers[0].metrics());
    assert.equal(await ourLabelled.text(), await registers[1].metrics());
  };
  await same();
  for (const rail of ['stripe', 'bank', 'stripe']) {
    plain.inc();
    ourPlain.add();
    labelled.inc({ rail });
    ourLabelled.add(rail);
    await same();
  }
});

test('a counter that others count is read whenever it is shown', async () => {
  const register = new Registry();
  const theirs = new Counter({ name, help, registers: [register] });
  let count = 0;
  const ours = createReadCounter(name, help, () => count);
  for (; count < 3; count++) {
    assert.equal(await ours.text(), await register.metrics());
    theirs.inc();
  }
});

test('a gauge is read whenever it is shown, and fails alone', async () => {
  const register = new Registry();
  const theirs = new Gauge({ name, help, registers: [register] });
  let value = 0;
  const ours = createGauge(name, help, async () => {
    if (value < 0) throw new Error('the database is gone');
    return value;
  });
  for (value of [0, 12, 1_700_000_000.25]) {
    theirs.set(value);
    assert.equal(await ours.text(), await register.metrics());
  }
  value = -1;
  assert.match(await ours.text(), /^opentill_test_total NaN$/m);
});
