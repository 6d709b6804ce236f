/** Lookups for a bank entry: no more than it may concern. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { BankEntry } from '../../src/banking/entry.ts';
import type { Checkout } from '../../src/checkout/session.ts';
import { lookUp } from '../../src/ingest/lookup.ts';
import { BANK } from '../../src/methods/bank/receiving-account.ts';
import { creditorReference } from '../../src/methods/bank/references.ts';
import { entry, entryOf, paidSession, waitingSession } from '../banking/build.ts';
import { payment } from '../checkout/build.ts';
import { refund, reversal } from '../checkout/build-refunds.ts';

const tenant = { account: 1, mode: 'test' } as const;
const nothing = { owners: new Map(), candidates: [], refund: null, sentBack: null, booked: [] };
type Store = Parameters<typeof lookUp>[0];

/** A store of these sessions and entries, as far as it is read here. */
function storeOf(sessions: readonly Checkout[], entries: readonly BankEntry[] = []): Store {
  const found = async (is: (session: Checkout) => boolean) => sessions.find(is) ?? null;
  const read = {
    checkouts: {
      fetch: (_tenant: unknown, id: string) => found((each) => each.id === id),
      fetchByRefund: (_tenant: unknown, id: string) =>
        found(({ refunds }) => refunds.some((each) => each.id === id)),
      idByReference: async (_tenant: unknown, rail: string, reference: string) => {
        const owner = await found(({ attempts }) =>
          attempts.some((each) => each.rail === rail && each.reference === reference),
        );
        return owner?.id ?? null;
      },
      listAwaiting: async (_tenant: unknown, currency: string, amount: number, limit: number) =>
        sessions
          .filter((each) => each.currency === currency && each.amount === amount)
          .flatMap(({ id, attempts }) => attempts.map((each) => ({ checkout: id, attempt: each.id })))
          .slice(0, limit),
    },
    bankEntries: {
      fetch: async (_tenant: unknown, id: string) => entries.find((each) => each.id === id) ?? null,
    },
  };
  return read as unknown as Store;
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `N${index}`);

suite('money that the shop has sent', () => {
  const id = `rfd_${'0'.repeat(26)}` as const;
  const out = entry({ direction: 'debit', endToEndId: id.replace('_', '') });

  test('concerns the refund that its id names, if that was a transfer', async () => {
    for (const [rail, isFound] of [
      [BANK, true],
      ['stripe', false],
    ] as const) {
      const other = refund(1, { id: `rfd_${'1'.repeat(26)}`, rail: BANK });
      const session = paidSession('one', 1000, { refunds: [other, refund(400, { id, rail })] });
      const facts = await lookUp(storeOf([session]), tenant, out);
      assert.deepEqual(facts.refund, isFound ? { checkout: 'chk_one', id } : null, rail);
    }
    assert.deepEqual(await lookUp(storeOf([]), tenant, out), nothing);
  });

  test('concerns the entry whose money goes back', async () => {
    const ntc = `ntc_${'0'.repeat(26)}` as const;
    const back = entry({ direction: 'debit', endToEndId: ntc.replace('_', '') });
    const sentBack = { amount: 700, state: 'pending', reason: '', file: '' } as const;
    const sent = entryOf(ntc, { ...entry(), sentBack });
    const find = async (known: BankEntry) => (await lookUp(storeOf([], [known]), tenant, back)).sentBack;
    assert.equal(await find(sent), sent.reference);
    assert.equal(await find(entryOf(ntc, entry())), null, 'whose money does not go back');
    assert.equal(await find({ ...sent, id: 'ntc_other' }), null);
  });

  test('concerns the sessions whose references it names, and nobody who only waits for as much', async () => {
    const one = waitingSession('ONE', 1000);
    const store = storeOf([one, waitingSession('TWO', 1000)]);
    const facts = await lookUp(store, tenant, entry({ direction: 'debit', remittance: 'fee' }));
    assert.deepEqual(facts, nothing);
    const returned = { reasonCode: 'AC04', reasonText: '', originalEndToEndId: '' };
    const named = entry({ direction: 'debit', returned, creditorReference: creditorReference('ONE') });
    const found = await lookUp(store, tenant, named);
    assert.deepEqual(found, { ...nothing, owners: new Map([[creditorReference('ONE'), one.id]]) });
  });
});

