import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { StatementEntry, StatementHeader, StatementPart } from '../../src/statements/entry.ts';
import { entryKey, isAlike, occurrenceCounter } from '../../src/statements/identity.ts';
import { isUsable } from '../../src/statements/values.ts';
import { generateCamt } from './generate.ts';
import { entry, header, partsOf, sample } from './support.ts';

function keysOf(parts: readonly StatementPart[]): string[] {
  const count = occurrenceCounter();
  return parts.flatMap((part) =>
    part.kind === 'entry' ? [entryKey(part.header, part.entry, count(part.header, part.entry))] : [],
  );
}

function keysOfEntries(of: StatementHeader, entries: readonly StatementEntry[]): string[] {
  return keysOf(entries.map((each) => ({ kind: 'entry', header: of, entry: each })));
}

const account = header({ account: 'DE20500502010000123456' });
const coffee = entry({
  amount: 350,
  remittance: 'Coffee',
  counterparty: { name: 'Ada', account: '', bic: '' },
});
const known = entry({ amount: 350, bankReference: '2026034120000017', endToEndId: 'E-1' });

suite('an entry is the same', () => {
  test('each time the file is read, and no two of a file are', async () => {
    const names = ['sparkasse.camt.053.001.02.xml', 'swiss.camt.054.001.04.xml', 'swift.mt940'];
    const read = () => Promise.all(names.map((name) => partsOf(sample(name)).then(keysOf)));
    const keys = (await read()).flat();
    assert.deepEqual((await read()).flat(), keys);
    assert.equal(new Set(keys).size, keys.length);
    assert.match(keys[0] ?? '', /^[0-9a-f]{64}$/);
  });

  test('by the same keys for ever, since they are stored', () => {
    assert.deepEqual(keysOfEntries(account, [known, known, coffee]), [
      '0175f731b021b0df9d9bfa06c4e3c7482ebb002e8994cf307236c19fb289892c',
      '9c7ae608e581ee5e8db987955507fe2f0a18511e8c8b9723d32f86a2afd75467',
      '585adc72e4439f1e538bee42a3c4bf4d2758ca76979656c859a04e1ca8bbb52a',
    ]);
  });

  test('in a notification with more texts, and then in the statement', () => {
    const told = entry({ ...known, number: 7, line: 99, remittance: 'more', creditorReference: 'RF1' });
    assert.deepEqual(
      keysOfEntries(header({ ...account, statementId: 'N' }), [told]),
      keysOfEntries(account, [known]),
    );
  });

  test('on another day under a reference that is long enough to last', () => {
    const lasting = entry({ ...known, bankReference: '2034120017' });
    const later = { ...lasting, bookedOn: '2026-02-05' };
    assert.deepEqual(keysOfEntries(account, [lasting]), keysOfEntries(account, [later]));
    assert.ok(isAlike(lasting, later));
  });

  test('in two statements of one file that overlap, where the bank gives a reference', () => {
    const again = header({ ...account, statementId: 'again' });
    const [one, other] = keysOf([
      { kind: 'entry', header: account, entry: known },
      { kind: 'entry', header: again, entry: known },
    ]);
    assert.equal(one, other);
  });

  test('without a reference: as far as it says the same on the same day', () => {
    const day = [coffee, entry({ ...coffee, number: 2 })];
    const later = [entry({ ...coffee, bookedOn: '2026-02-05' }), ...day];
    const keys = keysOfEntries(account, day);
    assert.deepEqual(keysOfEntries(account, later).slice(1), keys);
  });
});

