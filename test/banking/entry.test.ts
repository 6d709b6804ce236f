/** Ids as banks carry them, and what is left of an entry. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { endToEndIdOf, idFromEndToEnd, isIncoming, newEntry, unassigned } from '../../src/banking/entry.ts';
import { newId } from '../../src/lib/id.ts';
import { entry } from '../statements/support.ts';

test('an id comes back as it was, in capitals or not', () => {
  for (const prefix of ['rfd', 'ntc'] as const) {
    const id = newId(prefix, Date.UTC(2030, 0, 31));
    const carried = endToEndIdOf(id);
    assert.match(carried, /^[A-Za-z0-9]{1,35}$/);
    for (const text of [carried, carried.toUpperCase(), ` ${carried} `]) {
      assert.equal(idFromEndToEnd(text), id);
    }
  }
});

test('nothing else is an id', () => {
  const id = endToEndIdOf(newId('rfd', 1));
  for (const text of ['', 'NOTPROVIDED', id.slice(1), `${id}0`, id.replace('rfd', 'chk'), `x ${id}`]) {
    assert.equal(idFromEndToEnd(text), null, text);
  }
  fc.assert(
    fc.property(fc.string(), (text) => {
      const found = idFromEndToEnd(text);
      assert.ok(found === null || endToEndIdOf(found) === text.trim().toLowerCase());
    }),
  );
});

test('the unassigned rest is neither booked nor on its way back', () => {
  const part = { checkout: 'chk_c', attempt: 'pat_a', amount: 30, payment: 'p' } as const;
  const sentBack = { amount: 60, state: 'pending', reason: '', file: '' } as const;
  const fresh = newEntry(entry({ amount: 100 }), 'eur', 'bfl_1');
  assert.equal(unassigned(fresh), 100);
  assert.equal(unassigned({ ...fresh, parts: [part, part] }), 40);
  assert.equal(unassigned({ ...fresh, parts: [part], sentBack }), 10);
  assert.equal(unassigned({ ...fresh, parts: [part], sentBack: { ...sentBack, state: 'failed' } }), 70);
  assert.equal(unassigned({ ...fresh, takenApartBy: 'bfl_1' }), 0);
});

test('money comes in as a credit that is neither a return nor a reversal', () => {
  const returned = { reasonCode: 'AC04', reasonText: '', originalEndToEndId: '' };
  for (const [given, expected] of [
    [{}, true],
    [{ direction: 'debit' }, false],
    [{ returned }, false],
    [{ isReversal: true }, false],
  ] as const) {
    const from = newEntry(entry({ amount: 100, ...given }), 'eur', 'bfl_1');
    assert.equal(isIncoming(from), expected, JSON.stringify(given));
  }
});

test('a new entry says what the bank says, where it came from, and nothing else', () => {
  const { number, line, ...said } = entry({ amount: 100, remittance: 'Order 7', number: 3, line: 9 });
  assert.deepEqual(newEntry({ number, line, ...said }, 'eur', 'bfl_1'), {
    ...said,
    account: 'eur',
    statement: 'bfl_1',
    parts: [],
    problem: null,
    suggestions: [],
    note: '',
    sentBack: null,
    concerns: '',
    takenApartBy: '',
  });
});
