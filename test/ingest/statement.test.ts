/** Files on their way into a database: whose account they are about, and what counts as new. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { suite, type TestContext, test } from 'node:test';
import { createAccount } from '../../src/accounts/account.ts';
import { defaultSettings } from '../../src/accounts/settings.ts';
import { createSerializer } from '../../src/checkout/serializer.ts';
import { previewStatement } from '../../src/ingest/preview.ts';
import { ingestStatement } from '../../src/ingest/statement.ts';
import type { ReceivingAccount } from '../../src/methods/bank/receiving-account.ts';
import { readStatement } from '../../src/statements/read.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { createWriter, type Execute } from '../../src/writer/writer.ts';
import { bankReference, camt, eur, IBAN, receiving } from '../api/bank.ts';
import { NOW } from '../checkout/build.ts';
import { configureAccount } from '../support/configure.ts';
import { freshDirectory } from '../support/process.ts';

const QR_IBAN = 'CH4431999123000889012';
const accounts = [
  eur,
  receiving({ id: 'usd', currency: 'USD', account_number: '12-345.6', bank_code: '021000021' }),
  receiving({ id: 'usd-iban', currency: 'USD', iban: 'DE89370400440532013000' }),
  receiving({
    id: 'chf',
    currency: 'CHF',
    iban: 'CH9300762011623852957',
    qr_iban: QR_IBAN,
    holder: { name: 'Test Shop', postal_code: '8000', city: 'Zürich', country: 'CH' },
  }),
];

async function setUp(t: TestContext) {
  const store = openSqliteStore(join(freshDirectory(t), 'test.db'));
  t.after(() => store.close());
  const { number } = await createAccount(store, 'shop', NOW);
  const tenant = { account: number, mode: 'test' } as const;
  await configureAccount(store, tenant, { ...defaultSettings, receivingAccounts: accounts });
  const serializer = createSerializer('https://pay.example');
  const execute = createWriter({ store, serializer, realNow: () => NOW });
  const origin = { tenant, actor: 'ak_test_1', requestId: 'req_1', idempotency: null };
  const opened: string[] = [];
  async function ingest(content: string, run: Execute = execute) {
    const source = {
      name: 'january.xml',
      hash: createHash('sha256').update(content).digest('hex'),
      read() {
        opened.push(content);
        return readStatement(Readable.from([Buffer.from(content)]));
      },
    };
    const { result } = await ingestStatement({ store, execute: run }, origin, source, NOW);
    assert.ok(result.kind === 'change' || result.kind === 'unchanged');
    const { id, data } = result.value;
    return { id, kind: result.kind, data, counts: [data.entries, data.new, data.settled, data.open] };
  }
  /** The entries that are there, oldest first. */
  async function entries() {
    const { rows } = await store.bankEntries.list(tenant, {}, { limit: 200 });
    return rows.toReversed();
  }
  const receive = (receivingAccounts: readonly ReceivingAccount[]) =>
    configureAccount(store, tenant, { ...defaultSettings, receivingAccounts });
  return { store, tenant, opened, ingest, entries, execute, receive };
}

suite('a statement', () => {
  const mt940 = (account: string, currency = 'EUR') =>
    [
      ':20:X',
      `:25:${account}`,
      ':28C:31/1',
      `:60F:C300130${currency}0,00`,
      `:61:300131C1,00NTRFNONREF//${bankReference()}`,
      `:62F:C300131${currency}1,00`,
      '-\n',
    ].join('\n');

  test('is of the receiving account that it names, in its currency, however that is written', async (t) => {
    const { ingest, entries } = await setUp(t);
    const rows = [
      [IBAN, 'EUR', 'eur'],
      ['12030000/202051', 'EUR', 'eur'],
      ['12030000/0000202051', 'EUR', 'eur'],
      ['123456', 'USD', 'usd'],
      ['12 345-6', 'USD', 'usd'],
      ['021000021/0123456', 'USD', 'usd'],
      ['DE89370400440532013000', 'USD', 'usd-iban'],
      ['37040044/532013000', 'USD', 'usd-iban'],
      ['CH9300762011623852957', 'CHF', 'chf'],
      [QR_IBAN, 'CHF', 'chf'],
    ] as const;
    for (const [account, currency] of rows) await ingest(mt940(account, currency));
    assert.deepEqual(
      (await entries()).map(({ account, currency }) => [account, currency]).sort(),
      rows.map(([, currency, id]) => [id, currency]).sort(),
    );
  });

  test('of another account, or in another currency, is refused, and nothing of its file is kept', async (t) => {
    const { ingest, entries } = await setUp(t);
    for (const [account, currency] of [
      ['DE89370400440532013000', 'EUR'],
      [IBAN, 'USD'],
      ['12030000/20205', 'EUR'],
      ['12030001/202051', 'EUR'],
      ['12030000/202051/1', 'EUR'],
      ['12030000/', 'EUR'],
      ['12030000/000', 'EUR'],
      ['/202051', 'EUR'],
      ['/120300000000202051', 'EUR'],
      ['021000021/0123457', 'USD'],
      ['021000022/123456', 'USD'],
    ] as const) {
      await assert.rejects(
        ingest(mt940(IBAN) + mt940(account, currency)),
        { name: 'StatementError', message: /which is not a receiving account$/ },
        `${account} ${currency}`,
      );
    }
    assert.deepEqual(await entries(), []);
  });

  test('is known again under whatever name its account has', async (t) => {
    const { ingest } = await setUp(t);
    const named = mt940(IBAN);
    assert.deepEqual((await ingest(named)).counts, [1, 1, 0, 1]);
    assert.deepEqual((await ingest(named.replace(IBAN, '12030000/202051'))).counts, [1, 0, 0, 0]);
  });
});

