/** Text from bytes: encodings, lines, and where a file stops being text. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { linesOf, markedEncoding, piecesOf, textsOf } from '../../src/statements/bytes.ts';
import { StatementError } from '../../src/statements/entry.ts';
import { readStatement } from '../../src/statements/read.ts';
import { attempt, chunksOf, mappingOf, partsOf, sample } from './support.ts';

const sizes = [1, 2, 3, 5, 1000];

suite('pieces', () => {
  test('are at most 64 KiB, whatever the chunks are, and hold all of them', async () => {
    const chunks = [Buffer.alloc(150_000, 1), Buffer.alloc(10, 2), Buffer.alloc(65_536, 3)];
    async function* given() {
      yield* chunks;
    }
    const pieces = await Array.fromAsync(piecesOf(given(), 1_000_000));
    assert.deepEqual(
      pieces.map(({ length }) => length),
      [65_536, 65_536, 18_928, 10, 65_536],
    );
    assert.ok(Buffer.concat(pieces).equals(Buffer.concat(chunks)));
  });

  test('are as many bytes as are allowed, and not one more', async () => {
    const read = (bytes: number) => Array.fromAsync(piecesOf(chunksOf('x'.repeat(100), 30), bytes));
    assert.equal((await read(100)).length, 4);
    await assert.rejects(read(99), { message: 'the file is larger than 99 bytes' });
  });
});

suite('an encoding', () => {
  const decoded = async (bytes: Uint8Array, encoding: string, size = 1000) =>
    (await Array.fromAsync(textsOf(chunksOf(bytes, size), encoding))).join('');

  test('is what the byte order mark says', () => {
    assert.equal(markedEncoding(Buffer.from('\ufeffa')), 'utf-8');
    assert.equal(markedEncoding(Buffer.from('\ufeffa', 'utf16le')), 'utf-16le');
    assert.equal(markedEncoding(Buffer.from('\ufeffa', 'utf16le').swap16()), 'utf-16be');
    for (const none of ['efbb', 'efbb41', 'ef41bf', '41bbbf', 'ff41', '41fe', 'fe41', '']) {
      assert.equal(markedEncoding(Buffer.from(none, 'hex')), null, none);
    }
  });

  test('is read whatever its name and however it is cut', async () => {
    const text = 'Größe 7 €\n';
    const latin = Buffer.from('Gr\u00f6\u00dfe 7 \u0080\n', 'latin1');
    const latin15 = Buffer.from('Gr\u00f6\u00dfe 7 \u00a4\n', 'latin1');
    const wide = Buffer.from(text, 'utf16le');
    for (const size of sizes) {
      for (const [encoding, bytes] of [
        ['utf-8', Buffer.from(text)],
        ['UTF-8', Buffer.from(`\ufeff${text}`)],
        ['US-ASCII', Buffer.from(text)],
        ['utf-16', wide],
        ['utf-16le', wide],
        ['utf-16be', Buffer.from(wide).swap16()],
        ['iso-8859-1', latin],
        ['windows-1252', latin],
        ['ISO-8859-15', latin15],
      ] as const) {
        assert.equal(await decoded(bytes, encoding, size), text, `${encoding}, ${size}`);
      }
    }
  });

  test('that is not that of the bytes is refused, with the line', async () => {
    const line = async (bytes: Uint8Array, encoding: string, size: number) => {
      const error = await decoded(bytes, encoding, size).then(
        () => assert.fail(),
        (thrown) => thrown,
      );
      assert.ok(error instanceof StatementError);
      assert.equal(
        error.detail,
        `the text is not in ${encoding.toUpperCase()}, in which the file is to be read`,
      );
      return error.line;
    };
    const wrong = (before: string, after: string) =>
      Buffer.concat([Buffer.from(before), Buffer.from([0xff]), Buffer.from(after)]);
    for (const size of sizes) {
      assert.equal(await line(wrong('', 'a\nb'), 'utf-8', size), 1);
      assert.equal(await line(wrong('ä\nö\n', 'a\nb'), 'utf-8', size), 3);
      assert.equal(await line(wrong('東京\n京\nx', '\n'), 'utf-8', size), 3);
      assert.equal(await line(wrong('a\n\n\nb\n', ''), 'utf-8', size), 5);
      assert.equal(await line(Buffer.from('a\nb\n€').subarray(0, -1), 'utf-8', size), 3, 'cut off');
    }
    assert.equal(await line(wrong('1234567€\nx', ''), 'utf-8', 8), 2, 'a piece begins inside a character');
    // A line break that is missing, behind which the next character begins too early.
    const broken = Buffer.from('a\n€b\n€').toString('latin1').replace('\u00ac', '');
    for (const size of sizes) assert.equal(await line(Buffer.from(broken, 'latin1'), 'utf-8', size), 2);
  });
});

suite('lines', () => {
  const read = async (bytes: Uint8Array | string, size = 1000, longest = 100) =>
    (await Array.fromAsync(linesOf(chunksOf(bytes, size), longest))).flat();

  test('are without their ends, of either kind, and numbered', async () => {
    for (const size of sizes) {
      assert.deepEqual(await read('one\r\n\ntwo\rthree\nfour', size), [
        { number: 1, text: 'one' },
        { number: 2, text: '' },
        { number: 3, text: 'two\rthree' },
        { number: 4, text: 'four' },
      ]);
      assert.deepEqual(await read('one\n', size), [{ number: 1, text: 'one' }]);
    }
    assert.deepEqual(await read(''), []);
  });

  test('are each UTF-8, or else ISO 8859-1', async () => {
    const bytes = Buffer.concat([
      Buffer.from('Größe €\n'),
      Buffer.from('Gr\u00f6\u00dfe \u0080\n', 'latin1'),
    ]);
    for (const size of sizes) {
      assert.deepEqual(
        (await read(bytes, size)).map(({ text }) => text),
        ['Größe €', 'Größe €'],
      );
    }
  });

  test('are no longer than allowed, whether their end has come or not', async () => {
    for (const size of sizes) {
      assert.equal((await read(`${'x'.repeat(100)}\n`, size)).length, 1);
      const tooLong = { message: 'line 2: the line is longer than 100 bytes' };
      await assert.rejects(read(`a\n${'x'.repeat(101)}\nb`, size), tooLong);
      await assert.rejects(read(`a\n${'x'.repeat(101)}`, size), tooLong);
    }
    await assert.rejects(read('a\nb\0\n'), { message: 'line 2: the line has a NUL character' });
    await assert.rejects(read('a\nb\0'), { message: 'line 2: the line has a NUL character' });
  });
});

suite('a file is told by its beginning', () => {
  const mapping = mappingOf({
    delimiter: ';',
    date_format: 'YYYY-MM-DD',
    decimal: '.',
    amount: { signed: 'Amount' },
    currency: { fixed: 'EUR' },
    account: { fixed: '123' },
    booked_on: 'Date',
  });
  const swift = sample('swift.mt940').toString();
  const sta = sample('sparkasse.mt940.sta').toString('latin1');
  const camt = sample('french.camt.053.001.08.xml').toString();
  const count = async (bytes: Uint8Array | string) => (await partsOf(bytes, { mapping })).length;

  test('as XML, MT940, or what else is left where there is a mapping', async () => {
    const [ofCamt, ofSwift, ofSta] = [await count(camt), await count(swift), await count(sta)];
    assert.equal(await count(camt.replace(/^<\?xml.*?\?>/, '\n \t')), ofCamt);
    assert.equal(await count(`\n${swift}`), ofSwift);
    assert.equal(await count(`Sparkasse\r\n\t${sta.trimStart()}`), ofSta);
    assert.equal(await count(Buffer.from(`\ufeff${sta}`, 'utf16le')), ofSta);
    assert.equal(await count('Date;Amount\n2026-02-03;1\n'), 2);
    // A text that only looks like a field of MT940.
    assert.equal(await count('Date;Amount;x:20:\n2026-02-03;1;\n'), 2);
  });

  test('or as it is said to be', async () => {
    const text = 'Date;Amount;x\n2026-02-03;1;"\n:20:X"\n';
    const { error } = await attempt(text, { mapping });
    assert.match(error?.message ?? '', /^the file has no statement|^line/);
    assert.equal((await partsOf(text, { mapping, format: 'csv' })).length, 2);
    assert.match((await attempt(text, { format: 'csv' })).error?.message ?? '', /needs a mapping/);
    assert.match((await attempt(swift, { format: 'camt' })).error?.message ?? '', /not well-formed XML/);
  });

  test('and by nothing that comes later', async () => {
    const { error } = await attempt(`${' '.repeat(4096)}:20:X\n`);
    assert.match(error?.message ?? '', /neither camt \(XML\) nor MT940/);
    assert.match((await attempt(`${' '.repeat(4000)}\n:20:X\n`)).error?.message ?? '', /closing balance/);
  });

  test('in an encoding that it names', async () => {
    const declared = (encoding: string) =>
      attempt(`<?xml version="1.0" encoding=${encoding}?><a/>`).then(({ error }) => error?.message ?? '');
    for (const known of ['"utf-8"', "'UTF-8'", ' "ISO-8859-1"', '"windows-1252"', '"US-ASCII"']) {
      assert.match(await declared(known), /the file is "a" of ""/, known);
    }
    for (const unknown of ['"utf-7"', '"EBCDIC"', '"latin"']) {
      assert.match(await declared(unknown), /^line 1: the file says that it is in .*, which cannot be read/);
    }
    for (const wide of ['"utf-16"', '"UTF-16LE"', '"utf-16be"']) {
      assert.match(await declared(wide), /^line 1: .* but does not begin with its byte order mark/, wide);
    }
  });

  test('has as many entries as are allowed', async () => {
    const rows = 'Date;Amount\n2026-02-03;1\n2026-02-03;2\n';
    assert.equal((await attempt(rows, { mapping, limits: { entries: 2 } })).error, null);
    const { error } = await attempt(rows, { mapping, limits: { entries: 1 } });
    assert.equal(error?.message, 'line 3, entry 2: the file has more than 1 entries');
  });
});

suite('entries come before the rest of the file is read', () => {
  const movement = ':61:260203C1,00NTRFNONREF';
  const mt940 = [':20:X', ':25:1', ':60F:C260203EUR0,00', movement, movement, movement];
  const camt = sample('french.camt.053.001.08.xml').toString();
  const afterEntry = camt.indexOf('</Ntry>') + '</Ntry>'.length;
  for (const [name, start] of [
    ['MT940', mt940.join('\n')],
    ['camt', camt.slice(0, afterEntry)],
  ] as const) {
    test(`in ${name}`, async () => {
      async function* interrupted() {
        // Longer than the beginning by which a file is told.
        yield Buffer.from(`${start}\n${' '.repeat(4096)}\n`);
        throw new Error('interrupted');
      }
      const found: string[] = [];
      const reading = async () => {
        for await (const { kind } of readStatement(interrupted())) found.push(kind);
      };
      await assert.rejects(reading(), { message: 'interrupted' });
      assert.deepEqual(found, ['statement', 'entry']);
    });
  }
});
