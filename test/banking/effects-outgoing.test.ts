/** Effects of debits and returns: refunds, money sent back, and transfers taken back. */

import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { assignedRefund, assignedReturn, effectsOf, isReturn, isSettled } from '../../src/banking/effects.ts';
import type { EntryContent, SentBack } from '../../src/banking/entry.ts';
import { decide } from '../../src/checkout/decide.ts';
import type { AttemptId } from '../../src/checkout/ids.ts';
import type { Refund } from '../../src/checkout/session.ts';
import { BANK } from '../../src/methods/bank/receiving-account.ts';
import type { StatementEntry } from '../../src/statements/entry.ts';
import { attempt, NOW, payment } from '../checkout/build.ts';
import { refund, reversal } from '../checkout/build-refunds.ts';
import { entry, entryOf, fresh, nothing, owners, paidSession, summary, transfer } from './build.ts';

const returned = { reasonCode: 'AC04', reasonText: 'Account closed', originalEndToEndId: '' };
const out = { direction: 'debit' } as const;
/** Money of a refund that came back to the shop. */
const back = { returned } as const;

suite('a refund on a statement', () => {
  const session = paidSession('one', 1000);
  const meaning = (given: Partial<StatementEntry>, asked: Partial<Refund> = {}) =>
    effectsOf(
      entry(given),
      { ...nothing, refund: { checkout: session, refund: refund(1000, { id: 'rfd_1', ...asked }) } },
      fresh,
    );

  test('has succeeded where the money went out, under the reference of the bank', () => {
    const said = meaning({ ...out, bankReference: 'BANK-1', endToEndId: 'rfd1' });
    assert.deepEqual(said.effects, [
      {
        checkout: 'chk_one',
        command: {
          type: 'report_refund',
          now: NOW,
          refund: 'rfd_1',
          status: 'succeeded',
          reference: 'BANK-1',
          failure: '',
          syncAt: null,
          bankEntry: 'ntc_1',
        },
      },
    ]);
    assert.deepEqual([said.entry.concerns, said.entry.problem], ['rfd_1', null]);
    const [plain] = meaning({ ...out, endToEndId: 'rfd1' }).effects;
    assert.ok(plain?.command.type === 'report_refund');
    assert.equal(plain.command.reference, 'rfd1', 'a bank without references of its own');
  });

  test('has failed where the money came back, also after it had gone out, with the reason of the bank', () => {
    for (const status of ['pending', 'succeeded', 'failed'] as const) {
      const [effect] = meaning(back, { status }).effects;
      assert.ok(effect?.command.type === 'report_refund', status);
      assert.deepEqual(
        [effect.command.status, effect.command.reference, effect.command.failure],
        ['failed', '', 'The bank has returned the money. AC04 Account closed'],
      );
    }
    const [silent] = meaning({ isReversal: true }).effects;
    assert.ok(silent?.command.type === 'report_refund');
    assert.equal(silent.command.failure, 'The bank has returned the money.');
  });

  test('of another amount or currency is for a person, who is told which refund it was', () => {
    for (const given of [{ amount: 999 }, { amount: 1001 }, { currency: 'CHF' }]) {
      const said = meaning({ ...out, ...given });
      assert.deepEqual(summary(said), ['refund_differs'], JSON.stringify(given));
      assert.equal(said.entry.concerns, 'rfd_1');
    }
  });

  test('that has ended already is for a person', () => {
    for (const [status, problem] of [
      ['succeeded', 'refund_differs'],
      ['failed', 'refund_failed'],
    ] as const) {
      const said = meaning(out, { status });
      assert.deepEqual([...summary(said), said.entry.concerns], [problem, 'rfd_1']);
    }
  });
});

suite('money with the id of a refund that the bank does not call a return', () => {
  const one = paidSession('one', 1000);
  const asked = refund(1000, { id: 'rfd_1', status: 'succeeded' });
  const session = { ...one, refunds: [asked] };
  const facts = { ...nothing, refund: { checkout: session, refund: asked } };
  const came = effectsOf(entry(), facts, fresh);

  test('is for a person, who is told which refund and session it is about', () => {
    assert.deepEqual([...summary(came), came.entry.concerns], ['unknown_return', 'rfd_1']);
    assert.deepEqual(came.entry.suggestions, [{ checkout: 'chk_one', score: 100 }]);
  });

  test('ends the refund where it is assigned to its session as a whole', () => {
    const said = assignedRefund(came.entry, session, 1000, fresh);
    assert.deepEqual(said && summary(said), [null, 'report_refund chk_one']);
    const command = said?.effects[0]?.command;
    assert.ok(said && command?.type === 'report_refund');
    assert.deepEqual([command.refund, command.status], ['rfd_1', 'failed']);
    assert.deepEqual([said.entry.suggestions, said.entry.parts, isSettled(said.entry)], [[], [], true]);
  });

  test('is a payment where it is assigned to another session, in part, or has another amount', () => {
    assert.equal(assignedRefund(came.entry, paidSession('two', 1000), 1000, fresh), null, 'another session');
    assert.equal(assignedRefund(came.entry, session, 999, fresh), null, 'a part');
    assert.equal(assignedRefund({ ...came.entry, amount: 1500 }, session, 1000, fresh), null, 'more came');
    assert.equal(assignedRefund({ ...came.entry, amount: 999 }, session, 999, fresh), null, 'another amount');
    assert.equal(
      assignedRefund({ ...came.entry, currency: 'CHF' }, session, 1000, fresh),
      null,
      'a currency',
    );
    assert.equal(assignedRefund(entry(), session, 1000, fresh), null, 'it names no refund');
    const failed = { ...one, refunds: [{ ...asked, status: 'failed' } as const] };
    assert.equal(assignedRefund(came.entry, failed, 1000, fresh), null, 'whose money is back already');
  });
});

