import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import type { StatementEntry, StatementHeader, StatementPart } from '../../src/statements/entry.ts';
import { readStatement } from '../../src/statements/read.ts';
import { expectedCamt } from './expected-camt.ts';
import { expectedCsv, expectedMt940, mappings } from './expected-other.ts';
import { chunksOf, partsOf, sample } from './support.ts';

type Statement = { header: StatementHeader; entries: readonly StatementEntry[] };

const expected: Readonly<Record<string, readonly Statement[]>> = {
  ...expectedCamt,
  ...expectedMt940,
  ...expectedCsv,
};

const optionsOf = (name: string) =>
  name in mappings ? { mapping: mappings[name as keyof typeof mappings] } : {};

function partsOfStatements(statements: readonly Statement[]): StatementPart[] {
  return statements.flatMap(({ header, entries }): StatementPart[] => [
    { kind: 'statement', header },
    ...entries.map((entry): StatementPart => ({ kind: 'entry', header, entry })),
  ]);
}

suite('a statement as a bank writes it', () => {
  for (const [name, statements] of Object.entries(expected)) {
    test(name, async () => {
      assert.deepEqual(await partsOf(sample(name), optionsOf(name)), partsOfStatements(statements));
    });
  }

  test('each sample is looked at', () => {
    const names = readdirSync(join(import.meta.dirname, 'samples'));
    assert.deepEqual(names.sort(), Object.keys(expected).sort());
  });
});

suite('however the file is cut into chunks', () => {
  for (const [name, statements] of Object.entries(expected)) {
    test(name, async () => {
      const bytes = sample(name);
      const whole = partsOfStatements(statements);
      for (const size of [1, 2, 3, 7, 61, 4096]) {
        const parts = await Array.fromAsync(readStatement(chunksOf(bytes, size), optionsOf(name)));
        assert.deepEqual(parts, whole, `chunks of ${size}`);
      }
    });
  }
});

suite('the file is closed', () => {
  async function isClosedAfter(bytes: Uint8Array | string, read: number): Promise<boolean> {
    let isClosed = false;
    async function* file(): AsyncGenerator<Uint8Array> {
      try {
        yield* chunksOf(bytes, 64);
      } finally {
        isClosed = true;
      }
    }
    try {
      for await (const _ of readStatement(file(), { mapping: mappings['swiss.csv'] })) {
        read -= 1;
        if (read === 0) break;
      }
    } catch {}
    return isClosed;
  }

  test('where it is no statement', async () => assert.ok(await isClosedAfter(`%PDF${' '.repeat(9000)}`, 1)));

  test('where whoever reads it has had enough', async () => {
    for (const name of ['french.camt.053.001.08.xml', 'swift.mt940', 'swiss.csv']) {
      assert.ok(await isClosedAfter(sample(name), 1), name);
    }
  });
});

suite('however the file is encoded', () => {
  const name = 'french.camt.053.001.08.xml';
  const text = sample(name).toString().replace('encoding="UTF-8" ', '');
  const whole = partsOfStatements(expectedCamt[name]);

  test('UTF-8 with a byte order mark', async () => assert.deepEqual(await partsOf(`\ufeff${text}`), whole));

  test('UTF-16, either way', async () => {
    const little = Buffer.from(`\ufeff${text}`, 'utf16le');
    assert.deepEqual(await partsOf(little), whole);
    assert.deepEqual(await partsOf(Buffer.from(little).swap16()), whole);
  });

  test('line ends of Windows', async () =>
    assert.deepEqual(await partsOf(text.replaceAll('\n', '\r\n')), whole));

  test('ISO 8859-15', async () => {
    const declared = text.replace('version="1.0"', 'version="1.0" encoding="ISO-8859-15"');
    const bytes = Buffer.from(declared.replace('n° 9', 'n° 9 \u00a4'), 'latin1');
    const [, first] = await partsOf(bytes);
    assert.equal(first?.kind === 'entry' && first.entry.remittance, 'Commande n° 9 €');
  });

  test('MT940 in UTF-8 as in ISO 8859-1', async () => {
    const sta = sample('sparkasse.mt940.sta').toString('latin1');
    assert.deepEqual(
      await partsOf(Buffer.from(sta)),
      partsOfStatements(expectedMt940['sparkasse.mt940.sta']),
    );
  });
});
