/** Creation of a session. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createProblems, decide, EXPIRY_MAX_MS, EXPIRY_MIN_MS } from '../../src/checkout/decide.ts';
import { MAX_AMOUNT } from '../../src/checkout/money.ts';
import { defaultPolicy } from '../../src/checkout/session.ts';
import { after, create, T, table } from './build.ts';

const items = [
  { name: 'Widget', quantity: 2, unitPrice: 300 },
  { name: 'Gadget', quantity: 1, unitPrice: 150 },
];
const tooMuch = [{ name: 'Yacht', quantity: 2, unitPrice: MAX_AMOUNT }];

suite('a new session', () => {
  table([
    {
      name: 'is active and unpaid',
      given: null,
      when: create(),
      gives: { is: 'active unpaid', paid: 0, attempts: [], events: ['checkout.created'] },
    },
    {
      name: 'without an amount is a draft',
      given: null,
      when: create({ amount: null }),
      gives: { is: 'active unpaid', paid: 0, attempts: [], events: ['checkout.created'] },
    },
  ]);

  test('has what it was given, and nothing else', () => {
    const command = create({
      items,
      amount: 900,
      metadata: { a: [1] },
      methods: ['card', 'upi'],
      expiresAt: T + EXPIRY_MIN_MS,
      successUrl: 'https://a.example',
      cancelUrl: 'https://b.example',
      webhookUrl: 'https://c.example',
      policy: { ...defaultPolicy, excess: 'refund' },
    });
    const { type: _type, now: _now, ...given } = command;
    assert.deepEqual(after(null, command), {
      ...given,
      version: 1,
      eventCount: 1,
      createdAt: T,
      lifecycle: { state: 'active' },
      attempts: [],
      payments: [],
      refunds: [],
      reversals: [],
      fees: [],
    });
  });

  test('with methods that nobody can choose is refused with all its mistakes', () => {
    const obstacle = { pointer: '/payment_methods', detail: 'cannot be offered' };
    const decision = decide(null, create({ obstacle, items, amount: 0 }));
    assert.deepEqual(decision.kind === 'refusal' && decision.problems.map(({ pointer }) => pointer), [
      '/payment_methods',
      '/amount',
    ]);
    assert.ok(!('obstacle' in after(null, create({ obstacle: null }))));
  });

  const amounts = [
    { name: 'the amount that is given', when: create({ amount: 1 }), amount: 1 },
    { name: 'the largest amount', when: create({ amount: MAX_AMOUNT }), amount: MAX_AMOUNT },
    {
      name: 'the sum of the items where no amount is given',
      when: create({ amount: null, items }),
      amount: 750,
    },
    {
      name: 'the amount that is given, whatever the items add up to',
      when: create({ amount: 900, items }),
      amount: 900,
    },
    { name: 'the smallest amount beside items', when: create({ amount: 1, items }), amount: 1 },
    { name: 'zero without either', when: create({ amount: null }), amount: 0 },
    { name: 'zero as given', when: create({ amount: 0 }), amount: 0 },
    {
      name: 'zero where the items are free',
      when: create({ amount: null, items: [{ name: 'Gift', quantity: 1, unitPrice: 0 }] }),
      amount: 0,
    },
  ];
  for (const { name, when, amount } of amounts) {
    test(`costs ${name}`, () => assert.equal(after(null, when).amount, amount));
  }

  test('is described by its items only where it has no description', () => {
    assert.equal(after(null, create({ items, description: '' })).description, '2 x Widget, 1 x Gadget');
    assert.equal(after(null, create({ items, description: 'Hardware' })).description, 'Hardware');
    assert.equal(after(null, create({ description: '' })).description, '');
  });
});

suite('the expiry of a new session', () => {
  const rows = [
    { name: 'none', expiresAt: null, problem: null },
    { name: 'in the past', expiresAt: T - 1, problem: /60 seconds/ },
    { name: 'too soon', expiresAt: T + EXPIRY_MIN_MS - 1, problem: /60 seconds/ },
    { name: 'the soonest', expiresAt: T + EXPIRY_MIN_MS, problem: null },
    { name: 'the latest', expiresAt: T + EXPIRY_MAX_MS, problem: null },
    { name: 'too late', expiresAt: T + EXPIRY_MAX_MS + 1, problem: /180 days/ },
  ];
  for (const { name, expiresAt, problem } of rows) {
    test(name, () => {
      const decision = decide(null, create({ expiresAt }));
      if (problem === null) {
        assert.equal(decision.kind === 'change' && decision.checkout.expiresAt, expiresAt);
      } else {
        assert.match(decision.kind === 'refusal' ? (decision.problems[0]?.detail ?? '') : '', problem);
      }
    });
  }

  test('the bounds are a minute and 180 days', () => {
    assert.equal(EXPIRY_MIN_MS, 60_000);
    assert.equal(EXPIRY_MAX_MS, 180 * 24 * 60 * 60 * 1000);
  });
});

suite('mistakes of a create, all at once', () => {
  const rows = [
    { name: 'a bad expiry', when: create({ expiresAt: T }), at: ['/expires_at'] },
    { name: 'items beyond the largest amount', when: create({ items: tooMuch }), at: ['/items'] },
    { name: 'an amount of zero beside items', when: create({ items, amount: 0 }), at: ['/amount'] },
    {
      name: 'items beyond the largest amount, whose total is given',
      when: create({ items: tooMuch, amount: null }),
      at: ['/items'],
    },
    {
      name: 'expiry and items',
      when: create({ expiresAt: T, items: tooMuch }),
      at: ['/expires_at', '/items'],
    },
    {
      name: 'expiry and amount',
      when: create({ expiresAt: T, items, amount: 0 }),
      at: ['/expires_at', '/amount'],
    },
    {
      name: 'everything',
      when: create({ expiresAt: T, items: tooMuch, amount: 0 }),
      at: ['/expires_at', '/items', '/amount'],
    },
  ];
  for (const { name, when, at } of rows) {
    test(name, () => {
      const decision = decide(null, when);
      assert.equal(decision.kind, 'refusal');
      const { reason, problems } = decision as Extract<typeof decision, { kind: 'refusal' }>;
      assert.equal(reason, 'field_invalid');
      assert.deepEqual(createProblems(when, when.now), problems);
      assert.deepEqual(
        problems.map(({ pointer }) => pointer),
        at,
      );
      for (const { detail } of problems) assert.match(detail, /^must /);
    });
  }
});
