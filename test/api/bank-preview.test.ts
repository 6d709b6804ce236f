/** Previews of bank statements: what an import would do, without doing it. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { serializeMapping } from '../../src/statements/mapping.ts';
import { startService } from '../support/service.ts';
import { csv, csvMapping, OUR_IBAN } from '../support/statements.ts';
import { awaitTransfer, camt, configure, eur, imported, type Line, receiving, upload } from './bank.ts';
import { assertRefused, type Data, succeeded, writesNothing } from './shop.ts';

const service = await startService({ after });
const euros = receiving({ id: 'euros', currency: 'EUR', iban: OUR_IBAN });
await configure(service, { receivingAccounts: [eur, euros], csvMappings: { 'my-bank': csvMapping } });

async function previewed(content: string, query = ''): Promise<Data> {
  return succeeded(await writesNothing(service, () => asked(content, query)));
}

async function asked(content: string, query = '') {
  const response = await fetch(`${service.url}/v3/bank_statement/preview${query}`, {
    method: 'POST',
    headers: { authorization: service.key.authorization, 'content-type': 'application/octet-stream' },
    body: content,
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
}

const countsOf = ({ entries, known, settled, open, not_matched, mistakes }: Data) => [
  ...[entries, known, settled, open, not_matched, mistakes],
];

suite('a preview', () => {
  test('tells what an import then does', async () => {
    const one = await awaitTransfer(service, { amount: 1000 });
    const before: Line = { amount: 55, bankReference: 'KNOWN-BEFORE-1' };
    await imported(service, [before]);
    const lines: Line[] = [
      before,
      { amount: 1000, reference: one.reference },
      { amount: 1234, text: 'Who knows', direction: 'credit' },
      { amount: 500, direction: 'debit', text: 'Fee', day: '2030-02-01' },
    ];
    const file = camt(lines);
    const preview = await previewed(file, '?name=january.xml');
    assert.deepEqual(countsOf(preview), [4, 1, 2, 1, 0, 0]);
    assert.deepEqual([preview.format, preview.name, preview.imported_as], ['camt', 'january.xml', null]);
    const [statement] = preview.statements;
    assert.deepEqual(
      [statement.receiving_account, statement.from, statement.to, statement.entries],
      ['eur', '2030-01-31', '2030-02-01', 4],
    );
    assert.deepEqual([statement.amount_in, statement.amount_out], [2289, 500]);
    assert.deepEqual(
      preview.first_entries.map(({ status, problem }: Data) => [status, problem]),
      [
        ['known', ''],
        ['done', ''],
        ['open', 'no_match'],
        ['done', ''],
      ],
    );
    assert.deepEqual(preview.first_entries[1].parts, [{ payin: one.id, amount: 1000 }]);

    for (const hash of [preview.sha256, '']) {
      const query = `?sha256=${hash}`;
      const other = await writesNothing(service, () => upload(service, `${file} `, { query }));
      const message = 'BANK_STATEMENT.IMPORT.BAD_QUERY';
      assertRefused(other, { status: 400, message, errors: [[104, '/sha256']] });
    }
    const result = succeeded(await upload(service, file, { query: `?sha256=${preview.sha256}` }));
    assert.deepEqual([result.entries, result.settled, result.open], [4, 2, 1]);
    assert.equal(result.sha256, preview.sha256);
    const again = await previewed(file);
    assert.deepEqual([again.imported_as, ...countsOf(again)], [result.id, 4, 4, 0, 0, 0, 0]);
  });

  test('takes entries in order: what the first would pay, the second does not', async () => {
    const fields = { amount: 7_777, customer_details: { name: 'Grace Hopper', email: 'grace@example.com' } };
    const { id } = await awaitTransfer(service, fields);
    const line: Line = { amount: 7_777, name: 'Grace Hopper' };
    const { first_entries } = await previewed(camt([line, line]));
    assert.deepEqual(
      first_entries.map(({ status, problem, parts }: Data) => [status, problem, parts.length]),
      [
        ['done', '', 1],
        ['open', 'no_match', 0],
      ],
    );
    assert.equal(first_entries[0].parts[0].payin, id);
  });

  test('knows a booking by its sum, and its parts by it', async () => {
    const batch = { amount: 300, bankReference: 'BATCH-00000001' };
    const split = {
      ...batch,
      parts: [
        { amount: 100, name: 'A' },
        { amount: 200, name: 'B' },
      ],
    };
    assert.deepEqual(countsOf(await previewed(camt([split]))), [2, 0, 0, 2, 0, 0]);
    await imported(service, [split]);
    assert.deepEqual(countsOf(await previewed(camt([split], { kind: '054' }))), [2, 2, 0, 0, 0, 0]);
  });

  test('matches a thousand entries, and counts the others', async () => {
    const lines = Array.from(
      { length: 1003 },
      (_, place): Line => ({ amount: place + 1, direction: 'debit' }),
    );
    const preview = await previewed(camt(lines));
    assert.deepEqual(countsOf(preview), [1003, 0, 1000, 0, 3, 0]);
    assert.equal(preview.first_entries.length, 100);
    assert.equal(preview.statements[0].amount_out, (1003 * 1004) / 2);
  });

  test('matches a thousand parts of one booking, which is known as a whole all the same', async () => {
    const parts = Array.from({ length: 1003 }, (_, place) => ({ amount: 1, name: `P${place}` }));
    const split: Line = { amount: 1003, bankReference: 'BATCH-OF-MANY-1', parts };
    const other: Line = { amount: 7, direction: 'debit' };
    assert.deepEqual(countsOf(await previewed(camt([other, split]))), [1004, 0, 1, 999, 4, 0]);
    await imported(service, [split]);
    assert.deepEqual(countsOf(await previewed(camt([split], { kind: '054' }))), [1003, 1003, 0, 0, 0, 0]);
  });
});

suite('mistakes', () => {
  test('of a CSV are told by line and column, all of them', async () => {
    const lines = [
      { amount: '12.50', text: 'one', reference: 'R-0000000001' },
      { amount: '1,2,3', text: 'two', reference: 'R-0000000002' },
      { amount: '', text: 'three', reference: 'R-0000000003' },
    ];
    const file = `${csv(lines)}2026-02-33;1.00;four;R-0000000004\n2026-02-03;1.00\n`;
    const preview = await previewed(file, '?mapping=my-bank');
    assert.deepEqual([preview.format, ...countsOf(preview)], ['csv', 1, 0, 0, 1, 0, 4]);
    assert.deepEqual(
      preview.first_mistakes.map(({ line, column, message }: Data) => [line, column, message]),
      [
        [3, 'column "Amount"', 'the amount "1,2,3" is not a number.'],
        [4, 'column "Amount"', 'the amount is empty.'],
        [5, 'column "Date"', '"2026-02-33" is not a date of the form YYYY-MM-DD.'],
        [6, '', 'the row has 2 columns where the first has 4.'],
      ],
    );
  });

  test('of any other file end it, and tell where', async () => {
    const wrong = camt([{ amount: 100 }, { amount: 200 }]).replace('>2.00<', '>2,00<');
    const preview = await previewed(wrong);
    assert.deepEqual([preview.format, preview.mistakes], ['camt', 1]);
    const [{ line, entry }] = preview.first_mistakes;
    assert.ok(line > 1);
    assert.equal(entry, 2);
    for (const [content, words] of [
      ['', /the file is empty/],
      ['%PDF-1.7', /a PDF/],
      ['some text', /neither camt/],
      [camt([{ amount: 1 }], { account: 'GB33BUKB20201555555555' }), /which is not a receiving account/],
    ] as const) {
      const { first_mistakes } = await previewed(content);
      assert.match(first_mistakes[0].message, words);
    }
  });

  test('of a large file are told as well', async () => {
    const rows = Array.from({ length: 3000 }, (_, place) => ({
      amount: place === 2500 ? 'x' : '1.00',
      text: `a text that makes the file too large to be read at once ${place}`,
      reference: `R-${String(place).padStart(10, '0')}`,
    }));
    const preview = await previewed(csv(rows), '?mapping=my-bank');
    assert.deepEqual([preview.entries, preview.first_mistakes[0].line], [2999, 2502]);
  });
});

suite('a mapping', () => {
  test('is listed for those who import', async () => {
    const { json } = await service.call('GET', '/v3/csv_mapping');
    const mapping = serializeMapping(csvMapping);
    assert.deepEqual(
      [json.data, json.has_more],
      [[{ id: 'my-bank', object: 'csv_mapping', mapping }], false],
    );
  });

  test('is tried before it is saved', async () => {
    const { amount: _, ...others } = serializeMapping(csvMapping);
    const file = csv([{ amount: '12.50', text: 'one', reference: 'R-0000000009' }]).replace(
      'Amount',
      'Value',
    );
    const tried = JSON.stringify({ ...others, amount: { signed: 'Value' } });
    const preview = await previewed(file, `?csv_mapping=${encodeURIComponent(tried)}`);
    assert.deepEqual([preview.first_entries[0].amount, preview.mistakes], [1250, 0]);
  });

  test('that is none is refused, with what is wrong with it', async () => {
    const message = 'BANK_STATEMENT.PREVIEW.BAD_QUERY';
    const rows: ReadonlyArray<readonly [query: string, pointer: string]> = [
      ['?mapping=none', '/mapping'],
      ['?csv_mapping={', '/csv_mapping'],
      [
        `?csv_mapping=${encodeURIComponent(JSON.stringify({ ...serializeMapping(csvMapping), decimal: ';' }))}`,
        '/csv_mapping/decimal',
      ],
    ];
    for (const [query, pointer] of rows)
      assertRefused(await asked('x', query), { status: 400, message, errors: [[104, pointer]] });
  });
});
