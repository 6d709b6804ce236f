import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { StatementError } from '../../src/statements/entry.ts';
import { LIMITS, type Limits } from '../../src/statements/limits.ts';
import { serializeMapping } from '../../src/statements/mapping.ts';
import { readStatement } from '../../src/statements/read.ts';
import { mappings } from './expected-other.ts';
import { generateCamt } from './generate.ts';
import { attempt, chunksOf, entriesOf, mappingOf, sample } from './support.ts';

const sparkasse = sample('sparkasse.camt.053.001.02.xml').toString();
const ing = sample('ing.mt940.txt').toString();
const swift = sample('swift.mt940').toString();
const postfinance = sample('postfinance.camt.053.001.04.xml').toString();
const swissCsv = sample('swiss.csv').toString();
const csv = { mapping: mappings['swiss.csv'] };

async function refusal(
  bytes: Uint8Array | string,
  options: Parameters<typeof readStatement>[1] = {},
): Promise<string> {
  const { error } = await attempt(bytes, options);
  assert.ok(error instanceof StatementError, `accepted, or another error: ${error}`);
  return error.message;
}

/** Fails unless the text is in the file, so that no test changes nothing. */
function changed(text: string, from: string, to: string): string {
  assert.ok(text.includes(from), `${from} is not in the sample`);
  return text.replace(from, to);
}

function xml(body: string): string {
  return `<?xml version="1.0"?>\n${body}`;
}

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:camt.053.001.02';

suite('XML that is not what it should be', () => {
  const laughs = xml(
    '<!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;&lol;">]>' +
      `<Document xmlns="${NAMESPACE}">&lol2;</Document>`,
  );
  const external = xml(
    `<!DOCTYPE Document [<!ENTITY x SYSTEM "file:///etc/passwd">]><Document xmlns="${NAMESPACE}">&x;</Document>`,
  );
  const rows: readonly [name: string, bytes: string, message: RegExp][] = [
    ['billion laughs', laughs, /^line 2: the file has a DOCTYPE/],
    ['an external entity', external, /^line 2: the file has a DOCTYPE/],
    [
      'an entity that nobody declared',
      xml(`<Document xmlns="${NAMESPACE}">&nbsp;</Document>`),
      /^line 2: the file is not well-formed XML: undefined entity/,
    ],
    ['another root', xml('<html/>'), /^line 2: the file is "html" of "", but must be Document of camt\.053/],
    [
      'a version that is not known',
      changed(sparkasse, 'camt.053.001.02"', 'camt.053.001.14"'),
      /^line 2: .*camt\.053\.001\.14/,
    ],
    [
      'an interim report',
      xml('<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.052.001.02"/>'),
      /interim report/,
    ],
    [
      'the message of another namespace',
      xml(`<Document xmlns="${NAMESPACE}"><BkToCstmrDbtCdtNtfctn/></Document>`),
      /must be BkToCstmrStmt, not "BkToCstmrDbtCdtNtfctn"/,
    ],
    [
      'no statement',
      xml(`<Document xmlns="${NAMESPACE}"><BkToCstmrStmt/></Document>`),
      /the file has no statement/,
    ],
    [
      'a NUL',
      changed(sparkasse, 'Bestellung', 'Bestel\0lung'),
      /^line 6, entry 1: the file is not well-formed XML: disallowed character/,
    ],
    ['an encoding that cannot be read', '<?xml version="1.0" encoding="EBCDIC"?><a/>', /"EBCDIC"/],
    ['UTF-16 without its mark', '<?xml version="1.0" encoding="UTF-16"?><a/>', /byte order mark/],
    ['MT940 behind it', `${sparkasse}${ing}`, /not well-formed XML/],
    ['a second document behind it', `${sparkasse}${sparkasse}`, /not well-formed XML/],
  ];
  for (const [name, bytes, message] of rows) {
    test(name, async () => assert.match(await refusal(bytes), message));
  }

  test('bytes that are no UTF-8, with the line they are on, however the file is cut', async () => {
    const bytes = Buffer.from(sparkasse);
    bytes[bytes.indexOf('Jonte')] = 0xff;
    assert.match(await refusal(bytes), /^line 7: the text is not in UTF-8/);
    for (const size of [1, 5, 1000]) {
      await assert.rejects(Array.fromAsync(readStatement(chunksOf(bytes, size))), { line: 7 });
    }
  });
});

