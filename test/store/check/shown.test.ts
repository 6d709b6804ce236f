/** A session is held against the last event that shows the whole of it, in what has not changed since. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { representCheckout } from '../../../src/checkout/representation.ts';
import { isLastingIn } from '../../../src/store/check/shown.ts';
import { session } from '../build.ts';

const checkout = session({ account: 1, mode: 'live' }, { metadata: { order: 'A-1' } });
const shown = representCheckout(checkout, 'https://pay.example');
const isLasting = (data: object) => isLastingIn(checkout, JSON.stringify({ data }));

/** Fields that nothing changes without another such event. */
const lasting =
  `id object invoice_currency amount customer_details success_url cancel_url webhook_url payment_methods
  transaction_description expires_at created_at url payin reference_id metadata`.split(/\s+/);
/** Fields that payments, refunds and time change. */
const changing = ['status', 'payment_status', 'amount_paid', 'payment_attempts', 'partially_paid'];

suite('the last event that shows a whole session', () => {
  test('shows it as it is', () => assert.equal(isLasting(shown), true));

  for (const name of lasting) {
    test(`has its ${name}`, () => assert.equal(isLasting({ ...shown, [name]: 'other' }), false));
  }

  for (const name of changing) {
    test(`may have had another ${name}`, () => assert.equal(isLasting({ ...shown, [name]: 'other' }), true));
  }
});
