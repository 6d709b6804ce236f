/** Metrics of requests and backups, as operators get them. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { fastify } from 'fastify';
import { createMetrics, type Metrics } from '../../src/http/metrics.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { freshDirectory } from '../support/process.ts';

test('a request counts with the seconds that it waited and that Fastify has measured', async (t) => {
  const store = openSqliteStore(join(freshDirectory(t), 'test.db'));
  t.after(() => store.close());
  const metrics = createMetrics(store);
  const app = fastify();
  t.after(() => app.close());
  metrics.observe(app, () => 2000);
  const milliseconds: number[] = [];
  app.addHook('onResponse', async (_request, reply) => void milliseconds.push(reply.elapsedTime));
  app.get('/till/:id', async () => '');
  await app.inject('/till/1');
  const [, sum] =
    /^opentill_http_request_duration_seconds_sum\{method="GET",route="\/till\/:id",status="200"\} (\S+)$/m.exec(
      await metrics.text(),
    ) ?? [];
  assert.deepEqual(
    [Number(sum)],
    milliseconds.map((each) => (2000 + each) / 1000),
  );
});

test('of backups nothing is told where they are made elsewhere, and zeros until the first one', async (t) => {
  const store = openSqliteStore(join(freshDirectory(t), 'test.db'));
  t.after(() => store.close());
  const ofBackups = async (metrics: Metrics) =>
    [...(await metrics.text()).matchAll(/^opentill_backup_last_(\w+) (\S+)$/gm)].map(([, ...each]) => each);
  assert.deepEqual(await ofBackups(createMetrics(store)), []);
  assert.deepEqual(await ofBackups(createMetrics(store, () => null)), [
    ['run_timestamp_seconds', '0'],
    ['run_success', '0'],
    ['success_timestamp_seconds', '0'],
  ]);
});