suite('values that cannot be', () => {
  const rows: readonly [name: string, text: string, message: RegExp][] = [
    [
      'a day that no calendar has',
      changed(sparkasse, '<BookgDt><Dt>2026-02-03', '<BookgDt><Dt>2026-02-30'),
      /^line 6, entry 1: "2026-02-30" is not a date/,
    ],
    [
      'an amount that is no number',
      changed(sparkasse, '49.51', '49,51'),
      /^line 7, entry 2: the amount "49,51" is not a number/,
    ],
    ['an amount in scientific notation', changed(sparkasse, '49.51', '4951E-2'), /"4951E-2" is not a number/],
    ['a negative amount', changed(sparkasse, '119.00', '-119.00'), /entry 1: .* must not be negative/],
    [
      'more digits than the currency has',
      changed(sparkasse, '119.00', '119.005'),
      /more digits than EUR has/,
    ],
    [
      'more than can be counted',
      changed(sparkasse, '119.00', '99999999999999.00'),
      /exceeds the largest possible amount/,
    ],
    [
      'a currency that is none',
      changed(postfinance, '<Amt Ccy="CHF">1300', '<Amt Ccy="XXX">1300'),
      /the currency "XXX" is not in ISO 4217/,
    ],
    [
      'an entry in another currency',
      changed(sparkasse, '<Ntry><Amt Ccy="EUR">4.00', '<Ntry><Amt Ccy="USD">4.00'),
      /^line 8, entry 3: the entry is in "USD", but the account in "EUR"/,
    ],
    [
      'an amount without a currency',
      changed(sparkasse, '<Ntry><Amt Ccy="EUR">', '<Ntry><Amt>'),
      /no currency/,
    ],
    [
      'a direction that is none',
      changed(sparkasse, 'DBIT', 'BOTH'),
      /CdtDbtInd must be CRDT or DBIT, not "BOTH"/,
    ],
    ['a status that nobody knows', changed(sparkasse, 'BOOK', 'SOON'), /the status "SOON" is unknown/],
    [
      'two amounts',
      changed(sparkasse, '<Amt Ccy="EUR">4.00</Amt>', '<Amt Ccy="EUR">4.00</Amt>'.repeat(2)),
      /twice/,
    ],
    [
      'entries that do not add up',
      changed(sparkasse, '1065.49', '1065.50'),
      /do not add up to the closing balance: from 1000\.00 EUR they lead to 1065\.49 EUR, not to 1065\.50 EUR/,
    ],
    [
      'a statement that is there twice',
      sparkasse.replace(/<Stmt>.*<\/Stmt>/s, (all) => all + all),
      /the statement "1234567890\/2026-02-03\/23" is in the file twice/,
    ],
    [
      'MT940: a day that no calendar has',
      changed(ing, ':61:260205', ':61:260230'),
      /^line 8, entry 1: the value date/,
    ],
    [
      'MT940: an entry date that is none',
      changed(ing, ':61:2602050205C34', ':61:2602051305C34'),
      /entry date "1305"/,
    ],
    [
      'MT940: an amount without a comma',
      changed(ing, 'C34,90', 'C3490'),
      /^line 8, entry 1: the entry .* is invalid/,
    ],
    ['MT940: digits that EUR has not', changed(ing, 'C34,90', 'C34,901'), /more digits than EUR has/],
    ['MT940: an entry that was lost', ing.replace(/:61:2602050205D[\s\S]*?(?=:62F)/, ''), /do not add up/],
    [
      'MT940: an entry before the balance',
      changed(ing, ':60F:C260204EUR20,00\n', ''),
      /^line 7, entry 1: .*before/,
    ],
    [
      'MT940: a balance that is none',
      changed(ing, ':60F:C260204EUR', ':60F:X260204EUR'),
      /^line 7: the balance/,
    ],
    [
      'MT940: another currency at the end',
      changed(ing, ':62F:C260205EUR', ':62F:C260205USD'),
      /closes in USD/,
    ],
    [
      'MT940: a statement within a statement',
      changed(ing, ':62F:', ':20:X\n:62F:'),
      /^line 17: a statement begins/,
    ],
    ['MT940: no account', changed(ing, ':25:NL36INGB0007654321EUR\n', ''), /names no account/],
    ['MT940: twice the same statement', ing + ing, /is in the file twice/],
    ['MT942', changed(ing, '{2:I940', '{2:I942'), /^line 2: the message is an MT942/],
    ['MT942 without blocks', ':20:A\n:25:B\n:34F:EURD0,\n', /interim report \(MT942\)/],
    ['MT940: a NUL', changed(ing, 'bedankt', 'be\0dankt'), /^line 10: the line has a NUL/],
    ['MT940: XML within', changed(ing, ':62F:', sparkasse.slice(0, 300)), /line \d+/],
  ];
  for (const [name, text, message] of rows) {
    test(name, async () => assert.match(await refusal(text), message));
  }
});

