/** The parts of a session that are stored as JSON. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { defaultPolicy } from '../../src/checkout/session.ts';
import { checkoutColumns, checkoutFrom, dataOf, payerColumns } from '../../src/store/columns.ts';
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

test('erasing makes every column anew that follows from the payer', () => {
  const { payer } = session(tenant, row);
  const person = {
    ...payer,
    customer: 'cus_1',
    name: 'Ada',
    email: 'ada@example.com',
    country: 'GB',
    phone: { callingCode: '44', number: '555' },
    billingDetails: { name: 'Ada', address: { city: 'London' } },
    shippingDetails: { name: 'Ada' },
  } as const;
  const [with_, without] = [person, payer].map((each) =>
    checkoutColumns(session(tenant, { ...row, payer: each })),
  );
  const changed = Object.entries(with_ ?? {}).filter(([name, value]) => value !== without?.[name as 'email']);
  assert.deepEqual(changed.map(([name]) => name).sort(), Object.keys(payerColumns(person)).sort());
});
