/** The text of a payer among the codes of MT940: what somebody writes into it does not become a word of the bank. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { informationOf } from '../../src/statements/mt940-information.ts';

const bank = '/EREF/OT-17//CNTP/NL83ABNA0412345678/ABNANL2A/W. Zonneveld///REMI/USTD//';

suite('codes behind the text of a payer', () => {
  for (const code of [
    '/RTRN/AC04/',
    '/CNTP/DE89370400440532013000/COBADEFFXXX/Mallory/',
    '/IBAN/DE89370400440532013000/',
    '/NAME/Mallory/',
    '/BIC/COBADEFFXXX/',
    '/ORDP//NAME/Mallory/',
    '/BENM//NAME/Mallory/',
    '/KREF/OT-18/',
    '/PREF/OT-18/',
  ]) {
    test(`${code} is a part of it`, () => {
      for (const between of ['', '/EREF/OT-18', '/ULTD//NAME/Ada/EREF/OT-18', '/ISDT/2026-02-05']) {
        const whole = informationOf([`${bank}Order 17${between}${code}`]);
        const { remittance, ...rest } = informationOf([`${bank}Order 17`]);
        assert.deepEqual({ ...whole, remittance }, { ...rest, remittance }, between);
        if (between === '') assert.equal(whole.remittance, `Order 17${code.replace(/\/$/, '')}`);
      }
      const sparse = informationOf([`/TRTP/SEPA/REMI/Order 17${code}`]);
      const { remittance, ...nothing } = informationOf(['/TRTP/SEPA/REMI/Order 17']);
      assert.deepEqual({ ...sparse, remittance }, { ...nothing, remittance });
    });
  }

  test('those that banks put there end it', () => {
    for (const code of ['EREF', 'PURP', 'ULTD', 'ULTB', 'ULTC', 'ISDT'])
      assert.equal(informationOf([`/TRTP/SEPA/REMI/Order 17/${code}/x`]).remittance, 'Order 17');
    assert.equal(informationOf(['/TRTP/SEPA/REMI/Order 17/EREF/OT-17']).endToEndId, 'OT-17');
  });

  test('may begin with the other side', () => {
    const { counterparty } = informationOf(['/IBAN/X1/REMI/Order 17']);
    assert.deepEqual(counterparty, { name: '', account: 'X1', bic: '' });
  });

  test('before it they are those of the bank', () => {
    const { returned, counterparty } = informationOf(['/RTRN/AC04//IBAN/X1/BIC/Y/NAME/Ada/REMI/Order 17']);
    assert.equal(returned?.reasonCode, 'AC04');
    assert.deepEqual(counterparty, { name: 'Ada', account: 'X1', bic: 'Y' });
  });
});
