/** Updates: what they may change, and when. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { decide } from '../../src/checkout/decide.ts';
import { METADATA_BYTES } from '../../src/checkout/metadata.ts';
import { MAX_AMOUNT } from '../../src/checkout/money.ts';
import {
  after,
  attempt,
  checkout,
  completed,
  EXPIRES,
  expiredByMerchant,
  expiredByTime,
  payment,
  play,
  start,
  table,
  update,
} from './build.ts';

const items = [
  { name: 'Widget', quantity: 2, unitPrice: 300 },
  { name: 'Gadget', quantity: 1, unitPrice: 150, description: 'blue' },
];
const updated = { paid: 0, attempts: [], events: ['checkout.updated'] } as const;

suite('new items', () => {
  test('replace the list, the amount and the description', () => {
    const next = after(
      checkout({ items: [{ name: 'Old', quantity: 1, unitPrice: 1000 }] }),
      update({ items }),
    );
    assert.deepEqual(next.items, items);
    assert.equal(next.amount, 750);
    assert.equal(next.description, '2 x Widget, 1 x Gadget');
  });

  test('change nothing else', () => {
    const before = checkout({ expiresAt: EXPIRES });
    const next = after(before, update({ items }));
    const { items: _items, amount, description, version, eventCount, ...rest } = next;
    assert.deepEqual(
      { ...before, items, amount, description, version, eventCount },
      { ...rest, items, amount, description, version, eventCount },
    );
  });

  table([
    {
      name: 'of an active session',
      given: checkout(),
      when: update({ items }),
      gives: { is: 'active unpaid', ...updated },
    },
    {
      name: 'make a draft payable',
      given: checkout({ amount: 0 }),
      when: update({ items }),
      gives: { is: 'active unpaid', ...updated },
    },
    {
      name: 'cancel what waits for the payer: it shows another amount',
      given: checkout({ attempts: [attempt('requires_action')] }),
      when: update({ items }),
      gives: {
        is: 'active unpaid',
        paid: 0,
        attempts: ['cancelled'],
        events: ['payment_attempt.cancelled', 'checkout.updated', 'payin.requires_payment_method'],
      },
    },
    {
      name: 'that are the old ones change nothing',
      given: after(checkout(), update({ items })),
      when: update({ items: structuredClone(items) }),
      gives: 'unchanged',
    },
    {
      name: 'that are the old ones leave what waits for the payer',
      given: play(checkout(), update({ items }), start({ expectedAmount: 750 })),
      when: update({ items }),
      gives: 'unchanged',
    },
    {
      name: 'that are the old ones, where the total was another: the total is theirs',
      given: checkout({ items, amount: 800, description: '2 x Widget, 1 x Gadget' }),
      when: update({ items }),
      gives: { is: 'active unpaid', ...updated },
    },
    {
      name: 'that are the old ones, where the description was another',
      given: checkout({ items, amount: 750, description: 'Hardware' }),
      when: update({ items }),
      gives: { is: 'active unpaid', ...updated },
    },
    {
      name: 'with the old total and description, and other prices',
      given: checkout({ items, amount: 750, description: '2 x Widget, 1 x Gadget' }),
      when: update({
        items: [
          { name: 'Widget', quantity: 2, unitPrice: 200 },
          { name: 'Gadget', quantity: 1, unitPrice: 350 },
        ],
      }),
      gives: { is: 'active unpaid', ...updated },
    },
    {
      name: 'after a failed attempt',
      given: checkout({ attempts: [attempt('failed')] }),
      when: update({ items }),
      gives: { is: 'active unpaid', paid: 0, attempts: ['failed'], events: ['checkout.updated'] },
    },
    {
      name: 'not where a part is paid',
      given: checkout({ payments: [payment(1)] }),
      when: update({ items }),
      gives: { refused: 'not_updatable' },
    },
    {
      name: 'not where a payment is processing',
      given: checkout({ attempts: [attempt('processing')] }),
      when: update({ items }),
      gives: { refused: 'payment_in_progress' },
    },
    {
      name: 'not where a payment is unknown',
      given: checkout({ attempts: [attempt('unknown')] }),
      when: update({ items }),
      gives: { refused: 'payment_in_progress' },
    },
    {
      name: 'not where a payment is in progress, though they are the old ones',
      given: checkout({ items, amount: 750, attempts: [attempt('processing')] }),
      when: update({ items }),
      gives: { refused: 'payment_in_progress' },
    },
    {
      name: 'not of a completed session',
      given: checkout({ lifecycle: completed, payments: [payment(1000)] }),
      when: update({ items }),
      gives: { refused: 'not_updatable' },
    },
    {
      name: 'not of an expired session',
      given: checkout({ lifecycle: expiredByMerchant }),
      when: update({ items }),
      gives: { refused: 'not_updatable' },
    },
    {
      name: 'not at the moment at which time ends the session',
      given: checkout({ expiresAt: EXPIRES }),
      when: update({ items, now: EXPIRES }),
      gives: { refused: 'not_updatable' },
    },
    {
      name: 'one millisecond before that moment',
      given: checkout({ expiresAt: EXPIRES }),
      when: update({ items, now: EXPIRES - 1 }),
      gives: { is: 'active unpaid', ...updated },
    },
    {
      name: 'that are refused take the metadata with them',
      given: checkout({ attempts: [attempt('processing')] }),
      when: update({ items, metadata: { order: 'A-2' } }),
      gives: { refused: 'payment_in_progress' },
    },
    {
      name: 'with metadata are one change with one event',
      given: checkout(),
      when: update({ items, metadata: { order: 'A-2' } }),
      gives: { is: 'active unpaid', ...updated },
    },
    {
      name: 'that cost all that an amount may be',
      given: checkout(),
      when: update({ items: [{ name: 'Yacht', quantity: 1, unitPrice: MAX_AMOUNT }] }),
      gives: { is: 'active unpaid', ...updated },
    },
  ]);
});

suite('new methods', () => {
  const methods = ['wire_transfer', 'card'];
  const withoutCard = ['wire_transfer'];

  test('replace the list, in their order, and nothing else', () => {
    const before = checkout();
    const next = after(before, update({ methods }));
    const { version, eventCount } = next;
    assert.deepEqual(next, { ...before, methods, version, eventCount });
  });

  const cancelled = {
    is: 'active unpaid',
    paid: 0,
    attempts: ['cancelled'],
    events: ['payment_attempt.cancelled', 'checkout.updated', 'payin.requires_payment_method'],
  } as const;

  table([
    {
      name: 'of an active session',
      given: checkout(),
      when: update({ methods }),
      gives: { is: 'active unpaid', ...updated },
    },
    {
      name: 'of a draft',
      given: checkout({ amount: 0 }),
      when: update({ methods }),
      gives: { is: 'active unpaid', ...updated },
    },
    {
      name: 'that are the old ones change nothing',
      given: checkout({ attempts: [attempt('requires_action')] }),
      when: update({ methods: [...checkout().methods] }),
      gives: 'unchanged',
    },
    {
      name: 'that are the old ones in another order',
      given: checkout(),
      when: update({ methods: checkout().methods.toReversed() }),
      gives: { is: 'active unpaid', ...updated },
    },
    {
      name: 'leave what waits for the payer with one of them',
      given: checkout({ attempts: [attempt('requires_action')] }),
      when: update({ methods }),
      gives: { is: 'active unpaid', paid: 0, attempts: ['requires_action'], events: ['checkout.updated'] },
    },
    {
      name: 'cancel what waits for the payer with one that is gone',
      given: checkout({ attempts: [attempt('requires_action')] }),
      when: update({ methods: withoutCard }),
      gives: cancelled,
    },
    {
      name: 'cancel a transfer that is awaited, too',
      given: checkout({ attempts: [attempt('requires_action', { traits: { standing: true } })] }),
      when: update({ methods: withoutCard }),
      gives: cancelled,
    },
    {
      name: 'with items and metadata are one change with one event',
      given: checkout(),
      when: update({ methods, items, metadata: { order: 'A-2' } }),
      gives: { is: 'active unpaid', ...updated },
    },
    {
      name: 'not where a part is paid',
      given: checkout({ payments: [payment(1)] }),
      when: update({ methods }),
      gives: { refused: 'not_updatable' },
    },
    {
      name: 'not where a payment is processing',
      given: checkout({ attempts: [attempt('processing')] }),
      when: update({ methods }),
      gives: { refused: 'payment_in_progress' },
    },
    {
      name: 'not of a completed session, though they are the old ones',
      given: checkout({ lifecycle: completed, payments: [payment(1000)] }),
      when: update({ methods: [...checkout().methods] }),
      gives: { refused: 'not_updatable' },
    },
    {
      name: 'not at the moment at which time ends the session',
      given: checkout({ expiresAt: EXPIRES }),
      when: update({ methods, now: EXPIRES }),
      gives: { refused: 'not_updatable' },
    },
    {
      name: 'that are refused take the metadata with them',
      given: checkout({ payments: [payment(1)] }),
      when: update({ methods, metadata: { order: 'A-2' } }),
      gives: { refused: 'not_updatable' },
    },
    {
      name: 'are those with which an attempt starts',
      given: after(checkout(), update({ methods: withoutCard })),
      when: start({ method: 'wire_transfer' }),
      gives: {
        is: 'active unpaid',
        paid: 0,
        attempts: ['requires_action'],
        events: ['payment_attempt.created', 'payment_attempt.requires_action', 'payin.requires_action'],
      },
    },
    {
      name: 'let no attempt start with one that is gone',
      given: after(checkout(), update({ methods: withoutCard })),
      when: start({ method: 'card' }),
      gives: { refused: 'field_invalid' },
    },
  ]);

  test('that nobody can choose are refused, before anything else is', () => {
    const obstacle = { pointer: '/payment_methods', detail: 'cannot be offered' };
    for (const session of [checkout(), checkout({ payments: [payment(1)] })]) {
      const decision = decide(session, update({ methods, obstacle }));
      assert.deepEqual(decision.kind === 'refusal' && decision.problems, [obstacle]);
    }
    assert.equal(decide(checkout(), update({ methods, obstacle: null })).kind, 'change');
  });

  test('say of themselves what is in the way', () => {
    const decision = decide(checkout({ payments: [payment(1)] }), update({ methods }));
    const detail = decision.kind === 'refusal' ? decision.detail : '';
    assert.equal(detail, 'The payment methods cannot change: the amount is partially paid.');
  });
});

suite('new metadata, in every state', () => {
  const states = [
    { name: 'active', given: checkout(), is: 'active unpaid', paid: 0 },
    { name: 'draft', given: checkout({ amount: 0 }), is: 'active unpaid', paid: 0 },
    {
      name: 'partly paid',
      given: checkout({ payments: [payment(400)] }),
      is: 'active unpaid partial',
      paid: 400,
    },
    {
      name: 'completed',
      given: checkout({ lifecycle: completed, payments: [payment(1000)] }),
      is: 'completed paid',
      paid: 1000,
    },
    {
      name: 'expired by its merchant',
      given: checkout({ lifecycle: expiredByMerchant }),
      is: 'expired unpaid',
      paid: 0,
    },
    {
      name: 'expired by time',
      given: checkout({ lifecycle: expiredByTime }),
      is: 'expired expired',
      paid: 0,
    },
  ];
  table(
    states.map(({ name, given, is, paid }) => ({
      name,
      given,
      when: update({ metadata: { order: 'A-2' } }),
      gives: { is, paid, attempts: [], events: ['checkout.updated'] },
    })),
  );
  table([
    {
      name: 'while a payment is in progress',
      given: checkout({ attempts: [attempt('processing')] }),
      when: update({ metadata: { order: 'A-2' } }),
      gives: { is: 'active unpaid', paid: 0, attempts: ['processing'], events: ['checkout.updated'] },
    },
  ]);

  test('is merged into the old: set, removed, kept', () => {
    const session = checkout({ metadata: { keep: 1, change: { a: 1, b: 2 }, remove: true } });
    const next = after(session, update({ metadata: { change: { b: 3 }, remove: null, add: false } }));
    assert.deepEqual(next.metadata, { keep: 1, change: { a: 1, b: 3 }, add: false });
  });
});

suite('an update that says nothing new changes nothing', () => {
  table(
    [
      { name: '{}', when: update() },
      { name: 'the metadata that is there', when: update({ metadata: { order: 'A-1' } }) },
      { name: 'an empty patch', when: update({ metadata: {} }) },
      { name: 'removing what is not there', when: update({ metadata: { gone: null } }) },
      { name: '{} with the right version', when: update({ ifVersion: 7 }) },
    ].map((row) => ({ ...row, given: checkout({ version: 7 }), gives: 'unchanged' as const })),
  );
});

suite('mistakes of an update', () => {
  const tooMany = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`key${n}`, n]));
  const rows = [
    {
      name: 'items beyond the largest amount',
      when: update({ items: [{ name: 'Yacht', quantity: 2, unitPrice: MAX_AMOUNT }] }),
      at: ['/items'],
    },
    { name: 'more keys than allowed, once merged', when: update({ metadata: tooMany }), at: ['/metadata'] },
    {
      name: 'more bytes than allowed',
      when: update({ metadata: { text: 'x'.repeat(METADATA_BYTES) } }),
      at: ['/metadata'],
    },
    {
      name: 'all at once',
      when: update({
        metadata: tooMany,
        items: [{ name: 'Yacht', quantity: 1, unitPrice: MAX_AMOUNT }, ...items],
      }),
      at: ['/metadata', '/items'],
    },
  ];
  for (const { name, when, at } of rows) {
    test(name, () => {
      const decision = decide(checkout(), when);
      assert.equal(decision.kind, 'refusal');
      const { reason, problems } = decision as Extract<typeof decision, { kind: 'refusal' }>;
      assert.equal(reason, 'field_invalid');
      assert.deepEqual(
        problems.map(({ pointer }) => pointer),
        at,
      );
    });
  }

  test('of the metadata speak of what it would be, not of the patch', () => {
    const decision = decide(checkout(), update({ metadata: tooMany }));
    const detail = decision.kind === 'refusal' ? decision.problems[0]?.detail : '';
    assert.equal(detail, 'must have at most 50 top-level keys after the merge');
  });

  test('metadata that is as large as it may be, and a patch that removes and adds', () => {
    const full = checkout({ metadata: tooMany });
    const next = after(full, update({ metadata: { key0: null, fresh: 1 } }));
    assert.equal(Object.keys(next.metadata).length, 50);
    assert.equal(decide(full, update({ metadata: { fresh: 1 } })).kind, 'refusal');
  });
});
