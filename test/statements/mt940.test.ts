/** MT940 as banks write it: what each field says, and how messages follow each other. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { StatementEntry, StatementHeader } from '../../src/statements/entry.ts';
import { informationOf } from '../../src/statements/mt940-information.ts';
import { attempt, partsOf } from './support.ts';

type Given = {
  readonly account?: string;
  readonly number?: string;
  readonly opening?: string;
  readonly closing?: string;
  readonly entries?: readonly string[];
};

/** A statement whose entries come to nothing, unless it says another balance. */
function statement({
  account = '12030000/202051',
  number = '31/1',
  entries = [],
  ...balances
}: Given = {}): string {
  const { opening = 'C260203EUR0,00', closing = 'C260203EUR0,00' } = balances;
  return [':20:X', `:25:${account}`, `:28C:${number}`, `:60F:${opening}`, ...entries, `:62F:${closing}`, '-']
    .join('\n')
    .concat('\n');
}

/** The sample's first entry, which brings 12.34. */
async function entryOf(movement: string, information: readonly string[] = []): Promise<StatementEntry> {
  const lines = [`:61:${movement}`, ...information];
  const { opening, closing } = /^\d{6}(\d{4})?(R?D|RC)/.test(movement)
    ? { opening: 'C260203EUR12,34', closing: 'C260203EUR0,00' }
    : { opening: 'C260203EUR0,00', closing: 'C260203EUR12,34' };
  const isCredit = !/^\d{6}(\d{4})?(D|RC)/.test(movement);
  const parts = await partsOf(
    statement(
      isCredit ? { closing: 'C260203EUR12,34', entries: lines } : { opening, closing, entries: lines },
    ),
  );
  const entry = parts.find((part) => part.kind === 'entry')?.entry;
  assert.ok(entry);
  return entry;
}

async function headersOf(text: string): Promise<StatementHeader[]> {
  const parts = await partsOf(text);
  return parts.flatMap((part) => (part.kind === 'statement' ? [part.header] : []));
}

const messageOf = async (text: string) => (await attempt(text)).error?.message ?? 'accepted';

