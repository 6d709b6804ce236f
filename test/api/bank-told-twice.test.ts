/** The same transfer from two files, such as a statement and an export: booked once, and told apart from two transfers. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { defaultPolicy } from '../../src/checkout/session.ts';
import { mappingOf } from '../statements/support.ts';
import { startService } from '../support/service.ts';
import {
  awaitTransfer,
  configure,
  entered,
  entries,
  eur,
  IBAN,
  imported,
  type Line,
  PAYER_IBAN,
  upload,
} from './bank.ts';
import { type Data, eventTypes, fetchSession, succeeded } from './shop.ts';

const service = await startService({ after });
const { call } = service;

/** The export of a bank's web pages, without references of its own. */
const mapping = mappingOf({
  delimiter: ',',
  date_format: 'YYYY-MM-DD',
  decimal: '.',
  amount: { signed: 'Amount' },
  currency: { fixed: 'EUR' },
  account: { fixed: IBAN },
  booked_on: 'Date',
  counterparty_name: 'Name',
  counterparty_account: 'IBAN',
  remittance: ['Text'],
});
before(() =>
  configure(service, {
    receivingAccounts: [eur],
    csvMappings: { 'my-bank': mapping },
    policy: { ...defaultPolicy, excess: 'refund' },
  }),
);

type Row = { readonly text: string; readonly day?: string; readonly iban?: string; readonly amount?: string };
const exported = async (...rows: Row[]): Promise<Data> => {
  const lines = rows.map(
    ({ text, day = '2030-01-31', iban = PAYER_IBAN, amount = '25.00' }) =>
      `${day},${amount},Ada,${iban},${text}`,
  );
  // Each export is another file.
  const content = `Date,Amount,Name,IBAN,Text\n${lines.join('\n')}\n${'\n'.repeat(++exports)}`;
  succeeded(await upload(service, content, { query: '?mapping=my-bank' }));
  return (await entries(service))[0] as Data;
};
let exports = 0;
const payinOf = async (id: string): Promise<Data> => (await call('GET', `/v3/payin/${id}`)).json.data;
const assign = async (entry: string, payin: string) =>
  succeeded(await call('POST', `/v3/bank_entry/${entry}/assign`, { body: { parts: [{ payin }] } }));

suite('a transfer that is told of', () => {
  test('by a statement and then by an export is booked once, and a person looks', async () => {
    const { id, reference } = await awaitTransfer(service);
    assert.equal((await entered(service, { amount: 2500, reference })).status, 'done');
    const second = await exported({ text: reference });
    assert.deepEqual([second.status, second.problem, second.parts], ['open', 'maybe_known', []]);
    assert.deepEqual(second.suggestions, [{ payin: id, score: 100 }]);
    assert.equal((await fetchSession(service, id)).amount_paid, 2500);
    assert.deepEqual((await payinOf(id)).refunds, [], 'nothing goes back that came once');
    assert.equal((await eventTypes(service, id)).includes('refund.pending'), false);

    // The payer has paid twice indeed.
    assert.equal((await assign(second.id, id)).status, 'done');
    const { amount_paid, refunds } = await payinOf(id);
    assert.equal(amount_paid, 5000);
    assert.deepEqual(
      refunds.map(({ amount, status }: Data) => [amount, status]),
      [[2500, 'pending']],
    );
  });

  test('by a statement whose bank has nothing but a dash for a reference is booked once', async () => {
    const { id, reference } = await awaitTransfer(service);
    await entered(service, { amount: 2500, reference });
    assert.equal(
      (await entered(service, { amount: 2500, reference, bankReference: '-' })).problem,
      'maybe_known',
    );
    assert.equal((await fetchSession(service, id)).amount_paid, 2500);
  });

  test('by an export and then by a statement is booked once', async () => {
    const { id, reference } = await awaitTransfer(service);
    assert.equal((await exported({ text: reference })).status, 'done');
    const second = await entered(service, { amount: 2500, reference });
    assert.deepEqual([second.status, second.problem], ['open', 'maybe_known']);
    assert.equal((await fetchSession(service, id)).amount_paid, 2500);
  });

  test('by an export that does not know the payer’s account is booked once', async () => {
    const { id, reference } = await awaitTransfer(service);
    await entered(service, { amount: 2500, reference });
    assert.equal((await exported({ text: reference, iban: '' })).problem, 'maybe_known');
    assert.equal((await fetchSession(service, id)).amount_paid, 2500);
  });

  test('for several orders, each of which it has paid, is booked once', async () => {
    const [one, other] = [await awaitTransfer(service), await awaitTransfer(service)];
    const text = `${one.reference} ${other.reference}`;
    assert.equal((await entered(service, { amount: 5000, text })).status, 'done');
    const second = await exported({ text, amount: '50.00' });
    assert.deepEqual([second.status, second.parts], ['open', []]);
    for (const { id } of [one, other]) assert.equal((await fetchSession(service, id)).amount_paid, 2500);
  });

  test('and was assigned by a person is booked once', async () => {
    const { id, reference } = await awaitTransfer(service);
    const stray = await entered(service, { amount: 2500, name: 'Nobody' });
    await assign(stray.id, id);
    assert.equal((await exported({ text: reference })).problem, 'maybe_known');
    assert.equal((await fetchSession(service, id)).amount_paid, 2500);
  });
});

