/** The line to Stripe: what its library does by itself. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLine, type StripeHttp } from '../../../src/methods/stripe/client.ts';

const HOUR_MS = 3_600_000;

/** Loses the answer to each call, so that the library tries again; `onCall` may let time pass meanwhile. */
function losing(onCall: () => void): { readonly http: StripeHttp; readonly keys: string[] } {
  const keys: string[] = [];
  const http: StripeHttp = {
    getClientName: () => 'test',
    makeRequest: async (_host, _port, _path, _method, headers) => {
      keys.push(String(headers['Idempotency-Key']));
      onCall();
      throw Object.assign(new Error('closed'), { code: 'ECONNRESET' });
    },
  };
  return { http, keys };
}

function refundOver(http: StripeHttp): Promise<unknown> {
  const ask = createLine({
    secretKeys: { test: 'sk_test_x', live: null },
    apiUrl: 'https://api.example.com',
    timeoutMs: 300,
    retries: 1,
    concurrency: 1,
    http,
  });
  return ask('test', (stripe) =>
    stripe.refunds.create({ payment_intent: 'pi_1' }, { idempotencyKey: 'rfd_1' }),
  );
}

test('a call whose answer is lost is made again with its key', async () => {
  const { http, keys } = losing(() => {});
  await assert.rejects(refundOver(http), { kind: 'unavailable' });
  assert.deepEqual(keys, ['rfd_1', 'rfd_1']);
});

test('it is not made again by a process that has stood still for longer than keys are remembered', async (t) => {
  const began = Date.now();
  const { http, keys } = losing(() => t.mock.method(Date, 'now', () => began + 26 * HOUR_MS));
  await assert.rejects(refundOver(http), { kind: 'unavailable' });
  assert.deepEqual(keys, ['rfd_1']);
});
