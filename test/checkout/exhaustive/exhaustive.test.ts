/**
 * The rules, exhaustively within bounds: every command, from every state that commands lead to, is held to an oracle, to
 * invariants and to the contract's table of states.
 */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { combinations } from '../../support/scale.ts';
import { all, few } from './bounds.ts';
import { edgeNames } from './edges.ts';
import { search } from './search.ts';

suite('every command from every state', () => {
  const bounds = combinations(all, few);
  const states = new Set<string>();
  const seen = new Set<string>();
  let edges = 0;

  for (const bound of bounds) {
    test(`comes to what the contract says: ${bound.name}`, (t) => {
      const found = search(bound);
      for (const state of found.states) states.add(state);
      for (const each of found.seen) seen.add(each);
      edges += found.edges;
      t.diagnostic(`${found.states.size} states, ${found.edges} edges, at most ${found.depth} commands deep`);
    });
  }

  test('takes every edge of the table, and meets every refusal that the rules know', (t) => {
    t.diagnostic(`${states.size} different states, ${edges} edges`);
    for (const each of [...edgeNames, ...refusals]) assert.ok(seen.has(each), each);
    if (bounds === all) assert.ok(states.size >= 1_000_000);
  });
});

const refusals = [
  'not_found',
  'version_stale',
  'field_invalid',
  'not_expirable',
  'not_updatable',
  'not_payable',
  'payment_in_progress',
  'not_refundable',
  'refund_settled',
];
