/** Statements of OFX, held against the elements and their order in the document type of OFX 1.0.2. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { daysIn, type Movement } from '../../src/accounting/movement.ts';
import { ofxStatement } from '../../src/accounting/ofx.ts';
import { hostileTexts, movement, pagesOf, textOf } from './build.ts';

const statement = {
  dayOf: daysIn('UTC'),
  first: '2030-01-01',
  last: '2030-01-31',
  createdAt: '20300201120000',
  currency: 'EUR',
  account: 'opentill',
};

/** Content models of the document type, as far as a bank statement goes. */
const models: Readonly<Record<string, string>> = {
  OFX: 'SIGNONMSGSRSV1 , BANKMSGSRSV1',
  SIGNONMSGSRSV1: 'SONRS',
  SONRS: 'STATUS , DTSERVER , USERKEY? , TSKEYEXPIRE? , LANGUAGE , DTPROFUP? , DTACCTUP? , FI?',
  BANKMSGSRSV1: 'STMTTRNRS+',
  STMTTRNRS: 'TRNUID , STATUS , CLTCOOKIE? , STMTRS?',
  STATUS: 'CODE , SEVERITY , MESSAGE?',
  STMTRS: 'CURDEF , BANKACCTFROM , BANKTRANLIST? , LEDGERBAL , AVAILBAL? , MKTGINFO?',
  BANKACCTFROM: 'BANKID , BRANCHID? , ACCTID , ACCTTYPE , ACCTKEY?',
  BANKTRANLIST: 'DTSTART , DTEND , STMTTRN*',
  LEDGERBAL: 'BALAMT , DTASOF',
  STMTTRN:
    'TRNTYPE , DTPOSTED , DTUSER? , DTAVAIL? , TRNAMT , FITID , CORRECTFITID? , CORRECTACTION? , SRVRTID? , CHECKNUM? , REFNUM? , SIC? , PAYEEID? , NAME? , PAYEE? , BANKACCTTO? , CCACCTTO? , MEMO? , CURRENCY? , ORIGCURRENCY?',
};

/** Values of the elements that hold one, by the types of the specification. */
const values: Readonly<Record<string, RegExp>> = {
  CODE: /^\d{1,6}$/,
  SEVERITY: /^(INFO|WARN|ERROR)$/,
  DTSERVER: /^\d{8}(\d{6})?$/,
  LANGUAGE: /^[A-Z]{3}$/,
  TRNUID: /^.{1,36}$/,
  CURDEF: /^[A-Z]{3}$/,
  BANKID: /^.{1,9}$/,
  ACCTID: /^.{1,22}$/,
  ACCTTYPE: /^(CHECKING|SAVINGS|MONEYMRKT|CREDITLINE)$/,
  DTSTART: /^\d{8}120000$/,
  DTEND: /^\d{8}120000$/,
  TRNTYPE:
    /^(CREDIT|DEBIT|INT|DIV|FEE|SRVCHG|DEP|ATM|POS|XFER|CHECK|PAYMENT|CASH|DIRECTDEP|DIRECTDEBIT|REPEATPMT|OTHER)$/,
  DTPOSTED: /^\d{8}120000$/,
  TRNAMT: /^-?\d{1,30}(\.\d+)?$/,
  FITID: /^\S{1,255}$/,
  NAME: /^.{1,32}$/,
  MEMO: /^.{1,255}$/,
  BALAMT: /^-?\d{1,30}(\.\d+)?$/,
  DTASOF: /^\d{8}120000$/,
};

type Element = { readonly name: string; readonly children: Element[]; value: string };

/** Reads SGML in which elements with a value have no end, and refuses what the models do not allow. */
function parsed(text: string): Element {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  assert.deepEqual(head.split('\r\n').slice(0, 3), ['OFXHEADER:100', 'DATA:OFXSGML', 'VERSION:102']);
  assert.match(text, /^[\r\n\x20-\x7e]*$/, 'it is ASCII, as its head says');
  const root: Element = { name: '', children: [], value: '' };
  const open = [root];
  for (const [, slash, name = '', value = ''] of body.matchAll(/<(\/?)([A-Z0-9]+)>([^<]*)/g)) {
    if (slash === '/') {
      assert.equal(open.pop()?.name, name);
      assert.equal(value.trim(), '');
      continue;
    }
    const element: Element = { name, children: [], value: decoded(value.replace(/\r\n$/, '')) };
    open.at(-1)?.children.push(element);
    if (models[name] !== undefined) open.push(element);
    else assert.match(element.value, values[name] ?? assert.fail(`no element ${name}`), name);
  }
  assert.deepEqual(open, [root]);
  const [ofx = assert.fail('empty')] = root.children;
  check(ofx);
  return ofx;
}