suite('CSV that cannot be', () => {
  const rows: readonly [name: string, text: string, message: RegExp][] = [
    [
      'a day that no calendar has',
      changed(swissCsv, '2026-02-04', '2026-02-30'),
      /^line 2, entry 1: column "Datum": "2026-02-30"/,
    ],
    [
      'an amount that is no number',
      changed(swissCsv, "1'000.00", '1000.0.0'),
      /column "Gutschrift": the amount/,
    ],
    [
      'groups of other than three digits',
      changed(swissCsv, "1'000.00", "1'00.00"),
      /"1'00\.00" is not a number/,
    ],
    [
      'a credit and a debit',
      changed(swissCsv, ',,-5.50', ',1.00,-5.50'),
      /^line 3, entry 2: column "Belastung"/,
    ],
    ['neither', changed(swissCsv, '-5.50', ''), /neither the amount of a credit nor of a debit/],
    ['a missing column', changed(swissCsv, 'Valuta', 'Wert'), /^line 1: the column "Valuta" is missing/],
    [
      'a column that is there twice',
      changed(swissCsv, 'Valuta', 'Datum'),
      /the column "Datum" occurs 2 times/,
    ],
    [
      'a row that ends early',
      swissCsv.slice(0, swissCsv.indexOf('-5.50')),
      /^line 3, entry 2: the row has 6 columns/,
    ],
    ['a quotation mark that is never closed', changed(swissCsv, 'Gebühr', '"Gebühr'), /never closed/],
    [
      'a quotation mark within',
      changed(swissCsv, 'Gebühr', 'Ge"bühr'),
      /^line 3: a quotation mark begins inside/,
    ],
    ['a NUL', changed(swissCsv, 'Gebühr', 'Ge\0'), /^line 3: the text has a NUL/],
    ['nothing', '\n\n', /the file has no rows/],
  ];
  for (const [name, text, message] of rows) {
    test(name, async () => assert.match(await refusal(text, csv), message));
  }

  test('a decimal point where the comma is one, and the other way round', async () => {
    const given = { ...mappings['dutch.csv'], thousands: '.' } as const;
    const dutch = sample('dutch.csv').toString();
    assert.match(
      await refusal(changed(dutch, '34,90', '34.90'), { mapping: mappingOf(serializeMapping(given)) }),
      /"34\.90"/,
    );
    assert.match(
      await refusal(changed(dutch, '34,90', '34.90'), { mapping: mappings['dutch.csv'] }),
      /^line 2, entry 1: column "Bedrag \(EUR\)": the amount "34\.90" is not a number/,
    );
  });

  test('bytes that are not of its encoding', async () =>
    assert.match(await refusal(Buffer.from(swissCsv, 'latin1'), csv), /^line 3: the text is not in UTF-8/));
});

