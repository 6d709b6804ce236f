/** Stored answers: what an event has already is not kept a second time. */

import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { eventBody } from '../../src/events/envelope.ts';
import type { EventRow } from '../../src/events/event.ts';
import { success } from '../../src/http/envelope.ts';
import { keptAnswer, wholeBody } from '../../src/store/answer-body.ts';
import { T } from './build.ts';

const session = JSON.stringify({ id: 'chk_1', metadata: { text: '"}},"version":1' } });
const eventOf = (data: string): EventRow => ({
  id: 'evt_1',
  type: 'checkout.updated',
  subject: 'chk_1',
  sequence: 1,
  createdAt: T,
  cause: null,
  body: eventBody('checkout.updated', 'evt_1', T, data, 1, 1),
});
const other = eventOf('{"id":"pat_1"}');

suite('the body of a stored answer', () => {
  test('that ends with the data of an event is kept without them, and comes back byte for byte', () => {
    const { body } = success('CHECKOUT.UPDATE', session);
    const events = [other, eventOf(session)];
    const { kept, event } = keptAnswer(body, events);
    assert.equal(event, 1);
    assert.doesNotMatch(kept, /chk_1/);
    assert.equal(wholeBody(kept, events[event]?.body ?? ''), body);
  });

  test('that has other data, or none, is kept as it is', () => {
    for (const body of [success('REFUND.CREATE', '{"id":"rfd_1"}').body, '', 'text', session]) {
      assert.deepEqual(keptAnswer(body, [other, eventOf(session)]), { kept: body, event: -1 });
    }
    assert.equal(keptAnswer(success('CHECKOUT.UPDATE', session).body, []).event, -1);
  });
});
