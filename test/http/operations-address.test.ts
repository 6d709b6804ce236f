/** Liveness, readiness and metrics: at the address of the API, or at one of their own and nowhere else. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { pino } from 'pino';
import { freePort } from '../../src/cli/free-port.ts';
import { readConfig } from '../../src/config/read.ts';
import { createService } from '../../src/main.ts';
import { createSession } from '../api/shop.ts';
import { freshTestDatabase } from '../support/database.ts';
import { startService } from '../support/service.ts';

const paths = ['/livez', '/readyz', '/metrics'];
const statusOf = async (url: string): Promise<number> => (await fetch(url)).status;

suite('what operators ask for', () => {
  test('is at the address of the API, unless it has one of its own', async (t) => {
    const { url, service } = await startService(t);
    assert.equal(service.operations, null);
    for (const path of paths) assert.equal(await statusOf(url + path), 200, path);
  });

  test('is at its own address and nowhere else, and nothing else is there', async (t) => {
    const port = await freePort();
    const service = await startService(t, { env: { OPERATIONS_PORT: String(port) } });
    const own = `http://127.0.0.1:${port}`;
    for (const path of paths) {
      assert.equal(await statusOf(own + path), 200, path);
      assert.equal(await statusOf(service.url + path), 404, path);
    }
    await createSession(service);
    const metrics = await (await fetch(`${own}/metrics`)).text();
    assert.match(
      metrics,
      /opentill_http_request_duration_seconds_count\{[^}]*route="\/v3\/checkout",status="201"\} 1\n/,
    );
    const headers = { authorization: service.key.authorization };
    assert.equal((await fetch(`${own}/v3/checkout`, { headers })).status, 404);
    const absent = await fetch(`${own}/docs`);
    assert.deepEqual([absent.status, JSON.parse(await absent.text()).errors[0].code], [404, 105]);
  });

  for (const where of ['the address of the API', 'its own address']) {
    test(`says at ${where} that the service is ready when its start has come to an end`, async (t) => {
      const port = await freePort();
      const own = { OPERATIONS_PORT: String(port) };
      const url = `http://127.0.0.1:${port}`;
      const database = await freshTestDatabase();
      const config = readConfig({
        DATABASE_URL: database.url,
        PORT: String(port),
        ...(where === 'its own address' ? { PORT: String(await freePort()), ...own } : {}),
      });
      const service = await createService(config, { logger: pino({ level: 'silent' }) });
      t.after(async () => {
        await service.stop();
        await database.remove();
      });
      const told: unknown[] = [];
      await service.start(async () => {
        const answer = await fetch(`${url}/readyz`);
        told.push(answer.status, answer.headers.get('retry-after'), await answer.json());
      });
      assert.deepEqual(told, [503, '1', { status: 'starting' }]);
      assert.equal(await statusOf(`${url}/readyz`), 200);
    });
  }

  test('has a limit at its own address, too', async (t) => {
    const port = await freePort();
    await startService(t, { env: { OPERATIONS_PORT: String(port) } });
    const asked = await Promise.all(
      Array.from({ length: 200 }, () => statusOf(`http://127.0.0.1:${port}/livez`)),
    );
    assert.ok(asked.includes(200) && asked.includes(429));
  });

  test('ends with the service, behind the API', async (t) => {
    const port = await freePort();
    const service = await startService(t, { env: { OPERATIONS_PORT: String(port) } });
    const closed: string[] = [];
    service.service.app.server.once('close', () => closed.push('api'));
    service.service.operations?.server.once('close', () => closed.push('operations'));
    await service.stop();
    assert.deepEqual(closed, ['api', 'operations']);
    await assert.rejects(fetch(`http://127.0.0.1:${port}/livez`));
  });
});
