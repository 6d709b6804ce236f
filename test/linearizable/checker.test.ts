/** The checker itself: histories that were written by hand, good ones and bad ones. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { checkHistory, type Operation } from './checker.ts';
import { type Input, type Output, type Shown, sessionModel } from './session-model.ts';

type Line = Operation<Input, Output>;

const AMOUNT = 100;

/** An operation from one time to another; without an answer if there is no output. */
const at = (calledAt: number, answeredAt: number, input: Input, output: Output | null): Line => ({
  input,
  output,
  calledAt,
  answeredAt: output === null ? Number.POSITIVE_INFINITY : answeredAt,
});

const shows = (version: number, given: Partial<Shown> = {}): Output => ({
  type: 'session',
  shown: { version, amount: AMOUNT, mark: 0, paid: 0, status: 'active', paymentStatus: 'unpaid', ...given },
});

const fetch: Input = { type: 'fetch' };
const mark = (value: number, ifMatch: number | null = null): Input => ({
  type: 'set_mark',
  mark: value,
  ifMatch,
});
const items = (amount: number, ifMatch: number | null = null): Input => ({
  type: 'set_items',
  amount,
  ifMatch,
});
const pay = (reference: string, amount: number | null = null): Input => ({ type: 'pay', reference, amount });
const refund = (reference: string, amount: number): Input => ({ type: 'refund', reference, amount });
const expire: Input = { type: 'expire', ifMatch: null };
const payin: Input = { type: 'fetch_payin' };
const paid = { paid: AMOUNT, status: 'completed', paymentStatus: 'paid' };

const good: Readonly<Record<string, readonly Line[]>> = {
  'one after the other': [
    at(0, 1, fetch, shows(1)),
    at(2, 3, mark(7), shows(2, { mark: 7 })),
    at(4, 5, items(120, 2), shows(3, { mark: 7, amount: 120 })),
    at(
      6,
      7,
      pay('a'),
      shows(4, { mark: 7, amount: 120, paid: 120, status: 'completed', paymentStatus: 'paid' }),
    ),
    at(8, 9, expire, { type: 'conflict' }),
  ],
  'a read beside a write sees either': [
    at(0, 9, mark(7), shows(2, { mark: 7 })),
    at(1, 2, fetch, shows(1)),
    at(3, 4, fetch, shows(2, { mark: 7 })),
  ],
  'two writers at once, in either order': [
    at(0, 9, mark(7), shows(3, { mark: 7 })),
    at(0, 9, mark(8), shows(2, { mark: 8 })),
    at(10, 11, fetch, shows(3, { mark: 7 })),
  ],
  'one of two writers of the same version': [
    at(0, 9, mark(7, 1), { type: 'stale' }),
    at(0, 9, mark(8, 1), shows(2, { mark: 8 })),
  ],
  'a write without an answer that happens much later': [
    at(0, 0, mark(7), null),
    at(1, 2, fetch, shows(1)),
    at(3, 4, mark(8), shows(2, { mark: 8 })),
    at(5, 6, fetch, shows(3, { mark: 7 })),
  ],
  'a write without an answer that never happens': [
    at(0, 0, pay('a'), null),
    at(1, 2, fetch, shows(1)),
    at(3, 4, expire, shows(2, { status: 'expired' })),
  ],
  'a payment that was not answered, and is repeated': [
    at(0, 0, pay('a', 40), null),
    at(1, 2, pay('a', 40), shows(2, { paid: 40 })),
    at(3, 4, fetch, shows(2, { paid: 40 })),
  ],
  'late money': [
    at(0, 1, expire, shows(2, { status: 'expired' })),
    at(2, 3, pay('a'), shows(3, { status: 'expired', paymentStatus: 'paid', paid: AMOUNT })),
  ],
  'a refund, which is settled between two reads': [
    at(0, 1, pay('a'), shows(2, paid)),
    at(2, 3, refund('a', 30), { type: 'refunded' }),
    at(4, 5, fetch, shows(3, paid)),
    at(6, 7, fetch, shows(4, paid)),
    at(8, 9, payin, { type: 'payin', amount: AMOUNT, paid: AMOUNT, refunded: 30, pendingRefunds: 0 }),
  ],
};