suite('an entry (:61:)', () => {
  test('goes in the direction of its mark, and what is taken back the other way', async () => {
    for (const [mark, direction, isReversal] of [
      ['C', 'credit', false],
      ['D', 'debit', false],
      ['RC', 'debit', true],
      ['RD', 'credit', true],
      ['CR', 'credit', false],
    ] as const) {
      const entry = await entryOf(`260203${mark}12,34NTRFNONREF`);
      assert.deepEqual(
        [entry.direction, entry.isReversal, entry.amount],
        [direction, isReversal, 1234],
        mark,
      );
    }
  });

  test('was booked on its entry date, which has no year: on the nearest such day', async () => {
    for (const [dates, bookedOn, valueOn] of [
      ['260203', '2026-02-03', '2026-02-03'],
      ['2602030205', '2026-02-05', '2026-02-03'],
      ['2512310102', '2026-01-02', '2025-12-31'],
      ['2601021231', '2025-12-31', '2026-01-02'],
      ['2402280229', '2024-02-29', '2024-02-28'],
      ['2502280229', '2024-02-29', '2025-02-28'],
      ['9912310103', '2000-01-03', '1999-12-31'],
    ] as const) {
      const entry = await entryOf(`${dates}C12,34NTRFNONREF`);
      assert.deepEqual([entry.bookedOn, entry.valueOn], [bookedOn, valueOn], dates);
    }
  });

  test('has the reference of the customer, and that of the bank behind two slashes', async () => {
    for (const [references, instructionId, bankReference] of [
      ['NONREF', '', ''],
      ['ORDER-1', 'ORDER-1', ''],
      ['ORDER-1//B4711', 'ORDER-1', 'B4711'],
      ['NONREF//B4711', '', 'B4711'],
      ['//B4711', '', 'B4711'],
      ['ORDER-1//B47//11', 'ORDER-1', 'B47//11'],
      ['ORDER/1//B4711', 'ORDER/1', 'B4711'],
      ['ORDER-1//NONREF', 'ORDER-1', ''],
      ['EREF//B4711', '', 'B4711'],
      ['KREF+//B4711', '', 'B4711'],
      ['MARF', '', ''],
      ['PREF', '', ''],
      ['EREF1', 'EREF1', ''],
    ] as const) {
      const entry = await entryOf(`260203C12,34NTRF${references}`);
      assert.deepEqual(
        [entry.instructionId, entry.bankReference],
        [instructionId, bankReference],
        references,
      );
    }
  });

  test('may name the third letter of its currency, and any type', async () => {
    assert.equal((await entryOf('260203CR12,34FCHGNONREF')).transactionCode, 'FCHG');
    assert.equal((await entryOf('260203C12,34N166NONREF')).transactionCode, 'N166');
    assert.equal((await entryOf(' 260203C12,34NTRFNONREF ')).transactionCode, 'NTRF');
  });

  test('has its supplement for a text where there is no information', async () => {
    const plain = await entryOf('260203C12,34NTRFNONREF', ['/OCMT/USD1,', 'and more']);
    assert.equal(plain.remittance, '/OCMT/USD1, and more');
    const informed = await entryOf('260203C12,34NTRFNONREF', ['supplement', ':86:Order 7']);
    assert.equal(informed.remittance, 'Order 7');
    const structured = await entryOf('260203C12,34NTRFNONREF', ['more', ':86:/REMI/STRD/CUR/RF18X/']);
    assert.deepEqual([structured.remittance, structured.creditorReference], ['', 'RF18X']);
  });

  test('keeps the reference of :61: where the information has none of its own', async () => {
    const of = async (information: string) =>
      (await entryOf('260203C12,34NTRFORDER-1', [`:86:${information}`])).instructionId;
    assert.equal(await of('/TRTP/SEPA/KREF/ORDER-2/'), 'ORDER-2');
    assert.equal(await of('/TRTP/SEPA/PREF/ORDER-3/'), 'ORDER-3');
    assert.equal(await of('/TRTP/SEPA/KREF/ORDER-2/PREF/ORDER-3/'), 'ORDER-2');
    assert.equal(await of('/TRTP/SEPA/'), 'ORDER-1');
  });

  test('has all of its information, also where that is in several fields', async () => {
    const entry = await entryOf('260203C12,34NTRFNONREF', [':86:Order', '7', ':86:thanks']);
    assert.equal(entry.remittance, 'Order 7 thanks');
  });

  test('has as much information in several fields as is allowed, and no more', async () => {
    const half = 'x'.repeat(100);
    const entries = [':61:260203C12,34NTRFNONREF', `:86:${half}`, `:86:${half}`];
    const text = statement({ closing: 'C260203EUR12,34', entries });
    assert.equal((await attempt(text, { limits: { text: 200 } })).error, null);
    const { error } = await attempt(text, { limits: { text: 199 } });
    assert.match(error?.message ?? '', /the information of an entry is longer than 199 characters/);
  });

  for (const [name, movement, message] of [
    ['no amount', '260203CNTRFNONREF', /the entry "260203CNTRFNONREF" is invalid: it must be like/],
    ['no type', '260203C12,34', /is invalid: it must be like/],
    ['a value date that is none', '260230C12,34NTRF', /the value date "260230" is not a real date/],
    ['an entry date that is none', '2602030231C12,34NTRF', /the entry date "0231" is not a real date/],
  ] as const) {
    test(`is refused with ${name}`, async () =>
      assert.match(await messageOf(statement({ entries: [`:61:${movement}`] })), message));
  }
});