suite('what is no statement at all', () => {
  const rows: readonly [name: string, bytes: string | Buffer, message: RegExp][] = [
    ['nothing', '', /^the file is empty$/],
    ['a ZIP archive', Buffer.from('504b0304', 'hex'), /ZIP archive: unpack it/],
    ['gzip', Buffer.from('1f8b0800', 'hex'), /gzip: unpack it/],
    ['a PDF', '%PDF-1.7', /is a PDF/],
    [
      'CSV without a mapping',
      swissCsv,
      /neither camt \(XML\) nor MT940; to be read as CSV it needs a mapping/,
    ],
    ['MT940 with only a beginning', ':20:X\n', /ends before the closing balance/],
    ['only the frame of a message', '{1:F01X}{2:I940X}{4:\n-}', /the file has no statement/],
  ];
  for (const [name, bytes, message] of rows) {
    test(name, async () => assert.match(await refusal(bytes), message));
  }
});

suite('what is too much', () => {
  const within = (limits: Partial<Limits>) => ({ limits });
  async function* endless(start: string, more: string): AsyncGenerator<Uint8Array> {
    yield Buffer.from(start);
    const chunk = Buffer.from(more.repeat(65_536 / more.length));
    for (let bytes = 0; bytes < 100_000_000; bytes += chunk.length) {
      given += chunk.length;
      yield chunk;
    }
  }
  let given = 0;
  const head = sparkasse.slice(0, sparkasse.indexOf('Bestellung'));
  const rows: readonly [name: string, start: string, more: string, message: RegExp][] = [
    ['a text', head, 'x', /line 6, entry 1: a text or tag is longer than 65536/],
    ['a text of lines', head, '\n', /a text or tag is longer than 65536/],
    ['an attribute', `<Document a="`, 'x', /longer than 65536/],
    ['a tag', '<', 'a', /longer than 65536/],
    ['a comment', '<!--', 'x', /longer than 65536/],
    ['an instruction', '<?a ', 'x', /longer than 65536/],
    ['CDATA', `${head}<![CDATA[`, 'x', /longer than 65536/],
    ['a DOCTYPE', '<!DOCTYPE a [', ' ', /longer than 65536/],
    ['a text in pieces', head, 'a<!---->', /line 6, entry 1: a text is longer than 65536/],
    [
      'nesting',
      '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt>',
      '<a>1',
      /more than 64 within each other/,
    ],
    ['texts of a transaction', head, '</Ustrd><Ustrd>x', /the texts of a transaction have more than 65536/],
    ['a line of MT940', ':20:', 'x', /^line 1: the line is longer than 65536/],
    ['information of MT940', ing.slice(0, ing.indexOf('/REMI')), '\nabcdefg', /:86: is longer than 65536/],
  ];
  for (const [name, start, more, message] of rows) {
    test(`${name} of 100 MB`, async () => {
      given = 0;
      await assert.rejects(Array.fromAsync(readStatement(endless(start, more))), { message });
      assert.ok(given < 2_000_000, `${given} bytes were read before it was refused`);
    });
  }

  test('a field of CSV of 100 MB', async () => {
    given = 0;
    const chunks = endless(`${swissCsv.split('\n')[0]}\n"`, 'x');
    await assert.rejects(Array.fromAsync(readStatement(chunks, csv)), {
      message: /^line 2: the row is longer than 65536 bytes/,
    });
    assert.ok(given < 3_000_000, `${given} bytes were read before it was refused`);
  });

  test('attributes', async () => {
    const attributes = Array.from({ length: 65 }, (_, index) => `a${index}="1"`).join(' ');
    assert.match(await refusal(`<Document ${attributes}/>`), /more than 64 attributes/);
  });

  test('are those of the documentation', () =>
    assert.deepEqual(LIMITS, {
      bytes: 1024 ** 3,
      entries: 1_000_000,
      statements: 100_000,
      details: 100_000,
      text: 65_536,
      depth: 64,
      attributes: 64,
    }));

  test('bytes, entries, statements and transactions', async () => {
    assert.match(await refusal(sparkasse, within({ bytes: 1000 })), /^the file is larger than 1000 bytes/);
    assert.match(
      await refusal(sparkasse, within({ entries: 2 })),
      /^line 8, entry 3: .* more than 2 entries/,
    );
    assert.match(await refusal(swift, within({ statements: 1 })), /more than 1 statements/);
    assert.match(await refusal(postfinance, within({ details: 1 })), /more than 1 transactions/);
  });
});

