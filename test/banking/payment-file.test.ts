/** pain.001 of whatever names and texts there are: well-formed, within the lengths and characters, and adding up. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { idFromEndToEnd } from '../../src/banking/entry.ts';
import { paymentFile } from '../../src/banking/payment-file.ts';
import { decimalAmount, MAX_AMOUNT } from '../../src/checkout/money.ts';
import { newId } from '../../src/lib/id.ts';
import { eur, PAYER_IBAN } from '../api/bank.ts';

const texts = (content: string): Array<readonly [element: string, text: string]> => {
  const found: Array<readonly [string, string]> = [];
  const path: string[] = [];
  const parser = new SaxesParser();
  parser.on('error', (error) => assert.fail(error));
  parser.on('opentag', ({ name }) => path.push(name));
  parser.on('text', (text) => {
    if (text.trim() !== '') found.push([path.at(-1) ?? '', text]);
  });
  parser.on('closetag', () => path.pop());
  parser.write(content).close();
  return found;
};

const transfer = fc.record({
  amount: fc.integer({ min: 1, max: MAX_AMOUNT }),
  remittance: fc.string({ unit: 'binary', maxLength: 300 }),
  creditor: fc.record({
    name: fc.string({ unit: 'binary', maxLength: 200 }),
    account: fc.oneof(fc.constant(PAYER_IBAN), fc.string({ minLength: 1, maxLength: 60 })),
    bic: fc.oneof(fc.constantFrom('', 'COBADEFFXXX'), fc.string({ maxLength: 12 })),
  }),
});

test('names the bank of a payee only by what is a BIC', () => {
  const agents = (bic: string) => {
    const creditor = { name: 'Ada', account: PAYER_IBAN, bic };
    const transfers = [{ id: newId('rfd', 1), amount: 1, remittance: '', creditor }];
    const content = paymentFile({
      id: newId('bfl', 1),
      createdAt: 0,
      executeOn: '2030-02-01',
      account: eur,
      transfers,
    });
    const found = texts(content).filter(([name]) => name === 'BICFI');
    return found.map(([, text]) => text).slice(1);
  };
  for (const bic of ['COBADEFFXXX', 'COBADEFF']) assert.deepEqual(agents(bic), [bic]);
  for (const none of ['', 'COBADEFFX', 'COBA&EFF', 'COBAZZFF', '37040044', 'cobadeff', 'NOTPROVIDED'])
    assert.deepEqual(agents(none), [], none);
});

test('is well-formed and adds up, whatever is in it', () => {
  const file = {
    id: newId('bfl', 1),
    createdAt: Date.UTC(2030, 0, 31),
    executeOn: '2030-02-01',
    account: eur,
  };
  fc.assert(
    fc.property(fc.array(transfer, { minLength: 1, maxLength: 8 }), (given) => {
      const transfers = given.map((each) => ({ ...each, id: newId('rfd', 1) }));
      const found = texts(paymentFile({ ...file, transfers }));
      const of = (element: string) => found.filter(([name]) => name === element).map(([, text]) => text);
      assert.deepEqual(
        of('EndToEndId').map(idFromEndToEnd),
        transfers.map(({ id }) => id),
      );
      assert.deepEqual(
        of('InstdAmt'),
        transfers.map(({ amount }) => decimalAmount(amount, 'EUR')),
      );
      const total = transfers.reduce((sum, { amount }) => sum + amount, 0);
      assert.deepEqual(of('CtrlSum'), Array(2).fill(decimalAmount(total, 'EUR')));
      assert.deepEqual(of('NbOfTxs'), Array(2).fill(String(transfers.length)));
      for (const text of [...of('Nm'), ...of('Ustrd')])
        assert.match(text, /^[A-Za-z0-9/\-?:().,'+ ]{1,140}$/);
      for (const bic of of('BICFI')) assert.match(bic, /^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$/);
      for (const name of of('Nm')) assert.ok(name.length <= 70);
    }),
  );
});
