/** pain.001 of whatever names and texts there are: well-formed, within the lengths and characters, and adding up. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { idFromEndToEnd } from '../../src/banking/entry.ts';
import { type CreditTransfer, paymentFile } from '../../src/banking/payment-file.ts';
import { decimalAmount, MAX_AMOUNT } from '../../src/checkout/money.ts';
import { newId } from '../../src/lib/id.ts';
import { eur, PAYER_IBAN, receiving } from '../api/bank.ts';
import { anyText } from '../support/any-text.ts';

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
  remittance: anyText({ maxLength: 300 }),
  creditor: fc.record({
    name: anyText({ maxLength: 200 }),
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

const written = (account: typeof eur, ...transfers: ReadonlyArray<Partial<CreditTransfer>>) =>
  paymentFile({
    id: 'bfl_1',
    createdAt: Date.UTC(2030, 0, 31, 7, 8, 9),
    executeOn: '2030-02-01',
    account,
    transfers: transfers.map((each, index) => ({
      id: `rfd_${index + 1}`,
      amount: 100,
      remittance: '',
      creditor: { name: 'Ada', account: PAYER_IBAN, bic: '' },
      ...each,
    })),
  });

test('a transfer in euro is one of SEPA', () => {
  const creditor = { name: 'Ada Lovelace', account: PAYER_IBAN, bic: 'COBADEFFXXX' };
  const content = written(
    eur,
    { amount: 1999, remittance: 'Order 7', creditor },
    { creditor: { ...creditor, bic: '' } },
  );
  assert.equal(
    content,
    `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09">
<CstmrCdtTrfInitn>
<GrpHdr><MsgId>bfl1</MsgId><CreDtTm>2030-01-31T07:08:09</CreDtTm><NbOfTxs>2</NbOfTxs><CtrlSum>20.99</CtrlSum><InitgPty><Nm>Test Shop</Nm></InitgPty></GrpHdr>
<PmtInf>
<PmtInfId>bfl1</PmtInfId><PmtMtd>TRF</PmtMtd><BtchBookg>false</BtchBookg><NbOfTxs>2</NbOfTxs><CtrlSum>20.99</CtrlSum>
<PmtTpInf><SvcLvl><Cd>SEPA</Cd></SvcLvl></PmtTpInf><ReqdExctnDt><Dt>2030-02-01</Dt></ReqdExctnDt>
<Dbtr><Nm>Test Shop</Nm></Dbtr>
<DbtrAcct><Id><IBAN>DE02120300000000202051</IBAN></Id><Ccy>EUR</Ccy></DbtrAcct>
<DbtrAgt><FinInstnId><BICFI>BYLADEM1001</BICFI></FinInstnId></DbtrAgt><ChrgBr>SLEV</ChrgBr>
<CdtTrfTxInf>
<PmtId><EndToEndId>rfd1</EndToEndId></PmtId>
<Amt><InstdAmt Ccy="EUR">19.99</InstdAmt></Amt>
<CdtrAgt><FinInstnId><BICFI>COBADEFFXXX</BICFI></FinInstnId></CdtrAgt>
<Cdtr><Nm>Ada Lovelace</Nm></Cdtr>
<CdtrAcct><Id><IBAN>DE89370400440532013000</IBAN></Id></CdtrAcct>
<RmtInf><Ustrd>Order 7</Ustrd></RmtInf>
</CdtTrfTxInf>
<CdtTrfTxInf>
<PmtId><EndToEndId>rfd2</EndToEndId></PmtId>
<Amt><InstdAmt Ccy="EUR">1.00</InstdAmt></Amt>
<Cdtr><Nm>Ada Lovelace</Nm></Cdtr>
<CdtrAcct><Id><IBAN>DE89370400440532013000</IBAN></Id></CdtrAcct>
</CdtTrfTxInf>
</PmtInf>
</CstmrCdtTrfInitn>
</Document>
`,
  );
});

test('a transfer in another currency, or from an account without an IBAN, is none of SEPA', () => {
  const yen = receiving({ id: 'jpy', currency: 'JPY', account_number: '7654321', bank_code: '0001' });
  const content = written(yen, {
    amount: 1500,
    creditor: { name: '', account: '12-345/67', bic: '' },
  });
  const found = texts(content);
  const of = (element: string) => found.filter(([name]) => name === element).map(([, text]) => text);
  assert.deepEqual(of('InstdAmt'), ['1500']);
  assert.deepEqual(of('CtrlSum'), ['1500', '1500']);
  assert.deepEqual(of('Id'), ['7654321', 'NOTPROVIDED', '12-345/67']);
  assert.deepEqual(of('Nm'), ['Test Shop', 'Test Shop', 'NOTPROVIDED']);
  assert.deepEqual([of('Cd'), of('ChrgBr'), of('IBAN')], [[], [], []]);
  const national = { ...eur, iban: null, accountNumber: '202051' };
  assert.doesNotMatch(written(national, {}), /SEPA|SLEV/);
  assert.doesNotMatch(written({ ...eur, currency: 'CHF' }, {}), /SEPA|SLEV/);
});

test('names and texts are written with the characters that every bank takes', () => {
  for (const [given, expected] of [
    ['Jörg Müßig & Söhne', 'Joerg Muessig + Soehne'],
    ['ÄÖÜ äöü', 'AeOeUe aeoeue'],
    ['Łódź <Zoë>', '.odz .Zoe.'],
    ["O'Brien, (a/b-c?): +1.5", "O'Brien, (a/b-c?): +1.5"],
    ['  Ada  ', 'Ada'],
    ['東京', 'NOTPROVIDED'],
    ['7', '7'],
    ['&', 'NOTPROVIDED'],
    [`${'x'.repeat(69)} y`, 'x'.repeat(69)],
    ['x'.repeat(71), 'x'.repeat(70)],
  ] as const) {
    const content = written(eur, { creditor: { name: given, account: PAYER_IBAN, bic: '' } });
    assert.equal(texts(content).findLast(([name]) => name === 'Nm')?.[1], expected, given);
  }
  const long = texts(written(eur, { remittance: 'x'.repeat(141) }));
  assert.equal(long.findLast(([name]) => name === 'Ustrd')?.[1], 'x'.repeat(140));
  const holder = { ...eur, holder: { ...eur.holder, name: 'x'.repeat(71) } };
  assert.equal(texts(written(holder, {})).find(([name]) => name === 'Nm')?.[1], 'x'.repeat(70));
  const other = texts(written(eur, { creditor: { name: 'Ada', account: '1'.repeat(35), bic: '' } }));
  assert.equal(other.findLast(([name]) => name === 'Id')?.[1], '1'.repeat(34));
});