suite('a statement', () => {
  test('has the sign, the day and the currency of its balances', async () => {
    const entries = [':61:260203D12,34NTRFNONREF'];
    const debit = statement({ opening: 'D260202CHF10,00', closing: 'D260203CHF22,34', entries });
    const [header] = await headersOf(debit);
    assert.deepEqual(header, {
      statementId: '31/1',
      account: '12030000/202051',
      currency: 'CHF',
      openingBalance: -1000,
      closingBalance: null,
      fromDate: '2026-02-02',
      toDate: null,
    });
    const [yen] = await headersOf(statement({ opening: 'C260202JPY10,', closing: 'C260203JPY10,' }));
    assert.equal(yen?.openingBalance, 10);
  });

  test('is named by its number, else by its reference', async () => {
    assert.equal((await headersOf(statement({ number: '7/1' })))[0]?.statementId, '7/1');
    assert.equal((await headersOf(statement().replace(':28C:31/1\n', '')))[0]?.statementId, 'X');
    assert.equal((await headersOf(statement().replace(':28C:', ':28:')))[0]?.statementId, '31/1');
  });

  test('is about the IBAN where there is one, whatever stands around it', async () => {
    for (const [account, expected] of [
      ['DE02120300000000202051', 'DE02120300000000202051'],
      ['DE02 1203 0000 0000 2020 51', 'DE02120300000000202051'],
      ['DE02120300000000202051EUR', 'DE02120300000000202051'],
      ['BYLADEM1001/DE02120300000000202051', 'DE02120300000000202051'],
      ['BYLADEM1001/DE02120300000000202051EUR', 'DE02120300000000202051'],
      ['DE03120300000000202051', 'DE03120300000000202051'],
      ['12030000/202051', '12030000/202051'],
      ['202051eur', '202051EUR'],
    ] as const) {
      assert.equal((await headersOf(statement({ account })))[0]?.account, expected, account);
    }
    const withParty = statement().replace(':25:12030000/202051', ':25P:12030000/202051\nBYLADEM1001');
    assert.equal((await headersOf(withParty))[0]?.account, '12030000/202051');
  });

  test('may go on over several pages with interim balances', async () => {
    const first = statement({
      number: '31/1',
      closing: 'C260203EUR12,34',
      entries: [':61:260203C12,34NTRFA'],
    });
    const second = statement({ number: '31/2', opening: 'C260203EUR12,34', closing: 'C260203EUR12,34' });
    const pages = first.replace(':62F:', ':62M:') + second.replace(':60F:', ':60M:');
    assert.deepEqual(
      (await headersOf(pages)).map(({ statementId, openingBalance }) => [statementId, openingBalance]),
      [
        ['31/1', 0],
        ['31/2', 1234],
      ],
    );
  });

  test('passes over fields that say nothing of its entries, and what stands between statements', async () => {
    const noisy = statement({
      entries: [':13D:2602031200+0100', ':64:C260203EUR99,99', ':65:C260204EUR99,99'],
    });
    assert.equal((await headersOf(`Bank of Test\n:NS:01X\n\n${noisy}Page 1 of 1\n`)).length, 1);
    assert.equal((await headersOf(noisy.replace(/\n-\n$/, '\n:86:Thank you\n-\n'))).length, 1);
  });

  test('is another one under the same number where days or balances differ', async () => {
    const one = statement();
    const two = statement({ opening: 'C260203EUR1,00', closing: 'C260203EUR1,00' });
    const later = statement({ opening: 'C260204EUR0,00' });
    const closed = statement({ closing: 'C260204EUR0,00' });
    const other = statement({ account: '12030000/202052' });
    assert.equal((await headersOf(one + two + later + closed + other)).length, 5);
    assert.equal(await messageOf(one + two + one), 'line 17: the statement "31/1" is in the file twice');
  });

  for (const [name, text, message] of [
    [
      'a balance before it has an account',
      statement().replace(':25:12030000/202051\n', ''),
      'line 3: the statement names no account (:25:)',
    ],
    [
      'two opening balances',
      statement({ entries: [':60F:C260203EUR0,00'] }),
      'line 5: the statement has a second opening balance',
    ],
    [
      'no opening balance',
      statement().replace(/:60F:.*\n/, ''),
      'line 4: the statement has no opening balance (:60F:)',
    ],
    [
      'a balance on a day that is none',
      statement({ opening: 'C260230EUR0,00' }),
      'line 4: "C260230EUR0,00" has a date that does not exist',
    ],
    [
      'a balance in another currency at its end',
      statement({ closing: 'C260203CHF0,00' }),
      'line 5: the statement opens in EUR and closes in CHF',
    ],
    [
      'entries that do not add up',
      statement({ closing: 'C260203EUR0,01' }),
      'line 5: the entries do not add up to the closing balance: ' +
        'from 0.00 EUR they lead to 0.00 EUR, not to 0.01 EUR',
    ],
    [
      'no end',
      statement().replace(/:62F:[\s\S]*/, ''),
      'line 4: the file ends before the closing balance (:62F:) of its last statement',
    ],
    [
      'an end of the message in place of its balance',
      statement().replace(/:62F:.*\n/, ''),
      'line 5: the statement ends without a closing balance (:62F:)',
    ],
    [
      'another one within',
      statement({ entries: [':20:Y'] }),
      'line 5: a statement begins before the last one has its closing balance (:62F:)',
    ],
  ] as const) {
    test(`is refused with ${name}`, async () => assert.equal(await messageOf(text), message));
  }

  test('is refused where a field of it stands outside of one', async () => {
    for (const tag of ['25', '25P', '28', '28C', '60F', '60M', '61', '62F', '62M']) {
      assert.equal(
        await messageOf(`${statement()}:${tag}:X\n`),
        `line 7: :${tag}: stands outside of a statement`,
        tag,
      );
    }
    assert.equal(await messageOf(`${statement()}:86:Thank you\n`), 'accepted');
  });
});

