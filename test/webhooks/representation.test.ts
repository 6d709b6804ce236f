/** Endpoints and deliveries as merchants see them. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Delivery } from '../../src/webhooks/delivery.ts';
import type { Endpoint } from '../../src/webhooks/endpoint.ts';
import type { Health } from '../../src/webhooks/health.ts';
import {
  representDelivery,
  representDeliveryAttempt,
  representEndpoint,
  representResend,
} from '../../src/webhooks/representation.ts';

const T = Date.UTC(2030, 0, 15, 12);
const at = (seconds: number) => new Date(T + 1000 * seconds).toISOString();

const failing: Health = {
  failures: 4,
  failingSince: T + 5,
  probes: 0,
  probeAt: null,
  announced: false,
  lastError: 'timeout',
};
const suspended: Health = { ...failing, failures: 12, probeAt: T + 60_000 };

suite('an endpoint', () => {
  const endpoint: Endpoint = {
    id: 'whe_1',
    tenant: { account: 1, mode: 'test' },
    version: 3,
    eventCount: 2,
    slot: 1,
    url: 'https://shop.example/hook',
    events: ['checkout.*'],
    description: 'The shop',
    disabled: null,
    secret: 'whsec_c2VjcmV0',
    previousSecret: null,
    createdAt: T,
    updatedAt: T + 1000,
  };
  const healthy = {
    status: 'healthy',
    failing_since: null,
    consecutive_failures: 0,
    last_error: '',
    next_probe_at: null,
  };

  test('shows everything but its secrets', () => {
    assert.deepEqual(representEndpoint(endpoint, null, T), {
      id: 'whe_1',
      object: 'webhook_endpoint',
      created_at: at(0),
      updated_at: at(1),
      url: 'https://shop.example/hook',
      events: ['checkout.*'],
      description: 'The shop',
      status: 'enabled',
      disabled_reason: '',
      health: healthy,
      previous_secret_expires_at: null,
    });
  });

  test('tells why it is disabled', () => {
    for (const disabled of ['by_merchant', 'gone'] as const) {
      const { status, disabled_reason } = representEndpoint({ ...endpoint, disabled }, null, T);
      assert.deepEqual([status, disabled_reason], ['disabled', disabled]);
    }
  });

  test('tells how it fares', () => {
    const health = (given: Health) => representEndpoint(endpoint, given, T).health;
    const failingSince = new Date(failing.failingSince).toISOString();
    assert.deepEqual(health(failing), {
      status: 'failing',
      failing_since: failingSince,
      consecutive_failures: 4,
      last_error: 'timeout',
      next_probe_at: null,
    });
    assert.deepEqual(health(suspended), {
      status: 'suspended',
      failing_since: failingSince,
      consecutive_failures: 12,
      last_error: 'timeout',
      next_probe_at: at(60),
    });
  });

  test('tells when the secret before ends, as long as it is valid', () => {
    const previousSecret = { secret: 'whsec_b2xk', until: T + 1000 };
    const until = (now: number) =>
      representEndpoint({ ...endpoint, previousSecret }, null, now).previous_secret_expires_at;
    assert.deepEqual([until(T), until(T + 999), until(T + 1000)], [at(1), at(1), null]);
    assert.doesNotMatch(
      JSON.stringify(representEndpoint({ ...endpoint, previousSecret }, null, T)),
      /whsec_/,
    );
  });
});

suite('a delivery', () => {
  const delivery: Delivery = {
    id: 'whd_1',
    createdAt: T,
    event: 'evt_1',
    eventType: 'checkout.paid',
    subject: 'chk_1',
    receiver: 'whe_1',
    url: null,
    state: 'pending',
    attempts: 2,
    dueAt: T + 20_000,
    triedAt: T + 10_000,
    lastStatus: 503,
    lastError: 'status 503',
  };

  test('to an endpoint shows the address that it has now', () => {
    assert.deepEqual(representDelivery(delivery, null, 'https://shop.example/hook'), {
      id: 'whd_1',
      object: 'webhook_delivery',
      created_at: at(0),
      event: 'evt_1',
      event_type: 'checkout.paid',
      checkout: 'chk_1',
      endpoint: 'whe_1',
      url: 'https://shop.example/hook',
      status: 'pending',
      receiver_status: 'healthy',
      attempts: 2,
      next_attempt_at: at(20),
      last_attempt_at: at(10),
      last_http_status: 503,
      last_error: 'status 503',
    });
    assert.equal(representDelivery(delivery, null).url, '', 'it is there no longer');
  });

  test('to the address of a session has no endpoint', () => {
    const own = { ...delivery, receiver: 'https://shop.example', url: 'https://shop.example/own' };
    const { endpoint, url } = representDelivery(own, null, 'https://other.example');
    assert.deepEqual([endpoint, url], ['', 'https://shop.example/own']);
  });

  test('of an event about an endpoint has no session', () => {
    assert.equal(representDelivery({ ...delivery, subject: 'whe_2' }, null).checkout, '');
  });

  test('that has not been tried says so', () => {
    const fresh = { ...delivery, attempts: 0, triedAt: null, lastStatus: null, lastError: null };
    const { last_attempt_at, last_http_status, last_error } = representDelivery(fresh, null);
    assert.deepEqual([last_attempt_at, last_http_status, last_error], [null, null, '']);
  });

  test('goes out at its time, but not before the probe of a suspended receiver', () => {
    const next = (dueAt: number | null, health: Health | null) =>
      representDelivery({ ...delivery, dueAt }, health).next_attempt_at;
    assert.equal(next(null, suspended), null, 'it waits behind another');
    assert.equal(next(T + 20_000, failing), at(20));
    assert.equal(next(T + 20_000, suspended), at(60));
    assert.equal(next(T + 90_000, suspended), at(90));
    assert.equal(representDelivery(delivery, suspended).receiver_status, 'suspended');
    assert.equal(representDelivery(delivery, failing).receiver_status, 'failing');
  });
});

test('an attempt shows what was answered', () => {
  const attempt = { number: 3, at: T, durationMs: 12, status: 500, error: 'status 500', answer: 'oops' };
  assert.deepEqual(representDeliveryAttempt(attempt), {
    number: 3,
    created_at: at(0),
    duration_ms: 12,
    http_status: 500,
    error: 'status 500',
    answer: 'oops',
  });
  const delivered = representDeliveryAttempt({ ...attempt, status: 200, error: null });
  assert.deepEqual([delivered.http_status, delivered.error], [200, '']);
});

test('deliveries that are made again tell whether there are more', () => {
  const common = { object: 'resend', resent: 7 };
  assert.deepEqual(representResend(7, null), { ...common, has_more: false, next_cursor: null });
  assert.deepEqual(representResend(7, 'whd_9'), { ...common, has_more: true, next_cursor: 'whd_9' });
});
