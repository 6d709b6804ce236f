/** Bank entries: when each is matched again, and when it waits for a person or the bank instead. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { defaultSettings } from '../../src/accounts/settings.ts';
import { type BankEntry, type EntryId, unassigned } from '../../src/banking/entry.ts';
import { isRefusal } from '../../src/checkout/refusals.ts';
import { createSerializer } from '../../src/checkout/serializer.ts';
import { creditorReference } from '../../src/methods/bank/references.ts';
import { type EntryAction, ownOrigin } from '../../src/writer/command.ts';
import { decideOnBankEntry } from '../../src/writer/handlers/bank-entry.ts';
import { entry, entryOf, PAYER } from '../banking/build.ts';
import { NOW } from '../checkout/build.ts';
import { nothing } from './loaded.ts';

const ID: EntryId = 'ntc_1';
const MINUTE = 60_000;
const lookup = { owners: new Map(), candidates: [], refund: null, sentBack: null, booked: [] };
const context = { serializer: createSerializer('https://pay.example.com'), settings: defaultSettings };

/** The result for this entry, or for a new one, without any session that it could concern. */
function decided(
  action: EntryAction,
  known: BankEntry | null,
  now = known?.dueAt ?? NOW,
  other: BankEntry | null = null,
) {
  const entries = [known, other].flatMap((each) => (each ? [[each.reference, each] as const] : []));
  const loaded = { ...nothing, bankEntries: new Map(entries) };
  const origin = ownOrigin({ account: 1, mode: 'live' }, 'time');
  const reference = known?.reference ?? 'key';
  const decision = decideOnBankEntry({ origin, now, id: ID, reference, action }, loaded, context);
  assert.ok(!isRefusal(decision), JSON.stringify(decision));
  return decision;
}

/** The state, minutes until the next match, and the tries so far. */
function standing({ state, dueAt, tries }: BankEntry, now = NOW) {
  return [state, dueAt === null ? null : (dueAt - now) / MINUTE, tries];
}

const payer = { name: 'Ada', account: PAYER, bic: '' };
const unknown = entry({ creditorReference: creditorReference('nobody'), counterparty: payer });
const open = entryOf(ID, unknown, { state: 'open' });

suite('an entry that names an unknown reference', () => {
  test('is matched again after ever longer times, and then waits for a person', () => {
    let { value } = decided({ type: 'ingest', entry: unknown, lookup }, null);
    const seen = [standing(value)];
    while (value.dueAt !== null && seen.length < 10) {
      const now = value.dueAt;
      value = decided({ type: 'retry', lookup }, value).value;
      seen.push(standing(value, now));
    }
    assert.deepEqual(seen, [
      ['waiting', 10, 0],
      ['waiting', 60, 1],
      ['waiting', 360, 2],
      ['waiting', 1440, 3],
      ['open', null, 4],
    ]);
    assert.equal(value.problem, 'unknown_reference');
  });

  test('is not matched again where somebody was faster', () => {
    assert.deepEqual(decided({ type: 'retry', lookup }, open), { value: open, writes: [] });
    // Another process found it due at the same time: that is one try.
    const { value } = decided({ type: 'ingest', entry: unknown, lookup }, null);
    const due = value.dueAt ?? 0;
    const tried = decided({ type: 'retry', lookup }, value, due).value;
    assert.deepEqual(decided({ type: 'retry', lookup }, tried, due), { value: tried, writes: [] });
  });
});

suite('an entry waits for no time', () => {
  const file = 'bfl_2' as const;
  const sentBack = { amount: unassigned(open), state: 'pending', reason: '', file: '' } as const;
  const rows: readonly [name: string, action: EntryAction, known: BankEntry | null, state: string][] = [
    ['that names nothing', { type: 'ingest', entry: entry(), lookup }, null, 'open'],
    ['that a person ignores', { type: 'ignore', reason: 'mine' }, open, 'ignored'],
    ['that is open again', { type: 'reopen', reason: '' }, { ...open, state: 'ignored' }, 'open'],
    ['whose money goes back', { type: 'send_back', reason: 'unknown' }, open, 'waiting'],
    [
      'whose money did not go back',
      { type: 'reopen', reason: '' },
      { ...open, state: 'waiting', sentBack },
      'open',
    ],
    ['whose parts came by themselves', { type: 'take_apart', entry: unknown, file }, open, 'done'],
  ];
  for (const [name, action, known, state] of rows) {
    test(name, () => {
      const { value, writes } = decided(action, known);
      assert.deepEqual(standing(value), [state, null, 0]);
      assert.deepEqual(writes[0]?.bankEntry, value);
      assert.deepEqual([writes[0]?.audit?.subject, writes[0]?.audit?.action], [ID, action.type]);
    });
  }
});

test('an entry that takes back the money of another one settles that', () => {
  const sentBack = { amount: unassigned(open), state: 'pending', reason: '', file: 'bfl_1' } as const;
  const other = entryOf('ntc_2', unknown, { state: 'waiting', sentBack });
  const out = entry({ direction: 'debit', amount: sentBack.amount, counterparty: payer });
  const action = { type: 'ingest', entry: out, lookup: { ...lookup, sentBack: other.reference } } as const;
  const { value, writes } = decided(action, null, NOW, other);
  assert.equal(value.state, 'done');
  assert.deepEqual(
    writes.map(({ bankEntry, audit }) => [bankEntry?.id, bankEntry?.sentBack?.state, audit?.action]),
    [
      [ID, undefined, 'ingest'],
      ['ntc_2', 'succeeded', 'sent_back'],
    ],
  );
});