suite('a SWIFT message', () => {
  const header = '{1:F01BYLADEM1AXXX0000000000}{2:O9401200260203BYLADEM1AXXX00000000002602031200N}{4:';
  const body = statement().replace(/-\n$/, '');
  const message = `${header}\n${body}-}{5:{CHK:123456789ABC}}\n`;

  test('has a statement in its fourth block', async () => {
    assert.equal((await headersOf(message)).length, 1);
    assert.equal((await headersOf(`\u0001${message.trimEnd()}\u0003\n`)).length, 1, 'framed as on a line');
    assert.equal((await headersOf(`${header}${body}-}\n`)).length, 1, 'which begins on its line');
  });

  test('may follow another one on the same line', async () => {
    const second = message.replace(':28C:31/1', ':28C:32/1');
    assert.equal((await headersOf(message.trimEnd() + second)).length, 2);
    assert.equal((await headersOf(message + second)).length, 2);
  });

  test('has to be an MT940, and whole', async () => {
    assert.match(
      await messageOf(message.replace('{2:O940', '{2:O950')),
      /the message is an MT950, but must be an MT940/,
    );
    assert.match(await messageOf(message.replace('{2:O940', '{2:I103')), /the message is an MT103/);
    assert.match(await messageOf(`${header}\n${message}`), /a message begins before the last one has ended/);
    assert.match(await messageOf(statement().replace(/:62F[\s\S]*/, message)), /a message begins before/);
    assert.match(
      await messageOf(`${header}\n${body}`),
      /the file ends before the end of its last message \(-\}\)/,
    );
  });
});

