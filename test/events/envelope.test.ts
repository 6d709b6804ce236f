/** The envelope of events: what is put into it comes out again, whatever the text inside looks like. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { dataOfEvent, eventBody, parseEvent, withData } from '../../src/events/envelope.ts';

const T = Date.UTC(2030, 0, 15, 12);
const bodyWith = (data: string) => eventBody('checkout.paid', 'evt_1', T, data, 7, 3);

/** Texts that look like the envelope itself. */
const text = fc.oneof(
  fc.string(),
  fc.constantFrom(',"data":', ',"version":', '"}},"version":9,"sequence":9}', '\\",\\"version\\":'),
);
const anyData = fc.record({ id: text, version: fc.integer(), data: fc.dictionary(text, text) });

test('an event is read as it was written', () => {
  assert.deepEqual(parseEvent(bodyWith('{"id":"chk_1"}')), {
    type: 'checkout.paid',
    id: 'evt_1',
    object: 'event',
    created_at: '2030-01-15T12:00:00.000Z',
    data: { id: 'chk_1' },
    version: 7,
    sequence: 3,
  });
});

test('its data is found by its text, and can be replaced, with everything else as it was', () => {
  fc.assert(
    fc.property(anyData, anyData, (one, other) => {
      const [before, after] = [JSON.stringify(one), JSON.stringify(other)];
      assert.equal(dataOfEvent(bodyWith(before)), before);
      assert.equal(withData(bodyWith(before), after), bodyWith(after));
    }),
  );
});
