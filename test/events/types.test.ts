/** Selectors of events: all, all of a kind, or one type. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { eventSelectors, eventTypes, typesOf } from '../../src/events/types.ts';

suite('selectors of events', () => {
  test('are all, each kind once, and each type', () => {
    const kinds = ['checkout', 'payment_attempt', 'refund', 'reversal', 'payin', 'webhook_endpoint'];
    assert.deepEqual(eventSelectors, ['*', ...kinds.map((kind) => `${kind}.*`), ...eventTypes]);
  });

  test('stand for the types that they name, in the order of the documentation', () => {
    assert.equal(typesOf(['checkout.paid', '*']), undefined);
    assert.deepEqual(typesOf(['reversal.*', 'checkout.paid']), [
      'checkout.paid',
      'reversal.open',
      'reversal.lost',
      'reversal.won',
    ]);
    assert.deepEqual(typesOf(['refund', 'refund.none', 'ref*']), []);
    assert.deepEqual(typesOf([]), []);
  });
});