suite('information in fields (:86:)', () => {
  const of = (...fields: readonly string[]) =>
    informationOf([`166?00GUTSCHRIFT${fields.map((each) => `?${each}`).join('')}`]);

  test('has the parties and the code of the business', () => {
    const { counterparty, transactionCode } = of(
      '20SVWZ+Order 7',
      '30cobadeffxxx',
      '31DE62 3704 0044 0532 0130 01',
      '32Lotta Über',
      '33mut',
    );
    assert.deepEqual(counterparty, {
      name: 'Lotta Übermut',
      account: 'DE62370400440532013001',
      bic: 'COBADEFFXXX',
    });
    assert.equal(transactionCode, '166');
  });

  test('may have them as tags of the purpose', () => {
    const { counterparty, endToEndId, instructionId, remittance } = of(
      '20EREF+E-1',
      '21KREF+K-1',
      '22SVWZ+Order 7',
      '23ABWA+Ada Lovelace',
      '24IBAN+DE62370400440532013001',
      '25BIC+COBADEFFXXX',
    );
    assert.deepEqual(counterparty, {
      name: 'Ada Lovelace',
      account: 'DE62370400440532013001',
      bic: 'COBADEFFXXX',
    });
    assert.deepEqual([endToEndId, instructionId, remittance], ['E-1', 'K-1', 'Order 7']);
    assert.deepEqual(of('20EREF+NOTPROVIDED', '21KREF+NONREF').endToEndId, '');
    assert.equal(of('20SVWZ+x', '31123', '24IBAN+DE62').counterparty.account, '123', 'a field goes first');
  });

  test('takes the bank at its last word, and the tags at their first: the rest may be the payer’s', () => {
    assert.equal(of('20SVWZ+x', '31111', '20 ?31 222'.slice(0, 5), '31333').counterparty.account, '333');
    const { endToEndId, remittance } = of('20EREF+E-1', '21SVWZ+Order 7 EREF+E-2');
    assert.deepEqual([endToEndId, remittance], ['E-1', 'Order 7']);
  });

  test('joins a purpose that was cut after 27 characters, and parts what was shorter', () => {
    const full = 'abcdefghijklmnopqrstuvwxyz1';
    assert.equal(full.length, 27);
    assert.equal(of(`20${full}`, '21rest').remittance, `${full}rest`);
    assert.equal(of(`20${full.slice(1)}`, '21rest').remittance, `${full.slice(1)} rest`);
    assert.equal(of(`20${full}`, '21EREF+E-1').endToEndId, 'E-1', 'a tag begins anew');
    assert.equal(of(`20${full}`, '60more').remittance, `${full}more`);
    assert.equal(
      of('20one', '29two', '60three', '63four', '34five', '64six').remittance,
      'one two three four',
    );
  });

  test('has a text before its tags, and the sign within a text', () => {
    assert.equal(of('20free text', '21SVWZ+Order 7').remittance, 'free text Order 7');
    assert.equal(of('20Why? Because', '21?').remittance, 'Why? Because ?');
    assert.equal(informationOf(['166>00X>20Order 7>32Ada']).counterparty.name, 'Ada');
    assert.equal(informationOf(['166X00X']).remittance, '166X00X', 'no sign begins fields there');
    assert.equal(informationOf(['166?x']).remittance, '166?x', 'and no text without digits behind it');
  });

  test('is a return by its code, with the reason of the bank', () => {
    for (const code of ['108', '109', '159', '160', '181', '184']) {
      const { returned } = informationOf([`${code}?00RUECKGABE?20EREF+E-1?34914`]);
      assert.deepEqual(
        returned,
        { reasonCode: '914', reasonText: 'RUECKGABE', originalEndToEndId: 'E-1' },
        code,
      );
    }
    for (const code of ['166', '177', '105', '110']) {
      assert.equal(informationOf([`${code}?00X?34914`]).returned, null, code);
    }
  });
});

test('an entry of the type of a returned item is a return, whatever its information says', async () => {
  const none = { reasonCode: '', reasonText: '', originalEndToEndId: '' };
  for (const type of ['NRTI', 'SRTI', 'FRTI']) {
    const { returned } = await entryOf(`260203C12,34${type}NONREF`, [':86:/EREF/E-1/REMI/x']);
    assert.deepEqual(returned, { ...none, originalEndToEndId: 'E-1' }, type);
  }
  assert.deepEqual((await entryOf('260203D12,34NRTINONREF', [':86:free text'])).returned, none);
  assert.equal(
    (await entryOf('260203D12,34NRTINONREF', [':86:/RTRN/AC04/REMI/x'])).returned?.reasonCode,
    'AC04',
  );
  for (const type of ['NTRF', 'NMSC', 'N166', 'RTIN'])
    assert.equal((await entryOf(`260203C12,34${type}NONREF`)).returned, null, type);
});

