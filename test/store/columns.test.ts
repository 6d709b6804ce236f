/** What of a session is kept as JSON. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { defaultPolicy } from '../../src/checkout/session.ts';
import { checkoutFrom, dataOf } from '../../src/store/columns.ts';
import { payment, refund, session, standing } from './build.ts';

const tenant = { account: 1, mode: 'test' } as const;
const row = { id: 'chk_1', version: 3, eventCount: 2 } as const;

suite('the JSON of a session', () => {
  test('has all of it with its row and its ledger', () => {
    const whole = session(tenant, {
      ...row,
      attempts: [standing('a')],
      payments: [payment('p')],
      refunds: [refund()],
      policy: { ...defaultPolicy, late: 'hold' },
    });
    assert.deepEqual(checkoutFrom({ ...row, data: dataOf(whole) }, tenant, whole.payments), whole);
  });

  test('does without what most sessions have none of', () => {
    const plain = session(tenant, row);
    const data = dataOf(plain);
    assert.doesNotMatch(data, /refunds|reversals|policy/);
    const back = checkoutFrom({ ...row, data }, tenant, []);
    assert.deepEqual(back, plain);
    assert.equal(dataOf(back), data);
  });
});