suite('a file that was cut off', () => {
  test('in camt, at any place, is refused', async () => {
    const chunks = await Array.fromAsync(generateCamt({ entries: 60 }));
    const bytes = Buffer.concat(chunks);
    const end = bytes.lastIndexOf('>') + 1;
    for (let at = 0; at < end; at += 997) await refusal(bytes.subarray(0, at));
    await refusal(bytes.subarray(0, end - 1));
    assert.equal((await entriesOf(bytes)).length, 60);
  });

  for (const [name, text] of Object.entries({ ing, swift })) {
    test(`in MT940 with blocks (${name}), at any place, is refused or whole statements are left`, async () => {
      const ends = [...text.matchAll(/-\}/g)].map(({ index }) => index + 2);
      for (let at = 0; at < (ends.at(-1) ?? 0); at += 1) {
        const { error } = await attempt(text.slice(0, at));
        const isAfterMessage = ends.some((end) => at >= end && !text.slice(end, at).includes('{4:'));
        assert.equal(error === null, isAfterMessage, `cut at ${at}: ${error?.message}`);
      }
    });
  }

  test('in MT940 without blocks, before its closing balance is whole, is refused', async () => {
    const text = sample('sparkasse.mt940.sta').toString('latin1');
    const closing = text.indexOf('1065,49', text.indexOf(':62F:')) + '1065,49'.length;
    for (let at = 0; at < closing; at += 1) await refusal(text.slice(0, at));
    assert.equal((await entriesOf(text.slice(0, closing))).length, 3);
  });
});

/** Hundreds of times what such a file takes; what takes longer than linear time takes more. */
const BUDGET_MS = 5_000;

suite('a file that is made to be slow is read in time', () => {
  const line = 65_000;
  const lines = 12;
  const inside = (character: string) => `x${character.repeat(line)}x\n`.repeat(lines);
  const codes = changed(ing, '/REMI/', `/REMI/${'/'.repeat(line)}x/`);
  const rows: readonly [name: string, bytes: string, options?: typeof csv][] = [
    ['control characters between messages', `${swift}\n${inside('\u0003')}`],
    ['blanks between messages', `${swift}\n${inside(' ')}`],
    ['slashes among codes', codes],
    ['words among codes', changed(ing, '/REMI/', `/REMI/${'/EREF'.repeat(line / 5)}/`)],
    ['quotes', `${swissCsv}\n${'"'.repeat(line * lines)}`, csv],
    ['blanks in a column', swissCsv.replace(/[^;\n]+$/m, ' '.repeat(line)), csv],
    ['elements', xml(`<Document xmlns="${NAMESPACE}">${'<a>'.repeat(line)}`)],
    ['an attribute', xml(`<Document a="${'&amp;'.repeat(line / 5)}" xmlns="${NAMESPACE}">`)],
    ['blanks in a declaration', `<?xml ${' '.repeat(line * lines)}`],
  ];
  for (const [name, bytes, options] of rows)
    test(name, async () => {
      const start = performance.now();
      await attempt(bytes, options);
      assert.ok(performance.now() - start < BUDGET_MS);
    });
});
