/** camt.053 and camt.054: what each element says, and which of them a file may do without. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { StatementEntry, StatementHeader } from '../../src/statements/entry.ts';
import { attempt, entriesOf, partsOf } from './support.ts';

const OWN = 'DE02120300000000202051';
const ACCOUNT = `<Acct><Id><IBAN>${OWN}</IBAN></Id><Ccy>EUR</Ccy></Acct>`;

type File = { readonly kind?: '053' | '054'; readonly version?: string };

/** A file of these statements, each of which is what it holds. */
function file(statements: readonly string[], { kind = '053', version = '08' }: File = {}): string {
  const [message, element] = kind === '053' ? ['BkToCstmrStmt', 'Stmt'] : ['BkToCstmrDbtCdtNtfctn', 'Ntfctn'];
  const each = statements.map((content) => `<${element}>${content}</${element}>`).join('\n');
  const namespace = `urn:iso:std:iso:20022:tech:xsd:camt.${kind}.001.${version}`;
  return `<Document xmlns="${namespace}"><${message}>\n${each}\n</${message}></Document>`;
}

const statement = (content: string, account = ACCOUNT) => `<Id>S-1</Id>${account}${content}`;

type Amount = { readonly amount?: string; readonly currency?: string; readonly direction?: 'CRDT' | 'DBIT' };
const amountOf = ({ amount = '10.00', currency = 'EUR', direction = 'CRDT' }: Amount) =>
  `<Amt Ccy="${currency}">${amount}</Amt><CdtDbtInd>${direction}</CdtDbtInd>`;

function balance(type: string, amount: string, given: Amount & { readonly date?: string } = {}): string {
  const { date = '<Dt><Dt>2026-02-03</Dt></Dt>' } = given;
  return `<Bal><Tp><CdOrPrtry><Cd>${type}</Cd></CdOrPrtry></Tp>${amountOf({ ...given, amount })}${date}</Bal>`;
}

type Booking = Amount & { readonly status?: string; readonly dates?: string; readonly more?: string };
function booking(
  { status = '<Cd>BOOK</Cd>', more = '', ...given }: Booking = {},
  ...details: string[]
): string {
  const { dates = '<BookgDt><Dt>2026-02-03</Dt></BookgDt>' } = given;
  const inside = details.map((detail) => `<TxDtls>${detail}</TxDtls>`).join('');
  return `<Ntry>${amountOf(given)}<Sts>${status}</Sts>${dates}${more}<NtryDtls>${inside}</NtryDtls></Ntry>`;
}

const entriesIn = (content: string, given?: File): Promise<StatementEntry[]> =>
  entriesOf(file([statement(content)], given));
async function entryIn(content: string): Promise<StatementEntry> {
  const [entry, ...others] = await entriesIn(content);
  assert.ok(entry);
  assert.deepEqual(others, []);
  return entry;
}
async function headersOf(text: string): Promise<StatementHeader[]> {
  const parts = await partsOf(text);
  return parts.flatMap((part) => (part.kind === 'statement' ? [part.header] : []));
}
async function headerOf(content: string, account?: string): Promise<StatementHeader> {
  const [header] = await headersOf(file([statement(content, account)]));
  assert.ok(header);
  return header;
}
const messageOf = async (text: string) => (await attempt(text)).error?.message ?? 'accepted';
const refusalOf = (content: string, account?: string) => messageOf(file([statement(content, account)]));

