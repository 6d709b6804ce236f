/** Names of methods: kinds of payment in the payer's language, brands as they call themselves. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { languageById } from '../../src/i18n/languages/all.ts';
import { methodName, paymentMethodName } from '../../src/i18n/method-names.ts';
import { findMethod, type Method } from '../../src/methods/catalogue.ts';
import { attempt, checkout, payment } from '../checkout/build.ts';

const { messages } = languageById.get('de') ?? assert.fail();
const nameOf = (id: string) => methodName(messages, findMethod(id) as Method);

test('kinds of payment have names in the language of the payer, brands keep their own', () => {
  assert.equal(nameOf('card'), messages.card);
  assert.equal(nameOf('wire_transfer'), messages.wireTransfer);
  assert.equal(nameOf('local_bank_transfer_chf'), messages.bankTransfer('CHF'));
  assert.equal(nameOf('wechatpay_cny'), 'WeChat Pay');
});

test('a payment has the name of its method, or the id of one that is gone', () => {
  const paidBy = (method: string) =>
    checkout({ attempts: [attempt('failed', { name: 'b' }), attempt('succeeded', { method })] });
  const booked = payment(1000, { attempt: 'pat_a' });
  assert.equal(paymentMethodName(messages, paidBy('wire_transfer'), booked), messages.wireTransfer);
  assert.equal(paymentMethodName(messages, paidBy('gone_eur'), booked), 'gone_eur');
});