suite('a receiving account that becomes known by another number', () => {
  const number = { id: 'eur', currency: 'EUR', account_number: '202051', bank_code: '12030000' };
  const withIban = { id: 'eur', currency: 'EUR', iban: IBAN };

  test('has no entry twice, with or without references of the bank', async (t) => {
    const { ingest, receive } = await setUp(t);
    const entries = [{ amount: 17 }, { amount: 18, bankReference: '' }].map((each) => ({
      bankReference: bankReference(),
      ...each,
    }));
    for (const [given, account, counts] of [
      [number, '202051', [2, 2, 0, 2]],
      [{ ...number, iban: IBAN }, IBAN, [2, 0, 0, 0]],
      [withIban, IBAN, [2, 0, 0, 0]],
      [number, '202051', [2, 0, 0, 0]],
    ] as const) {
      await receive([receiving(given)]);
      assert.deepEqual((await ingest(camt(entries, { account }))).counts, counts, JSON.stringify(given));
    }
  });
});

suite('a file', () => {
  test('tells how many entries are new, and how many of those wait for a person', async (t) => {
    const { ingest, entries } = await setUp(t);
    const content = camt([{ amount: 17 }, { amount: 5, direction: 'debit' }, { amount: 0 }], { id: 'S-1' });
    const file = await ingest(content);
    assert.deepEqual(file.counts, [3, 3, 2, 1]);
    assert.deepEqual([file.kind, file.data.name, file.data.statements], ['change', 'january.xml', ['S-1']]);
    assert.deepEqual(
      (await entries()).map(({ statement }) => statement),
      [file.id, file.id, file.id],
    );
    assert.deepEqual(await ingest(content), { ...file, kind: 'unchanged' });
  });

  test('brings of what overlaps only what is new, and of equal entries as many as there are', async (t) => {
    const { ingest } = await setUp(t);
    const [one, two, three] = [1, 2, 3].map((amount) => ({ amount, bankReference: bankReference() }));
    assert.ok(one && two && three);
    assert.deepEqual((await ingest(camt([one, two]))).counts, [2, 2, 0, 2]);
    assert.deepEqual((await ingest(camt([two, three, three]))).counts, [3, 2, 0, 2]);
    assert.deepEqual((await ingest(camt([three, three, one]))).counts, [3, 0, 0, 0]);
  });

  test('is not read again once it is known', async (t) => {
    const { ingest, opened } = await setUp(t);
    const content = camt([{ amount: 17 }]);
    await ingest(content);
    const { length } = opened;
    await ingest(content);
    assert.equal(opened.length, length);
  });

  test('is not read on once an entry could not be stored', async (t) => {
    const { ingest, entries, execute } = await setUp(t);
    let tried = 0;
    const failing: Execute = (command, serialize) => {
      if (command.subject !== 'bank_entry') return execute(command, serialize);
      tried += 1;
      throw new Error('the disk is full');
    };
    const content = camt(Array.from({ length: 100 }, (_, index) => ({ amount: index + 1 })));
    await assert.rejects(ingest(content, failing), /^Error: the disk is full$/);
    assert.ok(tried < 100, `${tried} were tried`);
    assert.deepEqual(await entries(), []);
  });

  test('has its turn behind the one before, whose entries it could not see otherwise', async (t) => {
    const { ingest, opened } = await setUp(t);
    const [one, other, third] = [17, 18, 19].map((amount) => camt([{ amount }]));
    const both = Promise.all([ingest(one ?? ''), ingest(other ?? '')]);
    await ingest(third ?? '');
    await both;
    assert.deepEqual(opened, [one, one, other, other, third, third]);
  });

  test('of two statements with the same entry has it once', async (t) => {
    const { ingest } = await setUp(t);
    const entry = { amount: 17, bankReference: bankReference() };
    const [first, second] = ['S-1', 'S-2'].map((id) => camt([entry], { id }));
    const content = first?.replace('</BkToCstmrStmt>', `${/<Stmt>.*<\/Stmt>/s.exec(second ?? '')}$&`);
    assert.deepEqual((await ingest(content ?? '')).counts, [2, 1, 0, 1]);
  });

  test('that comes twice at once is one', async (t) => {
    const { ingest, entries } = await setUp(t);
    const content = camt([{ amount: 17 }, { amount: 18 }]);
    const [first, second] = await Promise.all([ingest(content), ingest(content)]);
    assert.equal(first?.id, second?.id);
    assert.deepEqual([first?.kind, second?.kind, (await entries()).length], ['change', 'unchanged', 2]);
  });

  test('names its first hundred statements', async (t) => {
    const { ingest } = await setUp(t);
    const all = Array.from({ length: 101 }, (_, index) =>
      [':20:X', `:25:${IBAN}`, `:28C:${index}/1`, ':60F:C300130EUR0,00', ':62F:C300131EUR0,00'].join('\n'),
    );
    const { statements } = (await ingest(`${all.join('\n')}\n`)).data;
    assert.deepEqual(
      statements,
      Array.from({ length: 100 }, (_, index) => `${index}/1`),
    );
  });
});