suite('an entry is another one', () => {
  for (const [name, each] of [
    ['of two that are equal in a statement', coffee],
    ['of two that are equal and have one reference', known],
  ] as const) {
    test(name, () => assert.equal(new Set(keysOfEntries(account, [each, each])).size, 2));
  }

  const rows: readonly [name: string, one: StatementEntry, other: StatementEntry][] = [
    ['with another reference', known, entry({ ...known, bankReference: '2026034120000018' })],
    ['with another amount', known, entry({ ...known, amount: 351 })],
    ['the other way round', known, entry({ ...known, direction: 'debit' })],
    ['with another end-to-end id', known, entry({ ...known, endToEndId: 'E-2' })],
    [
      'on another day with a short reference',
      entry({ ...known, bankReference: '203412017' }),
      entry({ ...known, bankReference: '203412017', bookedOn: '2026-02-05' }),
    ],
    ['in another currency', known, entry({ ...known, currency: 'CHF' })],
    ['that takes another one back', coffee, entry({ ...coffee, isReversal: true })],
    [
      'of another payer',
      coffee,
      entry({ ...coffee, counterparty: { ...coffee.counterparty, name: 'Grace' } }),
    ],
    [
      'of another account of the payer',
      coffee,
      entry({ ...coffee, counterparty: { ...coffee.counterparty, account: 'DE1' } }),
    ],
    ['with another instruction', coffee, entry({ ...coffee, instructionId: 'I-1' })],
    ['with a structured reference', coffee, entry({ ...coffee, creditorReference: 'RF1' })],
    ['with an end-to-end id', coffee, entry({ ...coffee, endToEndId: 'E-1' })],
    ['with another text where there is no reference', coffee, entry({ ...coffee, remittance: 'Tea' })],
    [
      'with another text where the reference is none',
      { ...coffee, bankReference: '000' },
      { ...coffee, bankReference: '000', remittance: 'Tea' },
    ],
    ['on another day', coffee, entry({ ...coffee, bookedOn: '2026-02-05' })],
    [
      'of another booking',
      entry({ ...coffee, batchReference: 'B1' }),
      entry({ ...coffee, batchReference: 'B2' }),
    ],
  ];
  for (const [name, one, other] of rows) {
    // Both entries stand in files of their own, where each is the first of its kind.
    test(name, () => {
      assert.notDeepEqual(keysOfEntries(account, [one]), keysOfEntries(account, [other]));
      assert.ok(!isAlike(one, other));
    });
  }

  test('of another account', () =>
    assert.notDeepEqual(keysOfEntries(header({ account: 'X' }), [known]), keysOfEntries(account, [known])));

  test('in two notifications of one file, where there is no reference', () => {
    const keys = keysOf([
      { kind: 'entry', header: account, entry: coffee },
      { kind: 'entry', header: header({ ...account, statementId: '2' }), entry: coffee },
    ]);
    assert.equal(new Set(keys).size, 2);
  });
});

suite('the generator', () => {
  const options = { entries: 500, openingBalance: -12_345, entriesPerDay: 100 };

  test('makes the same file each time, and one that adds up', async () => {
    const make = async (seed: number) =>
      Buffer.concat(await Array.fromAsync(generateCamt({ ...options, seed })));
    const bytes = await make(7);
    assert.ok(bytes.equals(await make(7)));
    assert.ok(!bytes.equals(await make(8)));
    const parts = await partsOf(bytes);
    assert.equal(parts.length, 501);
    assert.equal(new Set(keysOf(parts)).size, 500);
  });

  test('takes what it is given of an entry', async () => {
    const given = {
      amount: 1999,
      direction: 'credit',
      creditorReference: 'RF18539007547034',
      name: 'A & B',
    } as const;
    const bytes = Buffer.concat(
      await Array.fromAsync(generateCamt({ entries: 3, entry: (index) => (index === 1 ? given : {}) })),
    );
    const second = (await partsOf(bytes)).find((part) => part.kind === 'entry' && part.entry.number === 2);
    assert.ok(second?.kind === 'entry');
    assert.equal(second.entry.amount, 1999);
    assert.equal(second.entry.creditorReference, 'RF18539007547034');
    assert.equal(second.entry.counterparty.name, 'A & B');
  });
});

test('a reference tells entries apart if there is a letter, or a digit that is no zero, in it', () => {
  for (const usable of ['1', '0001', 'A', 'z', '-7-']) assert.ok(isUsable(usable), usable);
  for (const none of ['', '0', '000', '-', '///', '0-0']) assert.ok(!isUsable(none), none);
});
