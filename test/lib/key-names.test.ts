import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { camelKeys, snakeKeys } from '../../src/lib/key-names.ts';

suite('names of fields', () => {
  test('change at every level, in lists as well, and values stay', () => {
    const json = { tax_id: 'a_b', of: [{ end_to_end_id: null }, 'c_d'], 'my-bank': { booked_on: 1 } };
    const code = { taxId: 'a_b', of: [{ endToEndId: null }, 'c_d'], 'my-bank': { bookedOn: 1 } };
    assert.deepEqual(camelKeys(json), code);
    assert.deepEqual(snakeKeys(code), json);
  });

  test('come back as they were', () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,4}$/), { minLength: 1, maxLength: 4 });
    const names = words.map((each) => each.join('_'));
    const objects = fc.dictionary(names, fc.oneof(fc.integer(), fc.dictionary(names, fc.string())));
    fc.assert(
      fc.property(objects, (json) =>
        assert.deepEqual(snakeKeys(camelKeys(json)), JSON.parse(JSON.stringify(json))),
      ),
    );
  });
});
