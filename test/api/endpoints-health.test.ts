/** Endpoint health: failures, suspension and recovery, as shown and as reported. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { startService, type TestService } from '../support/service.ts';
import { createEndpoint, deliveries, fetchEndpoint, path, settled, updateEndpoint } from './endpoint.ts';
import { type Delivery, startReceiver } from './receiver.ts';
import { advance, createSession, type Data, feed, now, until } from './shop.ts';

const HOUR = 3600;
const DAY = 86_400;

const typesOf = (received: readonly Delivery[]) => received.map(({ event }) => event.type);
const textsOf = (received: readonly Delivery[]) => received.map(({ text }) => text);

/** The endpoint's log of changes: each version, its actor and its cause. */
async function logged({ database }: TestService, id: string): Promise<unknown[]> {
  const lines = await database.query(
    'SELECT version, actor, action FROM audit WHERE subject = ? ORDER BY version',
    id,
  );
  return lines.map(({ version, actor, action }) => [Number(version), actor, action]);
}

suite('the health of an endpoint', () => {
  test('410 disables it, and the others hear of it', async (t) => {
    const service = await startService(t);
    const gone = await startReceiver(t, () => 410);
    const other = await startReceiver(t);
    const { id } = await createEndpoint(service, { url: gone.url });
    await createEndpoint(service, { url: other.url, events: ['webhook_endpoint.*'] });
    await createSession(service);
    const [told] = await other.received(1);
    assert.equal(told?.event.type, 'webhook_endpoint.disabled');
    const endpoint = await fetchEndpoint(service, id);
    assert.deepEqual([endpoint.status, endpoint.disabled_reason], ['disabled', 'gone']);
    assert.deepEqual(told?.event.data, endpoint);
    await createSession(service);
    await advance(service, DAY);
    assert.equal(gone.deliveries.length, 1);
    const about = (await feed(service)).filter(({ type }) => type.startsWith('webhook_endpoint.'));
    assert.deepEqual(about, [told?.event]);
    assert.equal((await updateEndpoint(service, id, { status: 'enabled' })).disabled_reason, '');
    assert.deepEqual(await logged(service, id), [
      [1, service.key.id, 'create_endpoint'],
      [2, 'time', 'disable_endpoint'],
      [3, service.key.id, 'update_endpoint'],
    ]);
  });

  test('shows failures, a suspension and its end', async (t) => {
    const service = await startService(t);
    let status = 503;
    const receiver = await startReceiver(t, () => status);
    const other = await startReceiver(t);
    const { id } = await createEndpoint(service, { url: receiver.url, events: ['checkout.*'] });
    await createEndpoint(service, { url: other.url, events: ['webhook_endpoint.*'] });
    const health = async () => (await fetchEndpoint(service, id)).health;
    await createSession(service);
    await until(async () => (await health()).status === 'failing');
    const failing = await health();
    assert.deepEqual(
      [failing.consecutive_failures, failing.last_error, failing.next_probe_at],
      [1, 'status 503', null],
    );
    assert.ok(Math.abs(Date.parse(failing.failing_since) - (await now(service))) < 60_000);

    await advance(service, HOUR);
    const suspended = await health();
    assert.equal(suspended.status, 'suspended');
    assert.equal(suspended.failing_since, failing.failing_since);
    assert.ok(suspended.consecutive_failures >= 3);
    assert.ok(Date.parse(suspended.next_probe_at) > Date.parse(failing.failing_since));
    const list = (await service.call('GET', path)).json.data;
    assert.deepEqual(list.find((each: Data) => each.id === id).health, suspended);
    // Deliveries of a new session wait behind the probes.
    const before = receiver.deliveries.length;
    const { id: session } = await createSession(service);
    await service.call('POST', `/v3/checkout/${session}/expire`);

    status = 200;
    await advance(service, HOUR);
    await settled(service);
    assert.deepEqual(await health(), {
      status: 'healthy',
      failing_since: null,
      consecutive_failures: 0,
      last_error: '',
      next_probe_at: null,
    });
    const arrived = receiver.deliveries.slice(before);
    // The first of them may have been a probe as well.
    const types = typesOf(arrived.filter(({ event }) => event.data.id === session));
    assert.deepEqual([...new Set(types)], ['checkout.created', 'checkout.expired']);
    assert.equal(new Set(textsOf(arrived)).size, 3);
    assert.deepEqual(typesOf(other.deliveries), ['webhook_endpoint.suspended', 'webhook_endpoint.resumed']);
    const [first, second] = other.deliveries.map(({ event }) => event);
    assert.deepEqual([first.data.id, first.data.health.status, first.sequence], [id, 'suspended', 1]);
    assert.deepEqual([second.data.id, second.data.health.status, second.sequence], [id, 'healthy', 2]);
    assert.equal(first.data.secret, undefined);
    assert.deepEqual(await logged(service, id), [
      [1, service.key.id, 'create_endpoint'],
      [2, 'time', 'suspend_endpoint'],
      [3, 'time', 'resume_endpoint'],
    ]);
  });

  for (const [name, ask] of [
    [
      'a resend',
      async (service, { id }) => {
        const [delivery] = await deliveries(service, `&endpoint=${id}&status=pending`);
        return service.call('POST', `/v3/webhook_delivery/${delivery.id}/resend`);
      },
    ],
    ['switching it on', (service, { id }) => updateEndpoint(service, id, { status: 'enabled' })],
  ] as const satisfies ReadonlyArray<[string, (service: TestService, endpoint: Data) => Promise<unknown>]>) {
    test(`after a repair ${name} ends a suspension at once`, async (t) => {
      const service = await startService(t);
      let status = 503;
      const receiver = await startReceiver(t, () => status);
      const endpoint = await createEndpoint(service, { url: receiver.url });
      for (let i = 0; i < 12; i++) await createSession(service);
      // The clock passes the waits between attempts and probes.
      await advance(service, HOUR);
      const { health } = await fetchEndpoint(service, endpoint.id);
      assert.equal(health.status, 'suspended');
      const [first] = await deliveries(service, '&status=pending');
      assert.equal(first.receiver_status, 'suspended');
      assert.ok(Date.parse(first.next_attempt_at) >= Date.parse(health.next_probe_at));
      status = 200;
      await ask(service, endpoint);
      await until(async () => (await deliveries(service, '&status=pending')).length === 0);
      assert.equal((await fetchEndpoint(service, endpoint.id)).health.status, 'healthy');
    });
  }
});