suite('a file', () => {
  test('is of the versions 02 to 13', async () => {
    for (const version of ['02', '03', '07', '09', '10', '11', '12', '13']) {
      assert.equal(await messageOf(file([statement('')], { version })), 'accepted', version);
    }
    for (const version of ['01', '14', '20']) {
      assert.match(await messageOf(file([statement('')], { version })), /versions 02 to 13/, version);
    }
  });

  test('has each statement once, told apart by its id, page, account and currency', async () => {
    const page = (number: string) => statement(`<StmtPgntn><PgNb>${number}</PgNb></StmtPgntn>`);
    const other = ACCOUNT.replace(OWN, 'AT611904300234573201');
    const all = [page('1'), page('2'), statement('', other), statement('', ACCOUNT.replace('EUR', 'CHF'))];
    assert.equal((await headersOf(file(all))).length, 4);
    assert.match(await messageOf(file([...all, page('1')])), /the statement "S-1" is in the file twice/);
    const notified = statement('<NtfctnPgntn><PgNb>1</PgNb></NtfctnPgntn>');
    const notifications = [notified, notified.replace('<PgNb>1', '<PgNb>2')];
    assert.equal((await headersOf(file(notifications, { kind: '054' }))).length, 2);
  });

  test('passes over what is of another namespace, or is not read', async () => {
    const other = '<x:Amt xmlns:x="urn:other" Ccy="XXX">7</x:Amt><ElctrncSeqNb>7</ElctrncSeqNb>';
    const inside = booking({ more: other });
    assert.equal((await entryIn(`<ElctrncSeqNb>7</ElctrncSeqNb>${inside}`)).amount, 1000);
  });

  test('may have any number of comments, and CDATA in its texts', async () => {
    const comments = '<!-- a comment of some length -->'.repeat(4000);
    assert.ok(comments.length > 2 * 65_536);
    const text = `<RmtInf><Ustrd><![CDATA[A & B]]> <!-- not this -->7</Ustrd></RmtInf>`;
    assert.equal((await entryIn(comments + booking({}, text))).remittance, 'A & B 7');
  });

  test('may have a text in pieces that is as long as allowed', async () => {
    const [half, limit] = ['x'.repeat(100), 200];
    for (const between of ['<!-- a comment -->', '<![CDATA[]]>']) {
      const text = `<RmtInf><Ustrd>${half}${between}${half}</Ustrd></RmtInf>`;
      const within = await attempt(file([statement(booking({}, text))]), { limits: { text: limit } });
      assert.equal(within.error, null, between);
      const beyond = await attempt(file([statement(booking({}, text))]), { limits: { text: limit - 1 } });
      assert.match(beyond.error?.message ?? '', /longer than 199 characters/, between);
    }
  });

  test('may have a text and a tag that are as long as allowed', async () => {
    const long = `<Other a="${'x'.repeat(40_000)}">${'y'.repeat(40_000)}</Other>`;
    assert.equal(await refusalOf(long + long), 'accepted');
  });

  test('numbers its entries from the first statement to the last, and knows their lines', async () => {
    const second = statement(`\n${booking({ amount: '2.00' })}`).replace('S-1', 'S-2');
    const found = await entriesOf(file([statement(`${booking()}\n${booking()}`), second]));
    assert.deepEqual(
      found.map(({ number, line, amount }) => [number, line, amount]),
      [
        [1, 2, 1000],
        [2, 3, 1000],
        [3, 5, 200],
      ],
    );
  });
});

