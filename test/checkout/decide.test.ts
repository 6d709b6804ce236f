/** Rules for all decisions: the order of refusals, expiry before the command, and purity. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { MAX_ATTEMPTS } from '../../src/checkout/attempts.ts';
import { decide } from '../../src/checkout/decide.ts';
import { MAX_AMOUNT } from '../../src/checkout/money.ts';
import {
  after,
  attempt,
  cancel,
  checkout,
  completed,
  EXPIRES,
  expire,
  expiredByMerchant,
  NOW,
  paid,
  payment,
  report,
  start,
  table,
  tick,
  update,
} from './build.ts';

const tooMuch = [{ name: 'Yacht', quantity: 2, unitPrice: MAX_AMOUNT }];
const items = [{ name: 'Widget', quantity: 1, unitPrice: 500 }];
const inFlight = { attempts: [attempt('processing')] };

suite('no such session', () => {
  const commands = [
    update({ ifVersion: 1, items: tooMuch }),
    expire(),
    start(),
    paid(1000),
    cancel,
    tick(NOW),
  ];
  table(commands.map((when) => ({ name: when.type, given: null, when, gives: { refused: 'not_found' } })));
});

suite('of several reasons the first one of the list is the answer', () => {
  table([
    {
      name: 'a stale version goes before a bad field',
      given: checkout({ version: 7 }),
      when: update({ ifVersion: 6, items: tooMuch }),
      gives: { refused: 'version_stale' },
    },
    {
      name: 'a stale version goes before the state, on update',
      given: checkout({ lifecycle: completed }),
      when: update({ ifVersion: 6, items }),
      gives: { refused: 'version_stale' },
    },
    {
      name: 'a stale version goes before the state, on expire',
      given: checkout({ lifecycle: expiredByMerchant }),
      when: expire({ ifVersion: 8 }),
      gives: { refused: 'version_stale' },
    },
    {
      name: 'a stale version is refused even where nothing would change',
      given: checkout({ version: 7 }),
      when: update({ ifVersion: 6 }),
      gives: { refused: 'version_stale' },
    },
    {
      name: 'a bad field goes before the state, on update',
      given: checkout({ lifecycle: completed }),
      when: update({ items: tooMuch }),
      gives: { refused: 'field_invalid' },
    },
    {
      name: 'a bad field goes before a payment in progress',
      given: checkout(inFlight),
      when: update({ items: tooMuch }),
      gives: { refused: 'field_invalid' },
    },
    {
      name: 'an unknown method goes before the state, on start',
      given: checkout({ lifecycle: completed }),
      when: start({ method: 'cowrie' }),
      gives: { refused: 'field_invalid' },
    },
    {
      name: 'an unknown method goes before a draft',
      given: checkout({ amount: 0 }),
      when: start({ method: 'cowrie' }),
      gives: { refused: 'field_invalid' },
    },
    {
      name: 'money that is paid goes before a payment in progress, on new items',
      given: checkout({ ...inFlight, payments: [payment(400)] }),
      when: update({ items }),
      gives: { refused: 'not_updatable' },
    },
    {
      name: 'the end of a session goes before a payment in progress, on expire',
      given: checkout({ ...inFlight, lifecycle: completed, payments: [payment(1000)] }),
      when: expire(),
      gives: { refused: 'not_expirable' },
    },
    {
      name: 'the end of a session goes before a payment in progress, on start',
      given: checkout({ ...inFlight, lifecycle: expiredByMerchant }),
      when: start(),
      gives: { refused: 'not_payable' },
    },
    {
      name: 'too many attempts go before a payment in progress',
      given: checkout({
        attempts: Array.from({ length: MAX_ATTEMPTS }, (_, n) => attempt('processing', { name: String(n) })),
      }),
      when: start(),
      gives: { refused: 'not_payable' },
    },
  ]);
});

suite('the version that a client names', () => {
  table([
    {
      name: 'is right, on update',
      given: checkout({ version: 7 }),
      when: update({ ifVersion: 7, metadata: { a: 1 } }),
      gives: { is: 'active unpaid', paid: 0, attempts: [], events: ['checkout.updated'] },
    },
    {
      name: 'is right, on expire',
      given: checkout({ version: 7 }),
      when: expire({ ifVersion: 7 }),
      gives: {
        is: 'expired unpaid',
        paid: 0,
        attempts: [],
        events: ['checkout.expired', 'payin.cancelled'],
      },
    },
    {
      name: 'is newer than ours',
      given: checkout({ version: 7 }),
      when: update({ ifVersion: 8 }),
      gives: { refused: 'version_stale' },
    },
    {
      name: 'is the stored one, though time has ended the session since',
      given: checkout({ version: 7, expiresAt: EXPIRES }),
      when: update({ ifVersion: 7, metadata: { a: 1 }, now: EXPIRES }),
      gives: {
        is: 'expired expired',
        paid: 0,
        attempts: [],
        events: ['checkout.updated', 'checkout.expired', 'payin.cancelled'],
      },
    },
  ]);

  test('is named in the refusal, with ours', () => {
    const decision = decide(checkout({ version: 7 }), expire({ ifVersion: 3 }));
    assert.equal(decision.kind, 'refusal');
    assert.match((decision as { detail: string }).detail, /\b7\b.*\b3\b/);
  });
});

test('the version counts one for a change, however much it combines', () => {
  const session = checkout({ expiresAt: EXPIRES, attempts: [attempt('requires_action')] });
  const next = after(session, update({ metadata: { a: 1 }, now: EXPIRES }));
  assert.equal(next.version, session.version + 1);
});

test('a new time to ask the rail is kept, and is no change for anybody else', () => {
  const session = checkout({ attempts: [attempt('processing', { syncAt: NOW })] });
  const decision = decide(session, report('processing', { syncAt: NOW + 60_000 }));
  assert.equal(decision.kind, 'change');
  const { checkout: next, events } = decision as Extract<typeof decision, { kind: 'change' }>;
  assert.equal(next.attempts[0]?.syncAt, NOW + 60_000);
  assert.deepEqual(events, []);
  assert.equal(next.version, session.version);
});

test('the same command on the same session gives the same decision', () => {
  const session = checkout({ expiresAt: EXPIRES, attempts: [attempt('processing')] });
  for (const command of [paid(1500), update({ metadata: { a: null } }), expire(), tick(EXPIRES)]) {
    assert.deepEqual(decide(session, command), decide(structuredClone(session), structuredClone(command)));
  }
});
