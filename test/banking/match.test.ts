/** Comparison of names, and the score of a session. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { clearWinner, rank, similarity } from '../../src/banking/match.ts';
import type { Checkout } from '../../src/checkout/session.ts';
import type { StatementEntry } from '../../src/statements/entry.ts';
import { checkout, nobody, payment } from '../checkout/build.ts';
import { entry } from './build.ts';

test('names are the same in any order, case and spelling of umlauts, and without titles', () => {
  for (const [one, other] of [
    ['Ada Lovelace', 'LOVELACE, ADA'],
    ['Zoë Dürer-Groß', 'ZOE DUERER GROSS'],
    ['Dr. Ada Lovelace', 'Frau Ada Lovelace'],
    ['Łukasz Żak', 'Łukasz Zak'],
    ['Müller', 'Mueller'],
    ['Jäger', 'JAEGER'],
    ['Jörg Öhl', 'JOERG OEHL'],
    ['Prof Hr Fr Mme Sr Sra Mr Mrs Ms Herr Ada', 'Ada'],
  ] as const) {
    assert.equal(similarity(one, other), 1, `${one} ${other}`);
  }
  assert.equal(similarity('Ada Lovelace', 'Charles Babbage'), 0);
  assert.equal(similarity('', ''), 0);
  assert.equal(similarity('Ada', ''), 0);
  assert.equal(similarity('', 'Ada'), 0);
  assert.equal(similarity('Dr.', 'Herr'), 0, 'titles alone are nobody');
  assert.equal(similarity('Ada Lovelace', 'Ada King'), 1 / 2, 'one of two words');
  assert.equal(similarity('Ada King Lovelace', 'Ada'), 1 / 2, 'one of three, and all of the other');
});

test('a winner is sure and far ahead', () => {
  const scored = (...scores: number[]) =>
    scores.map((score, index) => ({ checkout: `chk_${index}` as const, score }));
  assert.equal(clearWinner(scored()), null);
  assert.equal(clearWinner(scored(84)), null);
  assert.equal(clearWinner(scored(85)), 'chk_0');
  assert.equal(clearWinner(scored(90, 71)), null);
  assert.equal(clearWinner(scored(90, 70)), 'chk_0');
});

suite('how much speaks for a session', () => {
  const ada = { ...nobody, name: 'Ada Lovelace' };
  const session = (given: Partial<Checkout> = {}) =>
    checkout({ referenceId: 'order-1001', amount: 1000, ...given });
  const other = session({ id: 'chk_other', amount: 7, referenceId: '' });
  /** The score beside another candidate without any evidence. */
  const scoreOf = (said: Partial<StatementEntry>, given: Partial<Checkout> = {}) =>
    rank(entry({ amount: 1000, ...said }), [session(given), other])[0]?.score ?? 'nothing';

  const named = { remittance: 'Order 1001' };
  const byAda = { counterparty: { name: 'LOVELACE ADA', account: '', bic: '' } };
  for (const [name, said, given, score] of [
    ['the amount that is due', {}, {}, 40],
    ['the rest that is due', { amount: 600 }, { payments: [payment(400)] }, 40],
    ['another amount', { amount: 1001 }, {}, 'nothing'],
    ['the payer', { ...byAda, amount: 1 }, { payer: ada }, 40],
    ['half of the name', { ...byAda }, { payer: { ...nobody, name: 'Ada King' } }, 60],
    [
      'half of the name and no amount',
      { ...byAda, amount: 1 },
      { payer: { ...nobody, name: 'Ada King' } },
      'nothing',
    ],
    ['the number of the order', { ...named, amount: 1 }, {}, 45],
    ['the number of the order as its end-to-end id', { endToEndId: 'ORDER1001', amount: 1 }, {}, 45],
    ['the id of the session', { remittance: 'chk_1' }, {}, 40],
    ['the whole id of the session', { remittance: 'pay chk 7f3a please' }, { id: 'chk_7f3a' }, 85],
    ['a number of five characters', { remittance: 'a1234' }, { referenceId: 'a1234' }, 85],
    ['a number of four characters', { remittance: '1234' }, { referenceId: '1234' }, 40],
    ['a word without a digit', { remittance: 'anniversary' }, { referenceId: 'anniversary' }, 40],
    ['a number that the bank broke', { remittance: 'ord er10 01' }, {}, 85],
    ['the number of the order in the structured field', { creditorReference: 'ORDER1001' }, {}, 85],
    ['the payer, beside another number', { ...byAda, creditorReference: '4711' }, { payer: ada }, 80],
    ['everything, though no more than 100', { ...byAda, ...named }, { payer: ada }, 100],
  ] as const) {
    test(name, () => assert.equal(scoreOf(said, given), score));
  }

  test('that it is the only one', () => {
    assert.equal(rank(entry({ amount: 1000 }), [session()])[0]?.score, 50);
    assert.deepEqual(rank(entry({ amount: 1 }), [session()]), [], 'which alone is not worth a look');
    const numbered = entry({ amount: 1000, creditorReference: '4711', ...byAda });
    assert.equal(rank(numbered, [session({ payer: ada })])[0]?.score, 84, 'a number of another scheme');
  });

  test('is for the best five, the best first, and the older first of those that are as good', () => {
    const many = ['e', 'c', 'a', 'f', 'b', 'd'].map((name) => session({ id: `chk_${name}` }));
    const best = session({ id: 'chk_z', payer: ada });
    assert.deepEqual(rank(entry({ amount: 1000, ...byAda }), [...many, best]), [
      { checkout: 'chk_z', score: 80 },
      { checkout: 'chk_a', score: 40 },
      { checkout: 'chk_b', score: 40 },
      { checkout: 'chk_c', score: 40 },
      { checkout: 'chk_d', score: 40 },
    ]);
  });
});