suite('a statement', () => {
  test('has the period that it says, or that its closing balance says', async () => {
    const said = await headerOf(
      '<FrToDt><FrDtTm>2026-02-01T00:00:00</FrDtTm><ToDtTm>2026-02-03T23:59:59+01:00</ToDtTm></FrToDt>',
    );
    assert.deepEqual([said.fromDate, said.toDate], ['2026-02-01', '2026-02-03']);
    const closed = await headerOf(balance('OPBD', '1.00') + balance('CLBD', '1.00'));
    assert.deepEqual([closed.fromDate, closed.toDate], [null, '2026-02-03']);
    const time = '<Dt><DtTm>2026-02-05T18:00:00Z</DtTm></Dt>';
    assert.equal((await headerOf(balance('CLBD', '1.00', { date: time }))).toDate, '2026-02-05');
    assert.deepEqual([(await headerOf('')).fromDate, (await headerOf('')).toDate], [null, null]);
  });

  test('lies between its booked balances, of which pages have interim ones', async () => {
    const all = (...balances: ReadonlyArray<readonly [type: string, amount: string]>) =>
      balances.map(([type, amount]) => balance(type, amount)).join('');
    for (const [name, balances, opening, closing] of [
      ['both', all(['OPBD', '1.00'], ['CLBD', '1.00']), 100, 100],
      ['the other way round', all(['CLBD', '1.00'], ['OPBD', '1.00']), 100, 100],
      ['the closing balance of the day before', all(['PRCD', '2.00'], ['CLBD', '2.00']), 200, 200],
      ['the opening one before that', all(['PRCD', '9.00'], ['OPBD', '2.00'], ['CLBD', '2.00']), 200, 200],
      ['a first page', all(['OPBD', '3.00'], ['ITBD', '3.00']), 300, 300],
      ['a page in the middle', all(['ITBD', '4.00'], ['ITBD', '4.00']), 400, 400],
      ['a last page', all(['ITBD', '5.00'], ['CLBD', '5.00']), 500, 500],
      ['only where it begins', all(['OPBD', '6.00']), 600, null],
      ['only an interim one', all(['ITBD', '7.00']), 700, null],
      ['only where it ends', all(['CLBD', '8.00']), null, 800],
      ['others', all(['OPAV', '1.00'], ['CLAV', '2.00'], ['FWAV', '3.00']), null, null],
      ['none', '', null, null],
    ] as const) {
      const header = await headerOf(balances);
      assert.deepEqual([header.openingBalance, header.closingBalance], [opening, closing], name);
    }
    const overdrawn = await headerOf(balance('OPBD', '1.00', { direction: 'DBIT' }));
    assert.equal(overdrawn.openingBalance, -100);
  });

  test('has to add up where both are known, in a statement, but not in a notification', async () => {
    const wrong = balance('OPBD', '1.00') + balance('CLBD', '1.00') + booking();
    assert.match(
      await refusalOf(wrong),
      /do not add up .* from 1\.00 EUR they lead to 11\.00 EUR, not to 1\.00/,
    );
    assert.equal(await refusalOf(balance('OPBD', '1.00') + booking()), 'accepted');
    assert.equal(await messageOf(file([statement(wrong)], { kind: '054' })), 'accepted');
    const right = balance('OPBD', '1.00') + balance('CLBD', '9.00', { direction: 'DBIT' });
    assert.equal(await refusalOf(right + booking({ direction: 'DBIT' })), 'accepted');
  });

  test('is in the currency of its account, of its balances, or of its first entry', async () => {
    const plain = `<Acct><Id><IBAN>${OWN}</IBAN></Id></Acct>`;
    assert.equal((await headerOf('')).currency, 'EUR');
    for (const type of ['OPBD', 'CLBD', 'OPAV']) {
      assert.equal((await headerOf(balance(type, '1', { currency: 'CHF' }), plain)).currency, 'CHF', type);
    }
    for (const type of ['OPBD', 'CLBD']) {
      const balances = balance('OPAV', '1', { currency: 'USD' }) + balance(type, '1', { currency: 'CHF' });
      assert.equal((await headerOf(balances, plain)).currency, 'CHF', `${type} behind another one`);
    }
    assert.equal((await headerOf(booking({ currency: 'USD' }), plain)).currency, 'USD');
    assert.equal(
      (await headerOf(booking({ currency: 'USD' }, amountOf({ currency: 'USD' })), plain)).currency,
      'USD',
    );
    for (const balances of [
      balance('OPBD', '1', { currency: 'CHF' }),
      balance('OPBD', '1') + balance('CLBD', '1', { currency: 'CHF' }),
    ]) {
      assert.match(await refusalOf(balances), /a balance is in "CHF", but the account in "EUR"/);
    }
    assert.equal(
      await refusalOf(balance('OPAV', '1', { currency: 'CHF' })),
      'accepted',
      'a balance of no booking',
    );
  });

  test('names an account, with or without blanks, of any kind', async () => {
    const other = '<Acct><Id><Othr><Id>12-345/67 b</Id></Othr></Id><Ccy>EUR</Ccy></Acct>';
    assert.equal((await headerOf('', other)).account, '12-345/67B');
    assert.equal((await headerOf('', ACCOUNT.replace(OWN, 'de02 1203 0000 0000 2020 51'))).account, OWN);
    assert.match(await refusalOf('', '<Acct><Ccy>EUR</Ccy></Acct>'), /the statement names no account/);
  });

  test('has its balances before its entries', async () => {
    assert.match(await refusalOf(booking() + balance('CLBD', '1.00')), /a balance stands after the entries/);
  });

  for (const [name, content, message] of [
    ['a balance without an amount', '<Bal><CdtDbtInd>CRDT</CdtDbtInd></Bal>', /the balance has no amount/],
    [
      'a balance without a direction',
      '<Bal><Amt Ccy="EUR">1</Amt></Bal>',
      /CdtDbtInd must be CRDT or DBIT, not ""/,
    ],
    ['a period that is none', '<FrToDt><FrDtTm>2026-02-30</FrDtTm></FrToDt>', /"2026-02-30" is not a date/],
    ['an end that is none', '<FrToDt><ToDtTm>tomorrow</ToDtTm></FrToDt>', /"tomorrow" is not a date/],
    ['two ids', '<Id>S-2</Id>', /Id stands twice where one is expected/],
  ] as const) {
    test(`is refused with ${name}`, async () => assert.match(await refusalOf(content), message));
  }
});