suite('money without a session that was sent back', () => {
  const sent = (given: Partial<SentBack> = {}): EntryContent => ({
    ...entry(),
    sentBack: { amount: 700, state: 'pending', reason: 'Unknown', file: 'bfl_9', ...given },
  });
  const meaning = (given: Partial<StatementEntry>, original: EntryContent = sent()) =>
    effectsOf(
      entry({ amount: 700, ...given }),
      { ...nothing, sentBack: entryOf('ntc_0', original, { state: 'waiting' }) },
      fresh,
    );
  const after = ({ sentBack }: ReturnType<typeof meaning>) =>
    sentBack && [sentBack.id, sentBack.state, sentBack.sentBack];

  test('is settled where the bank has sent it', () => {
    const said = meaning(out);
    assert.deepEqual([...summary(said), said.entry.concerns], [null, 'ntc_0']);
    assert.deepEqual(after(said), [
      'ntc_0',
      'done',
      { amount: 700, state: 'succeeded', reason: 'Unknown', file: 'bfl_9' },
    ]);
  });

  test('is open again where it came back, for the reason of the bank', () => {
    for (const state of ['pending', 'succeeded'] as const) {
      const said = meaning(back, sent({ state }));
      assert.deepEqual(after(said), [
        'ntc_0',
        'open',
        { amount: 700, state: 'failed', reason: 'AC04 Account closed', file: 'bfl_9' },
      ]);
    }
    const silent = meaning({ isReversal: true });
    assert.deepEqual(after(silent)?.[2], { amount: 700, state: 'failed', reason: 'Unknown', file: 'bfl_9' });
  });

  test('is for a person where it may have come back, and the bank does not say so', () => {
    const said = meaning({});
    assert.deepEqual([...summary(said), said.entry.concerns], ['unknown_return', 'ntc_0']);
    assert.deepEqual([said.sentBack, said.entry.suggestions], [undefined, []]);
  });

  test('that came back twice is nothing new', () => {
    const said = meaning(back, sent({ state: 'failed' }));
    assert.deepEqual([...summary(said), said.entry.concerns, said.sentBack], [null, 'ntc_0', undefined]);
  });

  test('of another amount or currency, or gone out twice, is for a person', () => {
    for (const [given, original, problem] of [
      [{ ...out, amount: 701 }, sent(), 'refund_differs'],
      [{ ...out, currency: 'CHF' }, sent(), 'refund_differs'],
      [{ ...back, amount: 699 }, sent(), 'refund_differs'],
      [out, sent({ state: 'succeeded' }), 'refund_differs'],
      [out, sent({ state: 'failed' }), 'refund_failed'],
      [out, { ...sent(), sentBack: null }, 'refund_differs'],
    ] as const) {
      const said = meaning(given, original);
      assert.deepEqual([...summary(said), said.entry.concerns, said.sentBack], [problem, 'ntc_0', undefined]);
    }
  });
});

