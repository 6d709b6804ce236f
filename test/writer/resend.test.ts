/** Deliveries that are made again: which of an ordering key is due, and what is gone meanwhile. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Tenant } from '../../src/checkout/tenant.ts';
import type { DeliveryId, PlacedDelivery } from '../../src/webhooks/delivery.ts';
import type { ResendDeliveries } from '../../src/writer/command.ts';
import { decideOnResend } from '../../src/writer/handlers/resend.ts';
import { T } from '../store/build.ts';
import { nothing } from './loaded.ts';

function delivery(name: string, sequence: number, given: Partial<PlacedDelivery> = {}): PlacedDelivery {
  return {
    ...{ id: `whd_${name}`, event: `evt_${name}`, eventType: 'checkout.updated', createdAt: T },
    ...{ receiver: 'https://shop.example', url: 'https://shop.example/hook', subject: 'chk_1' },
    ...{ state: 'failed', attempts: 12, dueAt: null, triedAt: T, lastStatus: 500, lastError: 'status 500' },
    ...{ sequence, isBehind: false },
    ...given,
  };
}

function decided(
  all: readonly PlacedDelivery[],
  named: readonly DeliveryId[],
  many: Pick<ResendDeliveries, 'many'>,
) {
  const tenant: Tenant = { account: 1, mode: 'test' };
  const origin = { tenant, actor: 'ak_test_1', requestId: 'req_1', idempotency: null };
  const deliveries = named.map((id) => ({ id, receiver: 'https://shop.example', subject: 'chk_1' }) as const);
  const loaded = { ...nothing, deliveries: new Map(all.map((each) => [each.id, each])) };
  return decideOnResend({ origin, now: T + 1, deliveries, ...many }, loaded);
}

suite('deliveries that are made again', () => {
  const later = delivery('a', 2);
  const earlier = delivery('b', 1);
  const elsewhere = delivery('c', 3, { receiver: 'https://other.example' });
  const behind = delivery('d', 4, { subject: 'chk_2', isBehind: true });

  test('are due if they are the first of their ordering key, whatever their order', () => {
    const all = [later, earlier, elsewhere, behind];
    const result = decided(
      all,
      all.map(({ id }) => id),
      { many: {} },
    );
    assert.ok('value' in result);
    assert.deepEqual(
      result.value.deliveries.map(({ id, state, dueAt }) => [id, state, dueAt]),
      [
        ['whd_a', 'pending', null],
        ['whd_b', 'pending', T + 1],
        ['whd_c', 'pending', T + 1],
        ['whd_d', 'pending', null],
      ],
    );
  });

  test('are refused if the one that is named was removed, and left out if it is one of many', () => {
    const refusal = decided([], [earlier.id], {});
    assert.ok('reason' in refusal && refusal.reason === 'not_found');
    const many = decided([later], [earlier.id, later.id], { many: {} });
    assert.ok('value' in many);
    assert.deepEqual(
      many.value.deliveries.map(({ id }) => id),
      [later.id],
    );
  });
});
