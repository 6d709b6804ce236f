/** Outlines of events: what the history of a session says, and nothing of the session. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { TenantTime } from '../../src/checkout/tenant.ts';
import { eventBody, parseEvent } from '../../src/events/envelope.ts';
import { outlined } from '../../src/events/outline.ts';

const NOW: TenantTime = Date.UTC(2030, 0, 1);

suite('the outline of an event', () => {
  const long = { metadata: { a: ',"version":9,"sequence":9}' }, text: 'ü'.repeat(1_000) };
  for (const [type, data, expected] of [
    ['checkout.created', { id: 'chk_1', ...long }, {}],
    ['payin.succeeded', { id: 'chk_1', ...long }, {}],
    ['refund.pending', { id: 'rfd_1', amount: 5, ...long }, { id: 'rfd_1' }],
    [
      'reversal.open',
      { kind: 'dispute', reference: 'dp_1', ...long },
      { kind: 'dispute', reference: 'dp_1' },
    ],
    [
      'payment_attempt.failed',
      { id: 'pat_1', payment_method_details: { type: 'card', card: { last4: '4242' } }, ...long },
      { id: 'pat_1', payment_method_details: { type: 'card' } },
    ],
  ] as const)
    test(`of type ${type} keeps the envelope, and little else`, () => {
      const event = { type, body: eventBody(type, 'evt_1', NOW, JSON.stringify(data), 3, 7) };
      const short = outlined(event);
      assert.deepEqual(parseEvent(short.body), { ...parseEvent<object>(event.body), data: expected });
      assert.deepEqual(outlined(short), short);
    });
});