suite('a transfer that is taken back', () => {
  const taken = { direction: 'debit', returned } as const;

  test('is money that went out, and is called a return or a reversal', () => {
    for (const [given, expected] of [
      [{ ...out, returned }, true],
      [{ ...out, isReversal: true }, true],
      [out, false],
      [{ returned }, false],
      [{ isReversal: true }, false],
    ] as const) {
      assert.equal(isReturn(entry(given)), expected, JSON.stringify(given));
    }
  });

  test('is a loss for the attempt that has brought it', () => {
    const session = paidSession('one', 1000);
    const said = effectsOf(entry(taken), owners(session), fresh);
    assert.deepEqual(said.effects, [
      {
        checkout: 'chk_one',
        command: {
          type: 'report_reversal',
          now: NOW,
          kind: 'return',
          rail: BANK,
          reference: 'ntc_1',
          attempt: 'pat_one',
          amount: 1000,
          reason: 'AC04 Account closed',
          status: 'lost',
        },
      },
    ]);
    assert.deepEqual(
      [said.entry.concerns, said.entry.problem, said.entry.suggestions],
      ['chk_one', null, []],
    );
    assert.equal(decide(session, said.effects[0]?.command ?? assert.fail()).kind, 'change');
  });

  test('that names no session, or several, is for a person, with those it names', () => {
    const [one, two] = [paidSession('one', 1000), paidSession('two', 1000)];
    const several = effectsOf(entry(taken), owners(one, two), fresh);
    assert.deepEqual(summary(several), ['unknown_return']);
    assert.deepEqual(several.entry.suggestions, [
      { checkout: 'chk_one', score: 100 },
      { checkout: 'chk_two', score: 100 },
    ]);
    assert.deepEqual(summary(effectsOf(entry(taken), nothing, fresh)), ['unknown_return']);
  });

  test('that another file has told of is for a person', () => {
    const session = paidSession('one', 2000);
    const before = { ...entry(taken), statement: 'bfl_0', account: 'before' } as const;
    const said = effectsOf(entry(taken), { ...owners(session), booked: [before] }, fresh);
    assert.deepEqual(summary(said), ['maybe_known']);
    assert.deepEqual(said.entry.suggestions, [{ checkout: 'chk_one', score: 100 }]);
  });

  test('that names one session by two of its references is clear', () => {
    const session = paidSession('one', 1000);
    const facts = { ...nothing, owners: new Map([...owners(session).owners, ['RF18OTHER', session]]) };
    assert.deepEqual(summary(effectsOf(entry(taken), facts, fresh)), [null, 'report_reversal chk_one']);
  });

  test('is no more than the attempt has brought, without what was taken back before', () => {
    const before = (amount: number, status: 'lost' | 'open' | 'won', of: AttemptId = 'pat_one') =>
      paidSession('one', 1500, { reversals: [reversal(amount, { attempt: of, status })] });
    for (const [name, session, isClear] of [
      ['just enough is left', before(500, 'lost'), true],
      ['too little is left', before(501, 'lost'), false],
      ['a dispute that is open', before(501, 'open'), false],
      ['a dispute that was won', before(501, 'won'), true],
      ['a dispute of another attempt', before(501, 'lost', 'pat_two'), true],
    ] as const) {
      const problem = effectsOf(entry(taken), owners(session), fresh).entry.problem;
      assert.equal(problem, isClear ? null : 'unknown_return', name);
    }
  });

  test('was a transfer: a payment by card is not taken back by a bank, whoever says so', () => {
    const card = attempt('succeeded', { name: 'card' });
    const byCard = payment(1000, { attempt: card.id });
    const session = paidSession('one', 1000, { attempts: [card], payments: [byCard] });
    assert.equal(assignedReturn(entry(taken), session, fresh), null);
    assert.deepEqual(summary(effectsOf(entry(taken), owners(session), fresh)), ['unknown_return']);
  });

  test('is assigned to the newest transfer of a session that has brought as much', () => {
    const [first, second, third] = ['one', 'two', 'three'].map((name) => transfer(name));
    assert.ok(first && second && third);
    const card = attempt('succeeded', { name: 'card' });
    const brought = (amount: number, id: AttemptId, rail: string = BANK) =>
      payment(amount, { rail, attempt: id, reference: `of ${id}` });
    const session = paidSession('one', 5000, {
      attempts: [first, second, third, card],
      payments: [
        brought(2000, first.id),
        brought(1000, second.id),
        brought(999, third.id),
        brought(3000, card.id, 'sandbox'),
      ],
    });
    const attemptFor = (amount: number) => {
      const command = assignedReturn(entry({ ...taken, amount }), session, fresh)?.effects[0]?.command;
      return command?.type === 'report_reversal' ? command.attempt : null;
    };
    assert.deepEqual([999, 1000, 2000, 2001].map(attemptFor), ['pat_three', 'pat_two', 'pat_one', null]);
    assert.equal(assignedReturn(entry({ ...taken, currency: 'CHF' }), session, fresh), null);
  });
});

suite('money that concerns no session', () => {
  test('is done where it went out, and a riddle where it came back', () => {
    assert.deepEqual(summary(effectsOf(entry(out), nothing, fresh)), [null]);
    assert.deepEqual(summary(effectsOf(entry({ returned }), nothing, fresh)), ['unknown_return']);
    assert.deepEqual(summary(effectsOf(entry({ isReversal: true }), nothing, fresh)), ['unknown_return']);
  });

  test('is nothing where there is none', () => {
    const session = paidSession('one', 1000);
    assert.deepEqual(summary(effectsOf(entry({ amount: 0 }), owners(session), fresh)), [null]);
    assert.deepEqual(summary(effectsOf(entry({ amount: 0 }), nothing, fresh)), [null]);
  });
});