suite('a transfer that is taken back', () => {
  test('is taken back once, also where its account was set up anew under another name', async () => {
    const { id, reference } = await awaitTransfer(service);
    await imported(service, [
      { amount: 1250, reference },
      { amount: 1250, reference },
    ]);
    const recall: Line = {
      ...{ amount: 1250, direction: 'debit', reference, isReversal: true },
      bankReference: '2030013199990001',
    };
    assert.equal((await entered(service, recall)).concerns, id);
    const csvMappings = { 'my-bank': mapping };
    const policy = { ...defaultPolicy, excess: 'refund' } as const;
    await configure(service, { receivingAccounts: [{ ...eur, id: 'main' }], csvMappings, policy });
    try {
      const again = await entered(service, recall);
      assert.deepEqual([again.status, again.problem], ['open', 'maybe_known']);
      assert.deepEqual(again.suggestions, [{ payin: id, score: 100 }]);
      const { reversals } = await payinOf(id);
      assert.equal(reversals.length, 1);
    } finally {
      await configure(service, { receivingAccounts: [eur], csvMappings, policy });
    }
  });
});

suite('two transfers', () => {
  const booked = async (first: Line, second: Line | Row) => {
    const { id, reference } = await awaitTransfer(service);
    await imported(service, [{ ...first, reference }]);
    const entry =
      'text' in second
        ? await exported({ ...second, text: reference } as Row)
        : await entered(service, { ...(second as Line), reference });
    assert.deepEqual([entry.status, entry.problem], ['done', '']);
    assert.equal((await fetchSession(service, id)).amount_paid, first.amount + entry.amount);
  };

  test('of one day are both booked, for the bank has a reference of each', () =>
    booked({ amount: 2500 }, { amount: 2500 }));

  test('of one file are both booked, whatever the bank calls them', async () => {
    const { id, reference } = await awaitTransfer(service);
    await exported({ text: reference }, { text: reference });
    assert.equal((await fetchSession(service, id)).amount_paid, 5000);
  });

  test('that are equal in all that an export says are both booked, when the next export has the second', async () => {
    const { id, reference } = await awaitTransfer(service);
    await exported({ text: reference });
    await exported({ text: reference }, { text: reference });
    assert.equal((await fetchSession(service, id)).amount_paid, 5000);
  });

  test('of two days, payers or amounts are both booked', async () => {
    await booked({ amount: 2500 }, { text: '', day: '2030-02-01' });
    await booked({ amount: 2500 }, { text: '', iban: IBAN });
    await booked({ amount: 2500 }, { text: '', amount: '24.99' });
  });
});