suite('a booking of several transactions', () => {
  const booking = (reference: string, text = '') => ({
    inParts: {
      amount: 3300,
      bankReference: reference,
      parts: [
        { amount: 1100, text: `one ${text}` },
        { amount: 2200, text: `two ${text}` },
      ],
    },
    inSum: { amount: 3300, bankReference: reference, parts: [] },
  });

  test('is its parts, and its sum is done with them', async (t) => {
    const { ingest, entries } = await setUp(t);
    const { inParts, inSum } = booking(bankReference());
    const file = await ingest(camt([inParts]));
    assert.deepEqual(file.counts, [2, 2, 0, 2]);
    const all = (await entries()).map(({ amount, state, takenApartBy }) => [amount, state, takenApartBy]);
    assert.deepEqual(
      all.sort(([one], [other]) => Number(one) - Number(other)),
      [
        [1100, 'open', ''],
        [2200, 'open', ''],
        [3300, 'done', file.id],
      ],
    );
    assert.deepEqual((await ingest(camt([inSum]))).counts, [1, 0, 0, 0]);
  });

  test('is known in whatever words another file tells of its parts', async (t) => {
    const { ingest } = await setUp(t);
    const reference = bankReference();
    await ingest(camt([booking(reference).inParts]));
    assert.deepEqual((await ingest(camt([booking(reference, 'again').inParts]))).counts, [2, 0, 0, 0]);
    assert.deepEqual((await ingest(camt([booking(bankReference()).inParts]))).counts, [2, 2, 0, 2]);
  });

  test('takes the place of its sum, of which nothing was made', async (t) => {
    const { ingest, entries } = await setUp(t);
    const { inParts, inSum } = booking(bankReference());
    assert.deepEqual((await ingest(camt([inSum]))).counts, [1, 1, 0, 1]);
    const file = await ingest(camt([inParts]));
    assert.deepEqual(file.counts, [2, 2, 0, 2]);
    const sum = (await entries()).find(({ amount }) => amount === 3300);
    assert.deepEqual([sum?.state, sum?.takenApartBy], ['done', file.id]);
  });
});

suite('a booking of thousands of parts', () => {
  const PARTS = 3000;
  const parts = Array.from({ length: PARTS }, (_, place) => ({ amount: 1, name: `P${place}` }));
  const content = camt([{ amount: PARTS, bankReference: bankReference(), parts }]);

  /** Counts the turns of the event loop until it is told to stop. */
  function countTurns() {
    let turns = 0;
    let next = setImmediate(function turn() {
      turns += 1;
      next = setImmediate(turn);
    });
    return { turns: () => turns, stop: () => clearImmediate(next) };
  }

  test('lets others go in between, from its first part on', async (t) => {
    const { ingest, execute } = await setUp(t);
    const { turns, stop } = countTurns();
    t.after(stop);
    const turnsAt: number[] = [];
    const counting: Execute = (command, serialize) => {
      if (turnsAt.length < 2) turnsAt.push(turns());
      return execute(command, serialize);
    };
    assert.deepEqual((await ingest(content, counting)).counts.slice(0, 2), [PARTS, PARTS]);
    const [reserved = 0, first = 0] = turnsAt;
    assert.ok(first - reserved >= PARTS / 100, `${first - reserved} turns`);
  });

  test('is foreseen in as many turns as it has parts that are matched', async (t) => {
    const { store, tenant } = await setUp(t);
    const { turns, stop } = countTurns();
    t.after(stop);
    const source = {
      format: async () => 'camt' as const,
      read: () => readStatement(Readable.from([Buffer.from(content)])),
    };
    const { counts } = await previewStatement(store, tenant, source, NOW);
    assert.deepEqual(counts, {
      entries: PARTS,
      known: 0,
      settled: 0,
      open: 1000,
      unmatched: PARTS - 1000,
      faults: 0,
    });
    assert.ok(turns() >= 1000, `${turns()} turns`);
  });
});