suite('information in codes (:86:)', () => {
  test('has the other side as a counterparty, or as its parts', () => {
    assert.deepEqual(
      informationOf(['/CNTP/NL83 ABNA 0412345678/abnanl2a/W.  Zonneveld/Delft/']).counterparty,
      {
        name: 'W. Zonneveld',
        account: 'NL83ABNA0412345678',
        bic: 'ABNANL2A',
      },
    );
    assert.deepEqual(
      informationOf(['/TRTP/SEPA/IBAN/NL83ABNA0412345678/BIC/ABNANL2A/NAME/W. Zonneveld']).counterparty,
      {
        name: 'W. Zonneveld',
        account: 'NL83ABNA0412345678',
        bic: 'ABNANL2A',
      },
    );
    assert.equal(informationOf(['/ORDP//NAME/Ada/ULTD//NAME/Mallory/REMI/x']).counterparty.name, 'Ada');
    assert.equal(
      informationOf(['/TRTP/SEPA/ULTD//NAME/Mallory/ORDP//NAME/Ada/REMI/x']).counterparty.name,
      'Ada',
    );
    assert.equal(
      informationOf(['/CNTP/1/2//4/NAME/Ada']).counterparty.name,
      'Ada',
      'a name that is not there',
    );
  });

  test('has a text, or a structured reference without one', () => {
    for (const [codes, reference, text] of [
      ['/REMI/USTD//Order 7/', '', 'Order 7'],
      ['/REMI/Order 7', '', 'Order 7'],
      ['/REMI/STRD/CUR/rf18 5390/', 'RF185390', ''],
      ['/REMI/STRD/ISO/RF185390', 'RF185390', ''],
      ['/REMI/STRD//CUR//RF185390', 'RF185390', ''],
      ['/REMI/STRD/CUR/NOTPROVIDED', '', ''],
      ['/TRTP/X/NRTX/More', '', 'More'],
      ['/NRTX/More/REMI/Order 7', '', 'Order 7'],
    ] as const) {
      const { creditorReference, remittance } = informationOf([codes]);
      assert.deepEqual([creditorReference, remittance], [reference, text], codes);
    }
  });

  test('is a return where the bank says why', () => {
    const { returned } = informationOf(['/RTRN/AC04/Account/closed/EREF/E-1/REMI/x']);
    assert.deepEqual(returned, {
      reasonCode: 'AC04',
      reasonText: 'Account closed',
      originalEndToEndId: 'E-1',
    });
    assert.equal(informationOf(['/EREF/E-1/REMI/x']).returned, null);
    assert.equal(informationOf(['/EREF/NOTPROVIDED/REMI/x']).endToEndId, '');
  });

  test('may be cut within a code or a word, at 65 characters', () => {
    const long = `/EREF/E-1/REMI/${'x'.repeat(50)}`;
    assert.equal(long.length, 65);
    assert.equal(informationOf([long, 'yz']).remittance, `${'x'.repeat(50)}yz`);
    assert.equal(
      informationOf([long.slice(0, 61), 'yz']).remittance,
      `${'x'.repeat(46)}yz`,
      'with :86: before',
    );
    assert.equal(informationOf([long.slice(0, 64), 'yz']).remittance, `${'x'.repeat(49)} yz`);
    assert.equal(
      informationOf([long, 'y'.repeat(61), 'z']).remittance,
      `${'x'.repeat(50)}${'y'.repeat(61)} z`,
    );
  });

  test('is a text where it begins with none of them', () => {
    assert.equal(informationOf(['/XXXX/Order 7', 'EREF']).remittance, '/XXXX/Order 7 EREF');
    assert.equal(informationOf([]).remittance, '');
    const free = informationOf(['Order 7 /IBAN/X']);
    assert.deepEqual([free.remittance, free.counterparty.account], ['Order 7 /IBAN/X', '']);
  });
});