suite('an entry', () => {
  test('counts once its money has moved, however the version says so', async () => {
    for (const [status, count] of [
      ['BOOK', 1],
      ['<Cd>BOOK</Cd>', 1],
      ['<Prtry>BOOK</Prtry>', 1],
      ['PDNG', 0],
      ['<Cd>PDNG</Cd>', 0],
      ['INFO', 0],
      ['FUTR', 0],
    ] as const) {
      assert.equal((await entriesIn(booking({ status }))).length, count, status);
    }
    const [first] = await entriesIn(booking({ status: 'PDNG' }, amountOf({})) + booking({ amount: '2.00' }));
    assert.deepEqual([first?.number, first?.amount], [1, 200], 'and what is pending is not numbered');
    assert.match(await refusalOf(booking({ status: 'SOON' })), /entry 1: the status "SOON" is unknown/);
    assert.match(await refusalOf(booking({ status: '' })), /the status "" is unknown/);
  });

  test('has an amount', async () => {
    const none = booking().replace(/<Amt .*?<\/Amt>/, '');
    assert.match(await refusalOf(none), /entry 1: the entry has no amount/);
  });

  test('was booked on a day, else at its value date', async () => {
    const dates = (booked: string, valued: string) =>
      entryIn(booking({ dates: `${booked}${valued}` })).then(({ bookedOn, valueOn }) => [bookedOn, valueOn]);
    const booked = '<BookgDt><DtTm>2026-02-03T23:30:00-05:00</DtTm></BookgDt>';
    const valued = '<ValDt><Dt>2026-02-04</Dt></ValDt>';
    assert.deepEqual(await dates(booked, valued), ['2026-02-03', '2026-02-04']);
    assert.deepEqual(await dates('', valued), ['2026-02-04', '2026-02-04']);
    assert.deepEqual(await dates(booked, ''), ['2026-02-03', null]);
    assert.deepEqual(await dates('<BookgDt><Dt>2026-02-03+01:00</Dt></BookgDt>', ''), ['2026-02-03', null]);
    assert.match(await refusalOf(booking({ dates: '' })), /neither a booking date nor a value date/);
  });

  test('may be a reversal', async () => {
    for (const [indicator, expected] of [
      ['true', true],
      ['1', true],
      ['false', false],
      ['0', false],
    ] as const) {
      const more = `<RvslInd>${indicator}</RvslInd>`;
      assert.equal((await entryIn(booking({ more }))).isReversal, expected, indicator);
    }
    assert.equal((await entryIn(booking())).isReversal, false);
  });

  test('has the code of its transaction, else its own, of ISO 20022 or of the bank', async () => {
    const domain = (family: string) =>
      `<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>${family}</Cd><SubFmlyCd>ESCT</SubFmlyCd></Fmly></Domn>` +
      '<Prtry><Cd>NTRF+166</Cd></Prtry></BkTxCd>';
    const own = '<BkTxCd><Prtry><Cd>NTRF+166</Cd></Prtry></BkTxCd>';
    const codeOf = async (more: string, detail: string) =>
      (await entryIn(booking({ more }, detail))).transactionCode;
    assert.equal(await codeOf(domain('RCDT'), domain('ICDT')), 'PMNT-ICDT-ESCT');
    assert.equal(await codeOf(domain('RCDT'), ''), 'PMNT-RCDT-ESCT');
    assert.equal(await codeOf(own, ''), 'NTRF+166');
    assert.equal(await codeOf(domain('RCDT'), own), 'NTRF+166');
    assert.equal(await codeOf('', ''), '');
  });

  test('has its references, as far as they are any', async () => {
    const refs = (inside: string) => entryIn(booking({}, `<Refs>${inside}</Refs>`));
    const all = await refs(
      '<AcctSvcrRef>B-2</AcctSvcrRef><InstrId>I-1</InstrId><EndToEndId>E-1</EndToEndId><TxId>T-1</TxId>',
    );
    assert.deepEqual([all.bankReference, all.instructionId, all.endToEndId], ['B-2', 'I-1', 'E-1']);
    const none = await refs('<EndToEndId>NOTPROVIDED</EndToEndId><InstrId>NONREF</InstrId><TxId>T-1</TxId>');
    assert.deepEqual([none.endToEndId, none.instructionId], ['', 'T-1']);
    const own = await entryIn(
      booking({ more: '<AcctSvcrRef>B-1</AcctSvcrRef>' }, '<Refs><AcctSvcrRef>B-2</AcctSvcrRef></Refs>'),
    );
    assert.deepEqual([own.bankReference, own.batchReference], ['B-1', '']);
  });

  test('has a structured reference, further ones in its text, and all of its texts', async () => {
    const structured = (reference: string, more = '') =>
      `<Strd><CdtrRefInf><Ref>${reference}</Ref></CdtrRefInf>${more}</Strd>`;
    const of = async (inside: string, detail = '', more = '') => {
      const entry = await entryIn(booking({ more }, `<RmtInf>${inside}</RmtInf>${detail}`));
      return [entry.creditorReference, entry.remittance];
    };
    assert.deepEqual(await of(structured('rf18 5390')), ['RF185390', '']);
    assert.deepEqual(await of('<Ustrd>Order</Ustrd><Ustrd> 7 </Ustrd>'), ['', 'Order 7']);
    assert.deepEqual(
      await of(
        `<Ustrd>Order 7</Ustrd>${structured('RF1', '<AddtlRmtInf>more</AddtlRmtInf>')}${structured('rf2')}`,
      ),
      ['RF1', 'Order 7 more RF2'],
    );
    for (const none of ['NOTPROVIDED', '0', '000 000', '-']) {
      assert.deepEqual(await of(structured(none)), ['', ''], none);
      assert.deepEqual(await of(structured(none) + structured('RF2')), ['RF2', ''], none);
    }
    const additional = '<AddtlTxInf>of the transaction</AddtlTxInf>';
    const ofEntry = '<AddtlNtryInf>of the entry</AddtlNtryInf>';
    assert.deepEqual(await of('', additional, ofEntry), ['', 'of the transaction']);
    assert.deepEqual(await of('', '', ofEntry), ['', 'of the entry']);
    assert.deepEqual(await of('<Ustrd>x</Ustrd>', additional, ofEntry), ['', 'x']);
    assert.deepEqual(await of(structured('RF1'), additional, ofEntry), ['RF1', '']);
  });

  test('came back where a reason is given, or its code says so', async () => {
    const returnOf = async (detail: string) => (await entryIn(booking({}, detail))).returned;
    const refs = '<Refs><EndToEndId>E-1</EndToEndId></Refs>';
    const reason = (inside: string) => `${refs}<RtrInf>${inside}</RtrInf>`;
    assert.deepEqual(
      await returnOf(
        reason('<Rsn><Cd>AC04</Cd></Rsn><AddtlInf>Account</AddtlInf><AddtlInf>closed</AddtlInf>'),
      ),
      {
        reasonCode: 'AC04',
        reasonText: 'Account closed',
        originalEndToEndId: 'E-1',
      },
    );
    assert.equal((await returnOf(reason('<Rsn><Prtry>914</Prtry></Rsn>')))?.reasonCode, '914');
    assert.equal((await returnOf(reason('<AddtlInf>closed</AddtlInf>')))?.reasonText, 'closed');
    const code = (sub: string) =>
      `<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>ICDT</Cd><SubFmlyCd>${sub}</SubFmlyCd></Fmly></Domn></BkTxCd>`;
    assert.deepEqual(await returnOf(code('RRTN')), {
      reasonCode: '',
      reasonText: '',
      originalEndToEndId: '',
    });
    assert.equal(await returnOf(code('ESCT')), null);
  });
});