const decoded = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

function check({ name, children }: Element): void {
  const model = models[name];
  if (model === undefined) return;
  const pattern = model.split(' , ').map((part) => part.replace(/^(\w+)(.?)$/, '(?:$1 )$2'));
  const names = children.map((each) => `${each.name} `).join('');
  assert.match(names, new RegExp(`^${pattern.join('')}$`), `${name} has ${names}`);
  for (const child of children) check(child);
}

const all = (element: Element, name: string): Element[] =>
  element.children.flatMap((child) => [...(child.name === name ? [child] : []), ...all(child, name)]);
const textIn = (element: Element, name: string): string => all(element, name)[0]?.value ?? '';

const read = async (movements: readonly Movement[], given: Partial<typeof statement> = {}) =>
  parsed(await textOf(ofxStatement(pagesOf(movements), { ...statement, ...given })));

const fitids = (ofx: Element) => all(ofx, 'STMTTRN').map((each) => textIn(each, 'FITID'));

suite('a statement of OFX', () => {
  test('has what came and went with its sign, the fee by itself, and their sum', async () => {
    const ofx = await read([
      movement({ fee: { amount: 59, currency: 'EUR' } }),
      movement({ type: 'refund', amount: 400 }),
      movement({ type: 'reversal', amount: 1, fee: null }),
      movement({ fee: { amount: 88, currency: 'USD' } }),
    ]);
    assert.deepEqual(
      all(ofx, 'STMTTRN').map((each) => `${textIn(each, 'TRNTYPE')} ${textIn(each, 'TRNAMT')}`),
      ['CREDIT 25.00', 'FEE -0.59', 'DEBIT -4.00', 'DEBIT -0.01', 'CREDIT 25.00'],
    );
    assert.equal(textIn(ofx, 'BALAMT'), '45.40');
    assert.deepEqual([textIn(ofx, 'DTSTART'), textIn(ofx, 'DTEND')], ['20300101120000', '20300131120000']);
  });

  test('has the same ids again, so that importing it twice adds nothing', async () => {
    const movements = [movement({ fee: { amount: 1, currency: 'EUR' } }), movement()];
    const [first, second] = [await read(movements), await read(movements, { createdAt: '20310101000000' })];
    assert.deepEqual(fitids(first), fitids(second));
    assert.equal(new Set(fitids(first)).size, 3);
    const [one] = movements;
    assert.deepEqual(fitids(first).slice(0, 2), [one?.id, `${one?.id}-fee`]);
  });

  test('has as many digits as its currency, and an exact sum of the largest amounts', async () => {
    const yen = await read([movement({ currency: 'JPY', amount: 300 })], { currency: 'JPY' });
    assert.equal(textIn(yen, 'TRNAMT'), '300');
    const dinars = await read([movement({ currency: 'KWD', amount: 5, type: 'refund' })], {
      currency: 'KWD',
    });
    assert.equal(textIn(dinars, 'BALAMT'), '-0.005');
    const most = Array.from({ length: 27 }, () => movement({ amount: 999_999_999_999_999 }));
    assert.equal(textIn(await read(most), 'BALAMT'), '269999999999999.73');
    assert.equal(textIn(await read([]), 'BALAMT'), '0.00');
  });

  test('takes no text for an element', async () => {
    const hostile = hostileTexts.map((text) => movement({ reference_id: text, reference: text }));
    const ofx = await read(hostile, { account: 'x'.repeat(40) });
    assert.equal(all(ofx, 'STMTTRN').length, hostile.length);
    assert.ok(
      all(ofx, 'STMTTRN').some((each) => textIn(each, 'NAME') === '</STMTTRN></BANKTRANLIST><OFX>&a'),
    );
  });

  test('is in one currency', async () => {
    await assert.rejects(read([movement({ currency: 'USD' })]), /in EUR has USD/);
  });
});
