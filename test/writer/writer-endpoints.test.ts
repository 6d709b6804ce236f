/** Orders about endpoints: what is written, and what is answered. */

import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { CheckoutId } from '../../src/checkout/ids.ts';
import type { SubjectId } from '../../src/events/event.ts';
import type { EndpointId } from '../../src/webhooks/endpoint.ts';
import { create as createCheckout } from '../checkout/build.ts';
import { T } from '../store/build.ts';
import { dataOf, openWriter, type TestWriter } from '../store/commands.ts';
import { finish, HOUR, health, setHealth, tell, tryAgain } from '../store/deliveries.ts';

const settings = { url: 'https://new.example', events: ['*'], description: '', enabled: true };
const create = { type: 'create_endpoint', secret: 'whsec_new', settings } as const;
const rotate = { type: 'rotate_secret', secret: 'whsec_next', overlapMs: HOUR } as const;
const update = (given: Partial<typeof settings>) => ({ type: 'update_endpoint', settings: given }) as const;
const NOW = T + HOUR;

suite('the answer about an endpoint', () => {
  test('has the secret when it is made, and again when that is repeated', async (t) => {
    const { command } = await openWriter(t);
    const made = await command(create, 'whe_1', NOW, 'key');
    assert.deepEqual(dataOf(made), {
      id: 'whe_1',
      object: 'webhook_endpoint',
      created_at: '2030-01-15T13:00:00.000Z',
      updated_at: '2030-01-15T13:00:00.000Z',
      url: 'https://new.example',
      events: ['*'],
      description: '',
      status: 'enabled',
      disabled_reason: '',
      health: {
        status: 'healthy',
        failing_since: null,
        consecutive_failures: 0,
        last_error: '',
        next_probe_at: null,
      },
      previous_secret_expires_at: null,
      secret: 'whsec_new',
    });
    const repeated = await command(create, 'whe_2', NOW + 1, 'key');
    assert.equal(repeated.result.kind, 'replay');
    assert.deepEqual(dataOf(repeated), dataOf(made));
  });

  test('has the new secret when it is replaced, and until when the one before signs', async (t) => {
    const { command, add, endpoint } = await openWriter(t);
    const one = await add({ secret: 'whsec_old' });
    const { secret, previous_secret_expires_at } = dataOf(await command(rotate, one.id));
    assert.deepEqual([secret, previous_secret_expires_at], ['whsec_next', '2030-01-15T14:00:00.000Z']);
    const known = await endpoint(one.id);
    assert.equal(known?.secret, 'whsec_next');
    assert.deepEqual(known.previousSecret, { secret: 'whsec_old', until: NOW + HOUR });
  });

  test('that is deleted says so, and it is gone', async (t) => {
    const { command, add, store, mine } = await openWriter(t);
    const { id } = await add();
    const deleted = await command({ type: 'delete_endpoint' }, id);
    assert.ok(deleted.result.kind === 'change');
    assert.deepEqual([deleted.result.value.endpoint.id, deleted.committed?.deliveries], [id, true]);
    assert.deepEqual(await store.endpoints.list(mine), []);
    const { result } = await command({ type: 'delete_endpoint' }, id);
    assert.ok(result.kind === 'refusal' && result.reason === 'not_found');
  });

  test('of another account or mode is that there is none', async (t) => {
    const { command, add, endpoint, theirs } = await openWriter(t);
    const { id } = await add({}, theirs);
    const { result } = await command({ type: 'delete_endpoint' }, id);
    assert.ok(result.kind === 'refusal' && result.reason === 'not_found');
    assert.ok(await endpoint(id, theirs));
  });
});

