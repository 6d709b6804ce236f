/** The histogram of durations, against that of the metrics library. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Histogram, Registry } from 'prom-client';
import { createHistogram } from '../../src/http/histogram.ts';

test('a histogram says what that of the metrics library says', async () => {
  const bounds = [0.001, 0.25, 5];
  const registry = new Registry();
  const theirs = new Histogram({
    name: 'opentill_test_seconds',
    help: 'Durations.',
    labelNames: ['method', 'route', 'status'],
    buckets: bounds,
    registers: [registry],
  });
  const ours = createHistogram('opentill_test_seconds', 'Durations.', bounds);
  const observe = (method: string, route: string, status: number, ...all: readonly number[]) => {
    const observed = ours.series(`method="${method}",route="${route}",status="${status}"`);
    for (const seconds of all) {
      theirs.observe({ method, route, status }, seconds);
      observed(seconds);
    }
  };
  observe('GET', '/v3/checkout/:id', 200, 0, 0.001, 0.0011, 0.25, 1, 5, 5.1, 60);
  observe('GET', '/v3/checkout/:id', 404, 0.5);
  observe('HEAD', '/v3/checkout/:id', 200, 0.5);
  observe('GET', 'unknown', 404, 0.0001);
  assert.equal(ours.text(), await registry.metrics());
});