suite('the counterparty', () => {
  const side = (name: string, who: string, account: string, bic = '') =>
    `<${name}><Pty><Nm>${who}</Nm></Pty></${name}>` +
    (account === '' ? '' : `<${name}Acct><Id><IBAN>${account}</IBAN></Id></${name}Acct>`) +
    (bic === ''
      ? ''
      : `</RltdPties><RltdAgts><${name}Agt><FinInstnId><BICFI>${bic}</BICFI></FinInstnId></${name}Agt></RltdAgts><RltdPties>`);
  const debtor = side('Dbtr', 'Debtor', 'DE11');
  const creditor = side('Cdtr', 'Creditor', 'DE22');
  const nameIn = async (parties: string, given: Booking = {}, detail = '') =>
    (await entryIn(booking(given, `<RltdPties>${parties}</RltdPties>${detail}`))).counterparty.name;
  const both = debtor + creditor;
  const reversal = '<RvslInd>true</RvslInd>';
  const returned = '<RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf>';

  test('pays a credit and gets a debit; of what comes back it is the other way round', async () => {
    assert.equal(await nameIn(both), 'Debtor');
    assert.equal(await nameIn(both, { direction: 'DBIT' }), 'Creditor');
    assert.equal(await nameIn(both, { more: reversal }), 'Creditor');
    assert.equal(await nameIn(both, { direction: 'DBIT', more: reversal }), 'Debtor');
    assert.equal(await nameIn(both, {}, returned), 'Creditor');
    assert.equal(await nameIn(both, { direction: 'DBIT' }, returned), 'Debtor');
  });

  test('is never the holder of the account, whatever the bank takes for the sides', async () => {
    const ownDebtor = side('Dbtr', 'We', OWN);
    const ownCreditor = side('Cdtr', 'We', OWN);
    assert.equal(await nameIn(ownDebtor + creditor), 'Creditor');
    assert.equal(await nameIn(debtor + ownCreditor, { direction: 'DBIT' }), 'Debtor');
    assert.equal(await nameIn(ownDebtor, { direction: 'DBIT' }), '');
    assert.equal(await nameIn(ownCreditor), '', 'of a credit nobody is known where only we are');
  });

  test('is the other side where the bank names only that', async () => {
    assert.equal(await nameIn(creditor), 'Creditor');
    assert.equal(await nameIn(debtor, { direction: 'DBIT' }), 'Debtor');
    assert.equal(await nameIn(side('Dbtr', 'Name only', '') + creditor), 'Name only');
    const numbered = '<DbtrAcct><Id><Othr><Id>123</Id></Othr></Id></DbtrAcct>';
    assert.equal(await nameIn(numbered + creditor), '', 'an account without a name is somebody');
  });

  test('may be known by its bank alone', async () => {
    const bank = (who: string, bic = 'COBADEFFXXX') =>
      `<RltdAgts><${who}Agt><FinInstnId><BICFI>${bic}</BICFI></FinInstnId></${who}Agt></RltdAgts>`;
    const known = { name: '', account: '', bic: 'COBADEFFXXX' };
    for (const [name, given, detail, expected] of [
      ['of a credit', {}, bank('Dbtr'), known],
      ['of a debit', { direction: 'DBIT' }, bank('Cdtr'), known],
      [
        'beside a party without an account',
        {},
        `<RltdPties>${side('Cdtr', 'We', '')}</RltdPties>${bank('Dbtr')}`,
        known,
      ],
      ['the other side', {}, bank('Cdtr'), known],
      [
        'the own one',
        {},
        `<RltdPties>${side('Cdtr', 'We', OWN)}</RltdPties>${bank('Cdtr')}`,
        { ...known, bic: '' },
      ],
    ] as const) {
      assert.deepEqual((await entryIn(booking(given, detail))).counterparty, expected, name);
    }
  });

  test('has a name, or that of whom it stands for, an account and a bank, in all versions', async () => {
    const of = async (parties: string) =>
      (await entryIn(booking({}, `<RltdPties>${parties}</RltdPties>`))).counterparty;
    assert.deepEqual(await of(side('Dbtr', ' Ada  Lovelace ', 'de11 2233', 'cobadeffxxx')), {
      name: 'Ada Lovelace',
      account: 'DE112233',
      bic: 'COBADEFFXXX',
    });
    assert.equal((await of('<Dbtr><Nm>Ada</Nm></Dbtr>')).name, 'Ada');
    assert.equal((await of('<Dbtr><Agt><FinInstnId><Nm>Bank</Nm></FinInstnId></Agt></Dbtr>')).name, 'Bank');
    assert.equal((await of('<UltmtDbtr><Nm>Behind</Nm></UltmtDbtr>')).name, 'Behind');
    assert.equal(
      (await of('<UltmtDbtr><Pty><Nm>B</Nm></Pty></UltmtDbtr><Dbtr><Nm>Ada</Nm></Dbtr>')).name,
      'Ada',
    );
    const old = await of(
      '<Dbtr><Nm>Ada</Nm></Dbtr></RltdPties><RltdAgts><DbtrAgt><FinInstnId><BIC>COBADEFF</BIC></FinInstnId></DbtrAgt></RltdAgts><RltdPties>',
    );
    assert.equal(old.bic, 'COBADEFF');
    const out = await entryIn(
      booking(
        { direction: 'DBIT' },
        `<RltdPties><UltmtCdtr><Nm>Behind</Nm></UltmtCdtr></RltdPties>` +
          '<RltdAgts><CdtrAgt><FinInstnId><BIC>COBADEFF</BIC></FinInstnId></CdtrAgt></RltdAgts>',
      ),
    );
    assert.deepEqual([out.counterparty.name, out.counterparty.bic], ['Behind', 'COBADEFF']);
    const banks = '<CdtrAcct><Id><Othr><Id>7 8</Id></Othr></Id></CdtrAcct>';
    assert.equal((await of(banks)).account, '78');
  });
});

