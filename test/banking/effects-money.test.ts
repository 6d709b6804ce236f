/** Effects of incoming money on the sessions that it may be meant for. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { assigned, effectsOf, isSettled, referencesOf } from '../../src/banking/effects.ts';
import { objection } from '../../src/banking/objection.ts';
import { type Checkout, defaultPolicy } from '../../src/checkout/session.ts';
import { creditorReference, referencesIn } from '../../src/methods/bank/references.ts';
import {
  attempt,
  completed,
  EXPIRES,
  expiredByTime,
  MINUTE,
  NOW,
  nobody,
  payment,
} from '../checkout/build.ts';
import { entry, fresh, nothing, owners, summary, transfer, waitingSession } from './build.ts';

suite('the references of an entry', () => {
  test('are those of its structured reference, its text and its end-to-end id, each once', () => {
    const [one, two, three] = ['ONE', 'TWO', 'THREE'].map(creditorReference);
    assert.ok(one && two && three);
    const said = { creditorReference: one, remittance: `for ${two} and ${one}`, endToEndId: three };
    assert.deepEqual(referencesOf(entry(said)), [one, two, three]);
    assert.deepEqual(referencesOf(entry({ remittance: 'rent' })), []);
    // A number in the place of references that no check digits confirm is the payer's own, or that of another scheme.
    assert.deepEqual(referencesOf(entry({ creditorReference: '4711' })), []);
    const mistyped = `RF${one.slice(2).replaceAll('0', 'O').toLowerCase()}`;
    assert.deepEqual(referencesOf(entry({ creditorReference: mistyped })), referencesIn(mistyped));
  });
});

suite('money that names one session', () => {
  test('is booked for it whole, under the id of the entry', () => {
    const said = effectsOf(entry({ amount: 400 }), owners(waitingSession('one', 1000)), fresh);
    const [effect, ...others] = said.effects;
    assert.ok(effect);
    assert.deepEqual(others, []);
    assert.deepEqual(effect.command, {
      type: 'report',
      now: NOW,
      rail: 'bank',
      reference: creditorReference('one'),
      status: 'succeeded',
      reason: '',
      syncAt: null,
      details: null,
      payment: { reference: 'ntc_1', amount: 400 },
      unknownAttempt: { id: 'pat_new', method: 'local_bank_transfer_eur' },
      refundId: 'rfd_new',
    });
    const part = { checkout: 'chk_one', attempt: 'pat_one', amount: 400, payment: 'ntc_1' };
    assert.deepEqual([effect.part, said.entry.parts], [part, [part]]);
  });

  test('is for the attempt whose reference it names, else for the newest transfer', () => {
    const [old, newest] = [transfer('old'), transfer('newest')];
    const attempts = [old, newest, attempt('succeeded', { name: 'card' })];
    const session = waitingSession('one', 1000, { attempts });
    const attemptFor = (reference: string) =>
      effectsOf(entry(), { ...nothing, owners: new Map([[reference, session]]) }, fresh).effects[0]?.part
        ?.attempt;
    assert.equal(attemptFor(old.reference), old.id);
    assert.equal(attemptFor(newest.reference), newest.id);
    assert.equal(attemptFor('REPLACED'), newest.id);
    assert.equal(attemptFor('ref_card'), newest.id, 'the same text as the reference of another rail');
  });

  test('makes an attempt where the session has none of the bank, named by the entry', () => {
    const session = waitingSession('one', 1000, { attempts: [attempt('failed')] });
    const [effect] = effectsOf(entry(), { ...nothing, owners: new Map([['RF1', session]]) }, fresh).effects;
    assert.ok(effect?.command.type === 'report');
    assert.deepEqual(
      [effect.command.reference, effect.part?.attempt, effect.command.unknownAttempt.id],
      ['ntc_1', 'pat_new', 'pat_new'],
    );
  });

  test('that came by a method of the session has that method', () => {
    for (const [methods, method] of [
      [['card'], 'local_bank_transfer_eur'],
      [['wire_transfer'], 'wire_transfer'],
      [['wire_transfer', 'local_bank_transfer_eur'], 'local_bank_transfer_eur'],
    ] as const) {
      const [effect] = effectsOf(entry(), owners(waitingSession('one', 1000, { methods })), fresh).effects;
      assert.ok(effect?.command.type === 'report');
      assert.equal(effect.command.unknownAttempt.method, method);
    }
  });
});

suite('money that names several sessions', () => {
  const due = (name: string, amount: number, given: Partial<Checkout> = {}) =>
    waitingSession(name, amount, given);

  test('is booked where it brings just what is due for all of them', () => {
    const sessions = [due('one', 600), due('two', 1000, { payments: [payment(600)] })];
    const said = effectsOf(entry(), owners(...sessions), fresh);
    assert.deepEqual(summary(said), [null, 'report chk_one', 'report chk_two']);
    assert.deepEqual(said.entry.parts, [
      { checkout: 'chk_one', attempt: 'pat_one', amount: 600, payment: 'ntc_1.1' },
      { checkout: 'chk_two', attempt: 'pat_two', amount: 400, payment: 'ntc_1.2' },
    ]);
  });

  test('is for a person where it is more, or less, or nothing is due for one of them', () => {
    for (const [name, sessions] of [
      ['less', [due('one', 600), due('two', 401)]],
      ['more', [due('one', 600), due('two', 399)]],
      ['nothing', [due('one', 1000), due('two', 400, { payments: [payment(400)] })]],
    ] as const) {
      const said = effectsOf(entry(), owners(...sessions), fresh);
      assert.deepEqual(summary(said), ['several_references'], name);
      assert.deepEqual(said.entry.suggestions, [
        { checkout: 'chk_one', score: 100 },
        { checkout: 'chk_two', score: 100 },
      ]);
    }
  });

  test('is for one where all references are of one session', () => {
    const session = due('one', 1000, { attempts: [transfer('one'), transfer('again')] });
    const facts = { ...nothing, owners: new Map(session.attempts.map((each) => [each.reference, session])) };
    const said = effectsOf(entry(), facts, fresh);
    assert.deepEqual(summary(said), [null, 'report chk_one']);
    assert.equal(said.entry.parts[0]?.attempt, 'pat_one');
  });
});

suite('money that was told before', () => {
  const session = waitingSession('one', 5000);
  const ada = { name: 'Ada', account: 'DE89370400440532013000', bic: '' };
  const earlier = { ...entry({ counterparty: ada, bankReference: 'BANK-1' }), statement: 'bfl_0' } as const;
  const again = entry({ counterparty: ada, bankReference: '' });
  const problem = (now: typeof again, before: typeof earlier) =>
    effectsOf(now, { ...owners(session), booked: [before] }, fresh).entry.problem;

  test('is for a person, who is told for which session it was booked', () => {
    const said = effectsOf(again, { ...owners(session), booked: [earlier] }, fresh);
    assert.deepEqual(summary(said), ['maybe_known']);
    assert.deepEqual(said.entry.suggestions, [{ checkout: 'chk_one', score: 100 }]);
  });

  test('was of the same payer, as far as banks tell', () => {
    for (const [account, other, expected] of [
      [ada.account, ada.account, 'maybe_known'],
      ['', ada.account, 'maybe_known'],
      [ada.account, '', 'maybe_known'],
      ['AT611904300234573201', ada.account, null],
    ] as const) {
      const found = problem(
        { ...again, counterparty: { ...ada, account } },
        { ...earlier, counterparty: { ...ada, account: other } },
      );
      assert.equal(found, expected, `${account} ${other}`);
    }
  });

  test('was not told apart by references of the bank; of a reference that tells nothing, that is not so', () => {
    for (const [reference, other, expected] of [
      ['BANK-2', 'BANK-1', null],
      ['0', 'BANK-1', 'maybe_known'],
      ['BANK-2', '-', 'maybe_known'],
      ['BANK-1', 'BANK-1', 'maybe_known'],
    ] as const) {
      // The end-to-end id keeps them from being equal in everything.
      const one = { ...again, bankReference: reference, endToEndId: 'E1' };
      assert.equal(problem(one, { ...earlier, bankReference: other }), expected, `${reference} ${other}`);
    }
  });

  test('and is equal in everything was numbered by its file: it is another payment', () => {
    const twin = { ...earlier, statement: 'bfl_1' } as const;
    assert.equal(problem(twin, earlier), null);
    assert.equal(problem({ ...twin, account: 'other' }, earlier), 'maybe_known', 'in another account');
  });

  test('was of the same amount', () => {
    assert.equal(problem({ ...again, amount: 999 }, earlier), null);
  });
});

suite('money without a reference', () => {
  const payer = { ...nobody, name: 'Ada Lovelace' };
  const counterparty = { name: 'LOVELACE, ADA', account: '', bic: '' };
  const one = waitingSession('one', 1000, { payer });

  test('is booked for the session of its amount and payer, if that is clear', () => {
    const said = effectsOf(entry({ counterparty }), { ...nothing, candidates: [one] }, fresh);
    assert.deepEqual(summary(said), [null, 'report chk_one']);
    assert.deepEqual(said.entry.suggestions, []);
  });

  test('is booked beside the number of another scheme only where the order is named', () => {
    const ordered = { ...one, referenceId: 'order-1001' };
    for (const [creditorReference, problem] of [
      ['', null],
      ['4711', 'several_candidates'],
      ['ORDER1001', null],
    ] as const) {
      const said = effectsOf(
        entry({ counterparty, creditorReference }),
        { ...nothing, candidates: [ordered] },
        fresh,
      );
      assert.equal(said.entry.problem, problem, creditorReference);
    }
  });

  test('is for a person where two come into question, the account wants to be asked, or nobody does', () => {
    const two = waitingSession('two', 1000, { payer });
    const careful = { ...one, policy: { ...defaultPolicy, unreferenced: 'ask' } as const };
    for (const [candidates, problem, suggested] of [
      [[one, two], 'several_candidates', ['chk_one', 'chk_two']],
      [[careful], 'several_candidates', ['chk_one']],
      [[waitingSession('three', 700)], 'no_match', []],
      [[], 'no_match', []],
    ] as const) {
      const said = effectsOf(entry({ counterparty }), { ...nothing, candidates }, fresh);
      assert.deepEqual(summary(said), [problem]);
      assert.deepEqual(
        said.entry.suggestions.map(({ checkout }) => checkout),
        suggested,
      );
    }
  });
});

suite('what a person has assigned', () => {
  test('is booked, whatever was the problem', () => {
    const before = {
      ...entry(),
      problem: 'several_candidates',
      suggestions: [{ checkout: 'chk_x', score: 50 }],
    } as const;
    const said = assigned(before, [{ checkout: waitingSession('one', 1000), amount: 1000 }], fresh);
    assert.deepEqual([said.entry.problem, said.entry.suggestions], [null, []]);
    assert.deepEqual(said.entry.parts, [
      { checkout: 'chk_one', attempt: 'pat_one', amount: 1000, payment: 'ntc_1' },
    ]);
  });

  test('goes on counting where a part was booked before, so that no two payments have one name', () => {
    const part = { checkout: 'chk_zero', attempt: 'pat_zero', amount: 100, payment: 'ntc_1.1' } as const;
    const before = { ...entry(), parts: [part] };
    const wanted = [
      { checkout: waitingSession('one', 1000), amount: 300 },
      { checkout: waitingSession('two', 1000), amount: 600 },
    ];
    const said = assigned(before, wanted, fresh);
    assert.deepEqual(
      said.entry.parts.map(({ payment, amount }) => [payment, amount]),
      [
        ['ntc_1.1', 100],
        ['ntc_1.2', 300],
        ['ntc_1.3', 600],
      ],
    );
    assert.equal(said.effects.length, 2);
    const [less] = assigned(entry(), [{ checkout: waitingSession('one', 1000), amount: 999 }], fresh).effects;
    assert.equal(less?.part?.payment, 'ntc_1.1', 'the rest may follow');
  });
});

suite('an objection', () => {
  const held = { ...defaultPolicy, late: 'hold', graceMinutes: { bank: 3 * 24 * 60, sandbox: 9 } } as const;
  const ended = waitingSession('one', 1000, { lifecycle: expiredByTime, policy: held });
  const later = EXPIRES + 10 * 24 * 60 * MINUTE;

  test('is another currency', () => {
    assert.equal(objection(waitingSession('one', 1000), entry({ currency: 'CHF' }), NOW), 'other_currency');
    assert.equal(objection(waitingSession('one', 1000), entry(), NOW), null);
  });

  test('is money that came when the time was over, grace included', () => {
    // The session ended on 15 January at 13:00, and the bank has three days more: until the 18th at 13:00.
    for (const [day, problem] of [
      ['2030-01-15', null],
      ['2030-01-18', null],
      // East of Greenwich this day had begun by then.
      ['2030-01-19', null],
      ['2030-01-20', 'held_late'],
    ] as const) {
      assert.equal(objection(ended, entry({ bookedOn: day }), later), problem, day);
    }
    const moment = EXPIRES + 3 * 24 * 60 * MINUTE;
    const dated = entry({ bookedOn: '2031-01-01' });
    assert.equal(objection(ended, dated, moment), null, 'a day that is still to come says nothing');
    assert.equal(objection(ended, dated, moment + 1), 'held_late');
    const noGrace = { ...ended, policy: { ...held, graceMinutes: {} } };
    assert.equal(objection(noGrace, entry({ bookedOn: '2030-01-16' }), later), null);
    assert.equal(objection(noGrace, entry({ bookedOn: '2030-01-17' }), later), 'held_late');
    // The 16th begins in Kiribati on the 15th at 10:00 UTC, and nowhere before.
    const expiredAt = (time: string) => ({
      ...noGrace,
      lifecycle: { ...expiredByTime, at: Date.parse(`2030-01-15T${time}Z`) as typeof EXPIRES },
    });
    assert.equal(objection(expiredAt('10:00'), entry({ bookedOn: '2030-01-16' }), later), null);
    assert.equal(objection(expiredAt('09:59'), entry({ bookedOn: '2030-01-16' }), later), 'held_late');
  });

  test('is none where the account takes late money, or the session has not expired', () => {
    const late = entry({ bookedOn: '2030-01-25' });
    assert.equal(objection({ ...ended, policy: { ...held, late: 'accept' } }, late, later), null);
    assert.equal(objection({ ...ended, lifecycle: completed }, late, later), null);
    assert.equal(objection({ ...ended, lifecycle: { state: 'active' } }, late, later), null);
  });
});

suite('an entry', () => {
  test('is settled where all of its money has found its place', () => {
    const part = { checkout: 'chk_c', attempt: 'pat_a', amount: 999, payment: 'p' } as const;
    for (const [name, given, expected] of [
      ['all of it', { parts: [{ ...part, amount: 1000 }] }, true],
      ['not all of it', { parts: [part] }, false],
      ['none of it', {}, false],
      ['money that went out', { direction: 'debit' }, true],
      ['money that came back', { isReversal: true }, true],
      ['a problem', { direction: 'debit', problem: 'unknown_return' }, false],
    ] as const) {
      assert.equal(isSettled({ ...entry(), ...given }), expected, name);
    }
  });
});
