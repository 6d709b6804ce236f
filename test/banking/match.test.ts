/** How names are compared. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clearWinner, similarity } from '../../src/banking/match.ts';

test('names are the same in any order, case and spelling of umlauts, and without titles', () => {
  for (const [one, other] of [
    ['Ada Lovelace', 'LOVELACE, ADA'],
    ['Zoë Dürer-Groß', 'ZOE DUERER GROSS'],
    ['Dr. Ada Lovelace', 'Frau Ada Lovelace'],
    ['Łukasz Żak', 'Łukasz Zak'],
  ] as const) {
    assert.equal(similarity(one, other), 1, `${one} ${other}`);
  }
  assert.equal(similarity('Ada Lovelace', 'Charles Babbage'), 0);
  assert.equal(similarity('', ''), 0);
  assert.ok(similarity('Ada Lovelace', 'Ada King') < 1);
});

test('a winner is sure and far ahead', () => {
  const scored = (...scores: number[]) => scores.map((score, index) => ({ checkout: `chk_${index}`, score }));
  assert.equal(clearWinner(scored()), null);
  assert.equal(clearWinner(scored(84)), null);
  assert.equal(clearWinner(scored(85)), 'chk_0');
  assert.equal(clearWinner(scored(90, 71)), null);
  assert.equal(clearWinner(scored(90, 70)), 'chk_0');
});