suite('a booking of several transactions', () => {
  const part = (amount: string, given: Amount & { readonly reference?: string } = {}) =>
    amountOf({ ...given, amount }) +
    (given.reference === undefined ? '' : `<Refs><AcctSvcrRef>${given.reference}</AcctSvcrRef></Refs>`);
  const batch = '<AcctSvcrRef>BATCH-1</AcctSvcrRef>';
  const partsIn = async (given: Booking, ...details: string[]) =>
    (await entriesIn(booking({ more: batch, ...given }, ...details))).map((entry) => [
      entry.number,
      entry.direction,
      entry.amount,
      entry.bankReference,
      entry.batchReference,
    ]);

  test('is its parts where they add up to it', async () => {
    assert.deepEqual(await partsIn({ amount: '30.00' }, part('10.00', { reference: 'B-1' }), part('20.00')), [
      [1, 'credit', 1000, 'B-1', 'BATCH-1'],
      [2, 'credit', 2000, '', 'BATCH-1'],
    ]);
    const out = { amount: '30.00', direction: 'DBIT' } as const;
    assert.deepEqual(
      await partsIn(out, part('40.00', { direction: 'DBIT' }), part('10.00', { direction: 'CRDT' })),
      [
        [1, 'debit', 4000, '', 'BATCH-1'],
        [2, 'credit', 1000, '', 'BATCH-1'],
      ],
    );
  });

  test('does not give its own reference to each of them', async () => {
    const shared = part('15.00', { reference: 'BATCH-1' });
    assert.deepEqual(await partsIn({ amount: '30.00' }, shared, shared), [
      [1, 'credit', 1500, '', 'BATCH-1'],
      [2, 'credit', 1500, '', 'BATCH-1'],
    ]);
  });

  test('is one sum where they do not, or one of them does not say its amount', async () => {
    const sum = [[1, 'credit', 3000, 'BATCH-1', '']];
    assert.deepEqual(await partsIn({ amount: '30.00' }, part('10.00'), part('20.01')), sum);
    assert.deepEqual(await partsIn({ amount: '30.00' }, part('10.00'), part('19.99')), sum);
    assert.deepEqual(
      await partsIn({ amount: '30.00' }, part('30.00'), '<Refs><EndToEndId>E</EndToEndId></Refs>'),
      sum,
    );
    assert.deepEqual(
      await partsIn({ amount: '30.00' }, part('10.00'), part('20.00', { currency: 'CHF' })),
      sum,
    );
  });

  test('says their amounts in one of three places, in the currency of the account', async () => {
    const details = (inside: string) => `<AmtDtls>${inside}</AmtDtls>`;
    const transaction = (amount: string, currency = 'EUR') =>
      `<TxAmt><Amt Ccy="${currency}">${amount}</Amt></TxAmt>`;
    const instructed = (amount: string, currency = 'EUR') =>
      `<InstdAmt><Amt Ccy="${currency}">${amount}</Amt></InstdAmt>`;
    const amounts = async (inside: string) =>
      (await entriesIn(booking({ amount: '30.00' }, part('10.00'), inside))).map(({ amount }) => amount);
    assert.deepEqual(await amounts(details(transaction('20.00'))), [1000, 2000]);
    assert.deepEqual(await amounts(details(instructed('20.00'))), [1000, 2000]);
    assert.deepEqual(await amounts(details(instructed('21.00', 'USD') + transaction('20.00'))), [1000, 2000]);
    assert.deepEqual(await amounts(details(instructed('20.00') + transaction('21.00', 'USD'))), [1000, 2000]);
    assert.deepEqual(await amounts(details(instructed('7.00') + transaction('20.00'))), [1000, 2000]);
    assert.deepEqual(await amounts(part('20.00') + details(transaction('7.00'))), [1000, 2000]);
  });

  test('of a single transaction is that one, with the amount and direction of the booking', async () => {
    const [entry, ...others] = await entriesIn(
      booking(
        { amount: '30.00', more: batch },
        `${part('29.00', { direction: 'DBIT', reference: 'B-1' })}<RmtInf><Ustrd>x</Ustrd></RmtInf>`,
      ),
    );
    assert.deepEqual(others, []);
    assert.deepEqual(
      [entry?.amount, entry?.direction, entry?.bankReference, entry?.batchReference, entry?.remittance],
      [3000, 'credit', 'BATCH-1', '', 'x'],
    );
    const [plain] = await entriesIn(booking({}, part('10.00', { reference: 'B-1' })));
    assert.equal(plain?.bankReference, 'B-1', 'the booking itself has none');
  });

  test('forgets the transactions of the booking before', async () => {
    const first = booking({ amount: '30.00' }, part('10.00'), part('20.00'));
    const found = await entriesIn(first + booking({ amount: '5.00' }));
    assert.deepEqual(
      found.map(({ number, amount }) => [number, amount]),
      [
        [1, 1000],
        [2, 2000],
        [3, 500],
      ],
    );
  });
});
