/** Files with statements: each entry counts once, whatever comes twice, and a file with a mistake leaves nothing. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, suite, test } from 'node:test';
import { createSerializer } from '../../src/checkout/serializer.ts';
import { ingestStatement } from '../../src/ingest/statement.ts';
import { readStatement } from '../../src/statements/read.ts';
import { createWriter, type Execute } from '../../src/writer/writer.ts';
import { mappingOf } from '../statements/support.ts';
import { startService } from '../support/service.ts';
import { awaitTransfer, bankReference, camt, configure, entries, IBAN, type Line, upload } from './bank.ts';
import { assertRefused, fetchSession, succeeded, writesNothing } from './shop.ts';

const service = await startService({ after });
const { call } = service;
const csv = mappingOf({
  delimiter: ',',
  date_format: 'YYYY-MM-DD',
  decimal: '.',
  amount: { signed: 'Amount' },
  currency: { column: 'Currency' },
  account: { fixed: IBAN },
  booked_on: 'Date',
  counterparty_name: 'Name',
  remittance: ['Text'],
});
await configure(service, { csvMappings: { 'my-bank': csv } });

const bad = (answer: Parameters<typeof assertRefused>[0], text: RegExp) => {
  assertRefused(answer, { status: 400, message: 'BANK_STATEMENT.IMPORT.BAD_STATEMENT', errors: [[15520]] });
  assert.match(answer.json.errors[0].message, text);
};
const paid = async (id: string) => (await fetchSession(service, id)).amount_paid;
const counts = ({ entries, new: fresh, settled, open }: Record<string, unknown>) => [
  entries,
  fresh,
  settled,
  open,
];

suite('formats', () => {
  test('camt.053 and what is kept of it', async () => {
    const { id, reference } = await awaitTransfer(service);
    const lines = [{ amount: 2500, reference }, { amount: 17 }, { amount: 5, direction: 'debit' as const }];
    const content = camt(lines, { id: 'S-2030-31' });
    const file = succeeded(await upload(service, content, { query: '?name=january.xml' }));
    assert.deepEqual(counts(file), [3, 3, 2, 1]);
    assert.deepEqual(
      [file.object, file.name, file.statements],
      ['bank_statement', 'january.xml', ['S-2030-31']],
    );
    assert.equal(await paid(id), 2500);
    assert.deepEqual(succeeded(await call('GET', `/v3/bank_statement/${file.id}`)), file);
    assert.deepEqual((await call('GET', '/v3/bank_statement?limit=1')).json.data, [file]);
    const [newest] = await entries(service);
    assert.equal(newest.statement, file.id);
  });

  test('MT940', async () => {
    const { id, reference } = await awaitTransfer(service);
    const lines = [':20:X', `:25:${IBAN}`, ':28C:31/1', ':60F:C300130EUR0,00'];
    lines.push(':61:3001310131C25,00NTRFNONREF//2030013199', `:86:${reference}`, ':62F:C300131EUR25,00', '-');
    const file = succeeded(
      await upload(service, lines.join('\r\n'), { headers: { 'content-type': 'mt940' } }),
    );
    assert.deepEqual(counts(file), [1, 1, 1, 0]);
    assert.equal(await paid(id), 2500);
  });

  test('MT940 that names the account by the code of the bank and a number', async () => {
    const statement = (account: string) =>
      [':20:X', `:25:${account}`, ':28C:31/1', ':60F:C300130EUR0,00', ':62F:C300131EUR0,00', '-'].join(
        '\r\n',
      );
    const send = (account: string) =>
      upload(service, statement(account), { headers: { 'content-type': 'mt940' } });
    // The IBAN ends in both, the number with zeros before it.
    for (const account of ['12030000/202051', '12030000/0000202051', '120 300 00/202 051']) {
      assert.equal((await send(account)).status, 200, account);
    }
    for (const account of ['12030000/20205', '12030000/2020510', '12030001/202051', '/202051']) {
      bad(await send(account), /is not a receiving account/);
    }
    for (const account of ['12030000/', '12030000', '202051', '1203/0000/202051', '12030000/202051/']) {
      bad(await send(account), /is not a receiving account/);
    }
  });

  test('a file of many statements, which names the first hundred of them', async () => {
    const statement = (number: number) =>
      [':20:X', `:25:${IBAN}`, `:28C:${number}/1`, ':60F:C300130EUR0,00', ':62F:C300131EUR0,00', '-'].join(
        '\n',
      );
    const all = Array.from({ length: 101 }, (_, index) => statement(index + 1)).join('\n');
    const { statements, entries } = succeeded(await upload(service, all));
    assert.deepEqual(
      [statements.length, statements[0], statements.at(-1), entries],
      [100, '1/1', '100/1', 0],
    );
  });

  test('CSV with a saved mapping, and not without', async () => {
    const { id, reference } = await awaitTransfer(service);
    const content = `Date,Amount,Currency,Text,Name\n2030-01-31,25.00,EUR,${reference},Ada\n`;
    bad(await writesNothing(service, () => upload(service, content)), /needs a mapping/);
    const unknown = await writesNothing(service, () =>
      upload(service, content, { query: '?mapping=toString' }),
    );
    const refused = { status: 400, message: 'BANK_STATEMENT.IMPORT.BAD_QUERY' };
    assertRefused(unknown, { ...refused, errors: [[104, '/mapping']] });
    const answer = await upload(service, content, { query: '?mapping=my-bank' });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(await paid(id), 2500);
  });
});

suite('what comes twice', () => {
  test('the same file', async () => {
    const { id, reference } = await awaitTransfer(service);
    const content = camt([{ amount: 1000, reference }]);
    const first = succeeded(await upload(service, content));
    const again = await writesNothing(service, () => upload(service, content, { query: '?name=other' }));
    assert.deepEqual(succeeded(again), first);
    assert.equal(await paid(id), 1000);
  });

  test('the same entries in another file, or in a notification before', async () => {
    const { id, reference } = await awaitTransfer(service);
    const line: Line = { amount: 1000, reference, bankReference: bankReference() };
    const bare: Line = { amount: 500, reference, bankReference: '' };
    await upload(service, camt([line, bare], { kind: '054' }));
    // The statement of the day says less than the notification, and has one more.
    const { reference: _, ...terse } = line;
    const file = succeeded(await upload(service, camt([terse, bare, bare], { kind: '053' })));
    assert.deepEqual(counts(file), [3, 1, 1, 0]);
    assert.equal(await paid(id), 2000);
  });

  test('two at once, of the same file and of others with the same entries', async () => {
    const { id, reference } = await awaitTransfer(service, { amount: 100_000 });
    const lines = Array.from({ length: 40 }, () => ({
      amount: 10,
      reference,
      bankReference: bankReference(),
    }));
    const [content, other] = [camt(lines), camt(lines, { kind: '054' })];
    const answers = await Promise.all([content, content, other, other].map((each) => upload(service, each)));
    const files = answers.map((answer) => succeeded(answer));
    assert.equal(new Set(files.map((file) => file.id)).size, 2);
    assert.equal(await paid(id), 400);
  });

  test('a request with the same key', async () => {
    const { id, reference } = await awaitTransfer(service);
    const content = camt([{ amount: 1000, reference }]);
    const headers = { 'idempotency-key': 'statement-1' };
    const first = await upload(service, content, { headers });
    const again = await writesNothing(service, () => upload(service, content, { headers }));
    assert.equal(again.text, first.text);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    for (const other of [
      () => upload(service, camt([{ amount: 1000, reference }]), { headers }),
      () => upload(service, content, { headers, query: '?name=x' }),
    ]) {
      const answer = await writesNothing(service, other);
      const message = 'BANK_STATEMENT.IMPORT.KEY_REUSED';
      assertRefused(answer, { status: 422, message, errors: [[19031]] });
    }
    assert.equal(await paid(id), 1000);
  });

  test('after a crash in between the rest is ingested, under the id that the entries name', async () => {
    const { id, reference } = await awaitTransfer(service, { amount: 100_000 });
    const lines = Array.from({ length: 30 }, () => ({ amount: 10, reference }));
    const content = camt(lines);
    const { store } = service.service;
    const execute = createWriter({ store, serializer: createSerializer(service.url), realNow: Date.now });
    const tenant = { account: service.account.number, mode: 'test' } as const;
    const origin = { tenant, actor: 'time', requestId: '', idempotency: null };
    const source = {
      name: '',
      hash: (await import('node:crypto')).createHash('sha256').update(content).digest('hex'),
      read: () => readStatement(Readable.from([Buffer.from(content)])),
    };
    let left = 12;
    const dying: Execute = async (command, serialize) => {
      if (String(command.subject) === 'bank_entry' && left-- <= 0) throw new Error('killed');
      return execute(command, serialize);
    };
    const crash = ingestStatement({ store, execute: dying }, origin, source, Date.now());
    await assert.rejects(crash, /killed/);
    assert.equal(await paid(id), 120);
    const before = (await entries(service)).slice(0, 12);
    assert.equal((await call('GET', `/v3/bank_statement/${before[0].statement}`)).status, 404);
    const file = succeeded(await upload(service, content));
    assert.deepEqual(counts(file), [30, 30, 30, 0]);
    assert.equal(await paid(id), 300);
    for (const { statement } of before) assert.equal(statement, file.id);
  });
});

suite('a file that cannot be ingested leaves nothing', () => {
  const refused = (content: string | Uint8Array, text: RegExp) => async () =>
    bad(await writesNothing(service, () => upload(service, content)), text);
  const good = Array.from({ length: 700 }, () => ({ amount: 10 }));

  test('with a mistake at the last entry', async () => {
    const content = camt([...good, { amount: 11 }]).replace(/EUR">0\.11/, 'EUR">0.1x');
    await refused(content, /^line \d+, entry 701: /)();
  });
  test('cut off', refused(camt(good).slice(0, -30), /^line \d+: .*unclosed/));
  test(
    'of another account',
    refused(camt([{ amount: 1 }], { account: 'DE89370400440532013000' }), /not a receiving account/),
  );
  test(
    'of an account in another currency',
    refused(camt([{ amount: 1 }], { currency: 'USD' }), /in USD, which is no/),
  );
  test('empty', refused('', /empty/));
  test('of random bytes', refused(Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3]), /neither camt/));
  test('compressed', refused(Buffer.from('1f8b0800', 'hex'), /gzip/));
  test(
    'in an encoding that it does not say',
    refused(camt([{ amount: 1, text: 'ä' }]).replace('UTF-8', 'EBCDIC'), /EBCDIC/),
  );
  test(
    'with bytes that are no UTF-8',
    refused(Buffer.from(camt([{ amount: 1, text: 'ä' }]), 'latin1'), /^line \d+.*UTF-8/i),
  );
  test('with entities within entities', async () => {
    const laughs = Array.from({ length: 10 }, (_, i) => `<!ENTITY l${i} "${`&l${i - 1};`.repeat(10)}">`);
    const hidden = camt([{ amount: 1 }]).replace('<Document', `<!DOCTYPE d [${laughs.join('')}]>\n<Document`);
    await refused(hidden, /^line 2: .*DOCTYPE/)();
  });
});

test('equal entries of a large statement are two, however far apart', async () => {
  const same: Line = { amount: 424_242, bankReference: 'SAME-00000001', text: 'Twice' };
  const between = Array.from({ length: 600 }, (): Line => ({ amount: 1, direction: 'debit' }));
  const { new: fresh } = succeeded(await upload(service, camt([same, ...between, same])));
  const stored = (await entries(service, '&status=open')).filter(({ amount }) => amount === same.amount);
  assert.deepEqual([fresh, stored.length], [602, 2]);
});