suite('an endpoint that fails', () => {
  const suspended = health({ failures: 20, probeAt: NOW + HOUR, announced: true });

  /** Suspended, with a delivery that is to be tried again much later. */
  async function suspend(writer: TestWriter, given = {}): Promise<EndpointId> {
    const { id } = await writer.add(given);
    await tell(writer.store, writer.mine, 1, { receivers: [id] });
    await finish(writer.store, writer.mine, tryAgain(await writer.due(id, T), T + 9 * HOUR));
    await setHealth(writer.store, writer.mine, id, suspended);
    return id;
  }

  const renewing = [
    ['has another address', {}, update({ url: 'https://new.example' })],
    ['is switched on', { disabled: 'by_merchant' }, update({ enabled: true })],
    ['is switched on after it was gone', { disabled: 'gone' }, update({ enabled: true })],
    ['is switched on although it is on', {}, update({ enabled: true })],
  ] as const;
  for (const [name, given, command] of renewing) {
    test(`is probed at once when it ${name}, with what waits for it`, async (t) => {
      const writer = await openWriter(t);
      const id = await suspend(writer, given);
      const executed = await writer.command(command, id);
      assert.equal(dataOf(executed).health.status, 'suspended');
      assert.deepEqual(await writer.failing(), { [id]: { ...suspended, probeAt: NOW } });
      assert.equal(executed.committed?.deliveries, true);
      const claimed = await writer.due(id, NOW);
      // The lost attempt is back.
      assert.deepEqual([claimed.dueAt, claimed.attempts], [NOW, 0]);
      assert.deepEqual(await writer.events(), []);
    });
  }

  test('is not known to fail any more when it is switched off', async (t) => {
    const writer = await openWriter(t);
    const id = await suspend(writer);
    assert.equal(dataOf(await writer.command(update({ enabled: false }), id)).health.status, 'healthy');
    assert.deepEqual(await writer.failing(), {});
  });

  test('but is not suspended begins anew at another address', async (t) => {
    const writer = await openWriter(t);
    const id = await suspend(writer);
    await setHealth(writer.store, writer.mine, id, health({ failures: 3 }));
    const executed = await writer.command(update({ url: 'https://new.example' }), id);
    assert.equal(dataOf(executed).health.status, 'healthy');
    assert.deepEqual(await writer.failing(), {});
  });

  const keeping = [
    ['another description', update({ description: 'x' })],
    ['other events', update({ events: ['checkout.paid'] })],
    ['the same address', update({ url: 'https://shop.example/opentill' })],
    ['another secret', rotate],
  ] as const;
  for (const [name, command] of keeping) {
    test(`stays suspended with ${name}`, async (t) => {
      const writer = await openWriter(t);
      const id = await suspend(writer);
      const executed = await writer.command(command, id);
      assert.deepEqual(dataOf(executed).health, {
        status: 'suspended',
        failing_since: '2030-01-15T12:00:00.000Z',
        consecutive_failures: 20,
        last_error: 'timeout',
        next_probe_at: '2030-01-15T14:00:00.000Z',
      });
      assert.deepEqual(await writer.failing(), { [id]: suspended });
      assert.notEqual(executed.committed?.deliveries, true);
    });
  }

  test('leaves nothing behind when it is deleted, and what waits for it may come to its end', async (t) => {
    const writer = await openWriter(t);
    const id = await suspend(writer);
    const { committed } = await writer.command({ type: 'delete_endpoint' }, id);
    assert.equal(committed?.deliveries, true);
    assert.deepEqual(await writer.failing(), {});
    const claimed = await writer.due(id, NOW);
    assert.equal(claimed.endpoint, null);
    await writer.come(tryAgain(claimed, NOW + HOUR, { at: NOW }));
    assert.deepEqual(await writer.failing(), {}, 'not even what comes late');
  });

  test('is another one in another mode or account', async (t) => {
    const writer = await openWriter(t);
    const id = await suspend(writer);
    await writer.add({ id }, writer.theirs);
    await setHealth(writer.store, writer.theirs, id, suspended);
    await writer.command(update({ url: 'https://new.example' }), id);
    assert.deepEqual(await writer.failing(writer.theirs), { [id]: suspended });
  });
});

test('the events of a session go to its own address and to the endpoints that want them', async (t) => {
  const writer = await openWriter(t);
  const { store, mine, execute } = writer;
  await writer.add({ id: 'whe_1' });
  await writer.add({ id: 'whe_2', events: ['checkout.created'] });
  await writer.add({ id: 'whe_3', events: ['checkout.paid', 'payin.*'] });
  await writer.add({ id: 'whe_4', disabled: 'by_merchant' });
  await writer.add({ id: 'whe_5' }, writer.theirs);
  const make = (id: CheckoutId, webhookUrl: string) =>
    execute({
      subject: 'checkout',
      origin: { tenant: mine, actor: 'ak_test_1', requestId: 'req_1', idempotency: null },
      id,
      command: createCheckout({ now: T, id, tenant: mine, webhookUrl }),
    });
  const receivers = async (subject: SubjectId) => {
    const { rows } = await store.deliveries.list(mine, { subject }, { limit: 10 });
    return rows.map(({ receiver, url }) => [receiver, url]).sort();
  };
  const { committed } = await make('chk_1', 'https://shop.example/hook?a=b');
  assert.equal(committed?.deliveries, true);
  assert.deepEqual(await receivers('chk_1'), [
    ['https://shop.example', 'https://shop.example/hook?a=b'],
    ['whe_1', null],
    ['whe_2', null],
  ]);
  await make('chk_2', '');
  assert.deepEqual(await receivers('chk_2'), [
    ['whe_1', null],
    ['whe_2', null],
  ]);
});

suite('deliveries that are to be made again', () => {
  async function ended(t: Parameters<typeof openWriter>[0], given = {}) {
    const writer = await openWriter(t);
    const { id } = await writer.add(given);
    await tell(writer.store, writer.mine, 1, { receivers: [id] });
    const claimed = await writer.due(id, T);
    await finish(writer.store, writer.mine, tryAgain(claimed, T, { state: 'failed', dueAt: null }));
    const delivery = await writer.store.deliveries.fetch(writer.mine, claimed.id);
    assert.ok(delivery);
    const again = () =>
      writer.execute({
        subject: 'resend',
        origin: { tenant: writer.mine, actor: 'ak_test_1', requestId: 'req_1', idempotency: null },
        deliveries: [delivery],
        now: NOW,
      });
    return { writer, id, delivery, again };
  }

  test('are due at once, and shown so', async (t) => {
    const { writer, id, delivery, again } = await ended(t);
    const { result, committed } = await again();
    assert.ok(result.kind === 'change');
    const { deliveries } = result.value;
    assert.deepEqual(deliveries, [{ ...delivery, state: 'pending', dueAt: NOW }]);
    assert.equal(committed?.deliveries, true);
    assert.equal((await writer.due(id, NOW)).id, delivery.id);
  });

  test('are refused where their endpoint is switched off or deleted', async (t) => {
    const { writer, id, again, delivery } = await ended(t);
    await writer.command(update({ enabled: false }), id);
    const off = await again();
    assert.ok(off.result.kind === 'refusal' && off.result.reason === 'endpoint_disabled');
    await writer.command({ type: 'delete_endpoint' }, id);
    const deleted = await again();
    assert.ok(deleted.result.kind === 'refusal' && deleted.result.reason === 'endpoint_disabled');
    assert.equal((await writer.store.deliveries.fetch(writer.mine, delivery.id))?.state, 'failed');
  });
});
