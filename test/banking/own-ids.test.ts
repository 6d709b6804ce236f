/** Ids of ours on a statement: believed where the bank carries them back, not where a payer has written them. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ownIdOf } from '../../src/banking/effects.ts';
import { endToEndIdOf, idFromEndToEnd } from '../../src/banking/entry.ts';
import { newId } from '../../src/lib/id.ts';
import type { StatementEntry } from '../../src/statements/entry.ts';
import { entry as entryWith } from './build.ts';

const refund = newId('rfd', 0);
const returned = { reasonCode: 'AC04', reasonText: 'closed', originalEndToEndId: '' };
/** An entry that carries the id of the refund where it belongs, unless it says something else. */
const entry = (given: Partial<StatementEntry>) => entryWith({ endToEndId: endToEndIdOf(refund), ...given });

suite('an id of ours', () => {
  test('goes to the bank without what SEPA does not take, and comes back in any case', () => {
    assert.match(endToEndIdOf(refund), /^[a-z0-9]{29}$/);
    assert.equal(idFromEndToEnd(endToEndIdOf(refund)), refund);
    assert.equal(idFromEndToEnd(` ${endToEndIdOf(refund).toUpperCase()} `), refund);
    assert.equal(idFromEndToEnd('order-1001'), null);
  });

  test('names a refund where money goes out, or where the bank says that it came back', () => {
    assert.equal(ownIdOf(entry({ direction: 'debit' })), refund);
    assert.equal(ownIdOf(entry({ returned })), refund);
    assert.equal(ownIdOf(entry({ isReversal: true })), refund);
    const originalEndToEndId = endToEndIdOf(refund);
    assert.equal(
      ownIdOf(entry({ endToEndId: 'other', returned: { ...returned, originalEndToEndId } })),
      refund,
    );
  });

  test('is found in the text too, where a bank has no field for it', () => {
    const other = newId('ntc', 0);
    const [sent, back] = [
      { direction: 'debit', endToEndId: '' },
      { returned, endToEndId: '' },
    ] as const;
    for (const said of [sent, back, { ...back, returned: null, isReversal: true }]) {
      for (const id of [refund, other]) {
        const own = endToEndIdOf(id);
        for (const remittance of [own, own.toUpperCase(), `SEPA transfer ${own}/Lost parcel`, `EREF:${own}`])
          assert.equal(ownIdOf(entry({ ...said, remittance })), id, remittance);
      }
      for (const remittance of ['Rent', `x${endToEndIdOf(refund)}`, `${endToEndIdOf(refund)}0`])
        assert.equal(ownIdOf(entry({ ...said, remittance })), null, remittance);
    }
    // The id in its proper place goes first.
    const both = entry({ direction: 'debit', remittance: endToEndIdOf(other) });
    assert.equal(ownIdOf(both), refund);
  });

  test('is found in the id of the instruction, where a bank has it there', () => {
    const instructionId = endToEndIdOf(refund);
    assert.equal(ownIdOf(entry({ direction: 'debit', endToEndId: '', instructionId })), refund);
  });

  test('is found on money that came in, which it alone settles nothing of', () => {
    assert.equal(ownIdOf(entry({})), refund);
    assert.equal(ownIdOf(entry({ endToEndId: '', remittance: endToEndIdOf(refund) })), refund);
  });

  test('names nothing on a transfer that its payer takes back, who could have read it on a statement', () => {
    assert.equal(ownIdOf(entry({ direction: 'debit', returned })), null);
    assert.equal(ownIdOf(entry({ direction: 'debit', isReversal: true })), null);
  });
});
