/**
 * The rules, exhaustively within bounds: every command, from every state that commands lead to, is held to an oracle, to
 * invariants and to the contract's table of states.
 */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { decide } from '../../../src/checkout/decide.ts';
import { evidence } from '../../support/evidence.ts';
import { combinations, isWhole } from '../../support/scale.ts';
import { create, MINUTE, T } from '../build.ts';
import { itemsOf } from './bound.ts';
import { all, few, more } from './bounds.ts';
import { edgeNames } from './edges.ts';
import { type Found, search } from './search.ts';
import { searchAll } from './threads.ts';

suite('every command from every state', () => {
  const bounds = isWhole ? all : combinations(more, few);
  const states = new Set<string>();
  const seen = new Set<string>();
  let edges = 0;
  let searches: readonly Promise<Found>[] = [];

  let stop = async () => {};

  before(() => {
    if (bounds === all) ({ searches, stop } = searchAll());
  });
  after(() => stop());

  for (const [place, bound] of bounds.entries()) {
    test(`comes to what the contract says: ${bound.name}`, async (t) => {
      const found = await (searches[place] ?? search(bound));
      for (const state of found.states) states.add(state);
      for (const each of found.seen) seen.add(each);
      edges += found.edges;
      t.diagnostic(`${found.states.size} states, ${found.edges} edges, at most ${found.depth} commands deep`);
    });
  }

  test('takes every edge of the table, and meets every refusal that the rules know', (t) => {
    evidence(t, 'rules', { states: states.size, steps: edges });
    for (const each of [...edgeNames, ...refusals]) assert.ok(seen.has(each), each);
    if (bounds === all) assert.ok(states.size >= 1_000_000);
  });
});

test('a session is created within the bounds of its expiry, and with its amount', () => {
  const [least, most] = [MINUTE, 180 * 24 * 60 * MINUTE];
  for (const expiresIn of [null, least - 1, least, most, most + 1]) {
    for (const items of [[], ...[0, 1, 2, 3].map(itemsOf)]) {
      for (const amount of [null, 0, 1, 2, 3]) {
        const expiresAt = expiresIn === null ? null : T + expiresIn;
        const decision = decide(null, create({ expiresAt, items, amount }));
        const isInTime = expiresIn === null || (expiresIn >= least && expiresIn <= most);
        if (!isInTime || (items.length > 0 && amount === 0)) {
          assert.ok(decision.kind === 'refusal' && decision.reason === 'field_invalid');
          continue;
        }
        assert.ok(decision.kind === 'change');
        assert.deepEqual(decision.events, [{ type: 'checkout.created' }]);
        const { lifecycle, version, eventCount, ...session } = decision.checkout;
        assert.deepEqual(
          { lifecycle, version, eventCount },
          { lifecycle: { state: 'active' }, version: 1, eventCount: 1 },
        );
        assert.equal(session.amount, amount ?? items[0]?.unitPrice ?? 0);
        assert.equal(session.expiresAt, expiresAt);
        const { attempts, payments, refunds, reversals } = session;
        assert.deepEqual([attempts, payments, refunds, reversals], [[], [], [], []]);
      }
    }
  }
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