const bad: Readonly<Record<string, readonly Line[]>> = {
  'a stale read': [at(0, 1, mark(7), shows(2, { mark: 7 })), at(2, 3, fetch, shows(1))],
  'reads that go back': [
    at(0, 9, mark(7), shows(2, { mark: 7 })),
    at(1, 2, fetch, shows(2, { mark: 7 })),
    at(3, 4, fetch, shows(1)),
  ],
  'a lost update': [
    at(0, 9, items(120, 1), shows(2, { amount: 120 })),
    at(0, 9, items(130, 1), shows(2, { amount: 130 })),
  ],
  'an update that is gone after its answer': [
    at(0, 1, mark(7), shows(2, { mark: 7 })),
    at(2, 3, mark(8), shows(2, { mark: 8 })),
  ],
  'a double payment': [
    at(0, 5, pay('a'), shows(2, paid)),
    at(0, 5, pay('b'), shows(3, { ...paid, paid: 2 * AMOUNT })),
  ],
  'a payment that is booked twice': [
    at(0, 1, pay('a', 40), shows(2, { paid: 40 })),
    at(2, 3, pay('a', 40), shows(3, { paid: 80 })),
  ],
  'a value that was never written': [
    at(0, 1, mark(7), shows(2, { mark: 7 })),
    at(2, 3, fetch, shows(2, { mark: 9 })),
  ],
  'a version without a change': [at(0, 1, fetch, shows(1)), at(2, 3, fetch, shows(2))],
  'paid, then unpaid': [at(0, 1, pay('a'), shows(2, paid)), at(2, 3, fetch, shows(3))],
  'a timed-out write that takes effect twice': [
    at(0, 0, mark(7), null),
    at(1, 2, fetch, shows(2, { mark: 7 })),
    at(3, 4, mark(8), shows(3, { mark: 8 })),
    at(5, 6, fetch, shows(4, { mark: 7 })),
  ],
  'a timed-out payment that is booked twice': [
    at(0, 0, pay('a', 40), null),
    at(1, 2, fetch, shows(3, { paid: 80 })),
  ],
  'a write that happens before it is called': [
    at(0, 1, fetch, shows(2, { mark: 7 })),
    at(2, 3, mark(7), shows(2, { mark: 7 })),
  ],
  'items that change after a payment': [
    at(0, 1, pay('a', 40), shows(2, { paid: 40 })),
    at(2, 3, items(120), shows(3, { amount: 120, paid: 40 })),
  ],
  'a precondition that does not hold': [at(0, 1, mark(7, 2), shows(2, { mark: 7 }))],
  'a refusal without a reason': [at(0, 1, expire, { type: 'conflict' })],
  'an expiry of what is paid': [
    at(0, 1, pay('a'), shows(2, paid)),
    at(2, 3, expire, shows(3, { ...paid, status: 'expired' })),
  ],
  'more refunded than paid': [
    at(0, 1, pay('a'), shows(2, paid)),
    at(2, 6, refund('a', 60), { type: 'refunded' }),
    at(2, 6, refund('a', 60), { type: 'refunded' }),
  ],
  'a refund that is gone': [
    at(0, 1, pay('a'), shows(2, paid)),
    at(2, 3, refund('a', 60), { type: 'refunded' }),
    at(4, 5, payin, { type: 'payin', amount: AMOUNT, paid: AMOUNT, refunded: 0, pendingRefunds: 0 }),
  ],
  'not modified, although it was': [
    at(0, 1, mark(7), shows(2, { mark: 7 })),
    at(2, 3, { type: 'fetch_if_changed', known: 1 }, { type: 'not_modified' }),
  ],
};

suite('a good history is accepted', () => {
  for (const [name, history] of Object.entries(good))
    test(name, () => assert.ok(checkHistory(sessionModel(AMOUNT), history).isLinearizable));
});

suite('a bad history is rejected', () => {
  for (const [name, history] of Object.entries(bad))
    test(name, () => assert.equal(checkHistory(sessionModel(AMOUNT), history).isLinearizable, false));
});

test('a long history with much at once is decided soon', () => {
  // Ten writers at once, four times; a read after each round tells who was last.
  const history = Array.from({ length: 4 }, (_, round) => {
    const first = round * 100;
    const writers = Array.from({ length: 10 }, (_, index) => {
      const version = 2 + 10 * round + ((index * 7 + round) % 10);
      const value = first + index;
      return at(first, first + 50, mark(value), shows(version, { mark: value }));
    });
    const open = at(first, 0, mark(first + 60), null);
    return [...writers, open];
  }).flat();
  assert.ok(checkHistory(sessionModel(AMOUNT), history).isLinearizable);
  const last = at(1000, 1001, fetch, shows(99, { mark: 4 }));
  assert.equal(checkHistory(sessionModel(AMOUNT), [...history, last]).isLinearizable, false);
});