suite('money that came in', () => {
  test('concerns the sessions whose references it names', async () => {
    const [one, two] = [waitingSession('ONE', 1000), waitingSession('TWO', 1000)];
    const remittance = `${creditorReference('TWO')} and ${creditorReference('ONE')} and RF18539007547034`;
    const facts = await lookUp(storeOf([one, two]), tenant, entry({ remittance }));
    assert.deepEqual([...facts.owners.values()], [two.id, one.id]);
    assert.deepEqual(facts.candidates, []);
  });

  test('of at most twenty references: nobody names more in earnest', async () => {
    const all = names(21);
    const store = storeOf(all.map((name) => waitingSession(name, 1000)));
    const found = async (count: number) => {
      const remittance = all.slice(0, count).map(creditorReference).join(' ');
      return (await lookUp(store, tenant, entry({ remittance }))).owners.size;
    };
    assert.deepEqual([await found(19), await found(20), await found(21)], [19, 20, 20]);
  });

  test('is held against what was booked of the same amount for those sessions', async () => {
    const brought = (name: string, amount: number, rail: string = BANK) =>
      payment(amount, { rail, reference: name, attempt: 'pat_ONE' });
    const session = paidSession('ONE', 5000, {
      payments: [
        brought('ntc_a', 1000),
        brought('ntc_b.2', 1000),
        brought('ntc_c', 999),
        brought('ntc_d', 1000, 'sandbox'),
        brought('ntc_lost', 1000),
      ],
    });
    const entries = ['a', 'b', 'c', 'd'].map((name) => entryOf(`ntc_${name}`, entry({ remittance: name })));
    const said = entry({ creditorReference: creditorReference('ONE') });
    const { booked } = await lookUp(storeOf([session], entries), tenant, said);
    assert.deepEqual(booked, ['key of ntc_a', 'key of ntc_b']);
  });

  test('and money that went out against what was taken back of the same amount', async () => {
    const reversed = (name: string, amount: number) =>
      reversal(amount, { rail: BANK, reference: name, kind: 'return' });
    const session = paidSession('ONE', 5000, {
      reversals: [reversed('ntc_a', 1000), reversed('ntc_b', 999)],
    });
    const entries = (['ntc_a', 'ntc_b', 'ntc_ONE'] as const).map((id) => entryOf(id, entry()));
    const creditor = creditorReference('ONE');
    const said = entry({ direction: 'debit', isReversal: true, creditorReference: creditor });
    const { booked, candidates } = await lookUp(storeOf([session], entries), tenant, said);
    assert.deepEqual([booked, candidates], [['key of ntc_a'], []]);
  });

  test('against the newest ten of them', async () => {
    const all = Array.from({ length: 11 }, (_, index) => `ntc_${index}` as const);
    const session = paidSession('ONE', 50_000, {
      payments: all.map((name) => payment(1000, { rail: BANK, reference: name, attempt: 'pat_ONE' })),
    });
    const entries = all.map((name) => entryOf(name, entry({ remittance: name })));
    const said = entry({ creditorReference: creditorReference('ONE') });
    const { booked } = await lookUp(storeOf([session], entries), tenant, said);
    assert.deepEqual(
      booked,
      all.slice(1).map((name) => `key of ${name}`),
    );
  });

  test('and names nobody concerns those who wait for just as much, each once', async () => {
    const waiting = waitingSession('ONE', 1000);
    const twice = { ...waiting, attempts: [...waiting.attempts, ...waiting.attempts] };
    const others = [waitingSession('TWO', 999), waitingSession('THREE', 1000, { currency: 'CHF' })];
    const facts = await lookUp(storeOf([twice, ...others]), tenant, entry());
    assert.deepEqual(facts, { ...nothing, candidates: [twice.id] });
  });

  test('at most twenty of them: nobody could tell more apart', async () => {
    const sessions = names(21).map((name) => waitingSession(name, 1000));
    const { candidates } = await lookUp(storeOf(sessions), tenant, entry());
    assert.deepEqual(
      candidates,
      sessions.slice(0, 20).map(({ id }) => id),
    );
  });
});
