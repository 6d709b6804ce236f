/** Effects of entries where somebody could gain from a wrong match. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { effectsOf, type Facts, ownIdOf } from '../../src/banking/effects.ts';
import { type EntryContent, endToEndIdOf } from '../../src/banking/entry.ts';
import { rank } from '../../src/banking/match.ts';
import { defaultPolicy } from '../../src/checkout/session.ts';
import { newId } from '../../src/lib/id.ts';
import { BANK } from '../../src/methods/bank/receiving-account.ts';
import { creditorReference } from '../../src/methods/bank/references.ts';
import type { StatementEntry } from '../../src/statements/entry.ts';
import { attempt, checkout, NOW, nobody } from '../checkout/build.ts';
import { refund, reversal } from '../checkout/build-refunds.ts';
import { entry, fresh, nothing, owners, paidSession } from './build.ts';

const reference = creditorReference('ORDER1');
const returnedBy = { reasonCode: 'MD06', reasonText: '', originalEndToEndId: '' };
const problemOf = (given: EntryContent, facts: Facts) => effectsOf(given, facts, fresh).entry.problem;

suite('money that is taken back', () => {
  const taken = { direction: 'debit', isReversal: true, returned: returnedBy } as const;

  test('is a return whatever its payer wrote: the id of a refund came to them with that refund', () => {
    const id = endToEndIdOf(newId('rfd', NOW));
    for (const text of [{ endToEndId: id }, { remittance: `${reference} ${id}` }]) {
      assert.equal(ownIdOf(entry({ ...taken, ...text })), null);
    }
    const session = paidSession('ORDER1', 1000);
    const { effects } = effectsOf(entry({ ...taken, endToEndId: id }), owners(session), fresh);
    assert.deepEqual(
      effects.map(({ checkout, command }) => [checkout, command.type]),
      [['chk_ORDER1', 'report_reversal']],
    );
  });

  test('is for a person where it is more than was brought, in another currency, or of several sessions', () => {
    const one = paidSession('ORDER1', 1000);
    const cases: Array<[string, EntryContent, Facts]> = [
      ['more', entry({ ...taken, amount: 1001 }), owners(one)],
      [
        'again',
        entry(taken),
        owners({ ...one, reversals: [reversal(1000, { attempt: one.attempts[0]?.id ?? 'pat_none' })] }),
      ],
      ['nothing', entry(taken), owners({ ...one, payments: [] })],
      ['currency', entry({ ...taken, currency: 'CHF' }), owners(one)],
      ['several', entry({ ...taken, amount: 2000 }), owners(one, paidSession('ORDER2', 1000))],
      ['nobody', entry(taken), nothing],
    ];
    for (const [name, given, facts] of cases) {
      const { entry: kept, effects } = effectsOf(given, facts, fresh);
      assert.deepEqual([kept.problem, effects.length], ['unknown_return', 0], name);
    }
  });
});

suite('money that went out', () => {
  test('for a refund that has ended already is for a person', () => {
    const session = paidSession('ORDER1', 1000);
    for (const [status, problem] of [
      ['failed', 'refund_failed'],
      ['succeeded', 'refund_differs'],
      ['pending', null],
    ] as const) {
      const facts = { ...nothing, refund: { checkout: session, refund: refund(1000, { status }) } };
      assert.equal(problemOf(entry({ direction: 'debit' }), facts), problem, status);
    }
  });
});

suite('money that came in', () => {
  test('is perhaps known where another file tells of the same day, payer and amount', () => {
    const session = paidSession('ORDER1', 1000);
    const facts = (other: Partial<EntryContent>): Facts => ({
      ...owners(session),
      booked: [{ ...entry({ bankReference: 'BANK-1' }), statement: 'bfl_0', ...other }],
    });
    const again = (given: Partial<StatementEntry>) => entry({ creditorReference: reference, ...given });
    assert.equal(problemOf(again({ bankReference: '' }), facts({})), 'maybe_known');
    assert.equal(problemOf(again({ bankReference: 'BANK-1', endToEndId: 'E1' }), facts({})), 'maybe_known');
    assert.equal(problemOf(again({ bankReference: 'BANK-2' }), facts({})), null, 'the bank tells them apart');
    assert.equal(problemOf(again({ bankReference: '' }), facts({ statement: 'bfl_1' })), null, 'one file');
    assert.equal(problemOf(again({ bankReference: '' }), facts({ bookedOn: '2020-01-01' })), null, 'a day');
  });

  test('that names a reference is for nobody else of the same amount and name', () => {
    const payer = { ...nobody, name: 'Victor Victim' };
    const lurking = checkout({ amount: 1000, payer, attempts: [attempt('requires_action', { rail: BANK })] });
    const counterparty = { name: 'Victim, Victor', account: '', bic: '' };
    const facts = { ...nothing, candidates: [lurking] };
    assert.equal(
      problemOf(entry({ counterparty, creditorReference: reference }), facts),
      'unknown_reference',
    );
    assert.equal(problemOf(entry({ counterparty, remittance: '' }), facts), null, 'the control');
    const careful = { ...lurking, policy: { ...defaultPolicy, unreferenced: 'ask' } as const };
    const asked = { ...nothing, candidates: [careful] };
    assert.equal(problemOf(entry({ counterparty, remittance: '' }), asked), 'several_candidates');
  });

  test('names an order only where its number stands by itself', () => {
    const scoreFor = (referenceId: string, remittance: string) =>
      rank(entry({ remittance }), [checkout({ amount: 1000, referenceId })])[0]?.score;
    for (const [referenceId, text] of [
      ['2026', 'vom 20.11.2026'],
      ['1122', 'gegen 11.22 Uhr'],
      ['rent', 'current rents'],
      ['order-77', 'border-77'],
      ['order-77', 'order-777'],
    ] as const) {
      assert.equal(scoreFor(referenceId, text), 50, `${referenceId} in ${text}`);
    }
    for (const text of ['order-77', 'Rechnung ORDER 77, danke', 'or der77']) {
      assert.equal(scoreFor('order-77', text), 95, text);
    }
  });
});
