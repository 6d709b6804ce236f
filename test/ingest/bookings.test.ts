/** Bookings of several transactions, told apart from entries that stand by themselves. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bookingsOf } from '../../src/ingest/bookings.ts';
import type { StatementEntry, StatementPart } from '../../src/statements/entry.ts';
import { entryKey, occurrenceCounter } from '../../src/statements/identity.ts';
import { entry, header } from '../statements/support.ts';

const A = header({ account: 'DE1', statementId: 'A' });
const B = header({ account: 'DE1', statementId: 'B' });
const batch = 'BATCH-2030-0001';

async function bookings(...all: ReadonlyArray<readonly [typeof A, readonly StatementEntry[]]>) {
  const statements: string[] = [];
  async function* parts(): AsyncGenerator<StatementPart> {
    for (const [of, entries] of all) {
      yield { kind: 'statement', header: of };
      for (const each of entries) yield { kind: 'entry', header: of, entry: each };
    }
  }
  const found = await Array.fromAsync(bookingsOf(parts(), ({ statementId }) => statements.push(statementId)));
  return { found, statements };
}

test('parts that begin together are one booking, in the order of the file', async () => {
  const single = entry({ amount: 1, line: 1, bankReference: 'X' });
  const parts = [10, 20].map((amount) => entry({ amount, line: 5, batchReference: batch }));
  const others = [entry({ amount: 30, line: 9, batchReference: batch })];
  const { found, statements } = await bookings([A, [single, ...parts, ...others]], [B, others]);
  assert.deepEqual(
    found.map(({ header: { statementId }, entries, sum }) => [
      statementId,
      entries.map(({ amount }) => amount),
      sum?.amount ?? null,
    ]),
    [
      ['A', [1], null],
      ['A', [10, 20], 30],
      ['A', [30], 30],
      ['B', [30], 30],
    ],
  );
  assert.deepEqual(statements, ['A', 'B']);
});

test('the sum is what a statement without the parts would have', async () => {
  const parts = [
    entry({ amount: 10, line: 5, batchReference: batch, endToEndId: 'E1', remittance: 'one' }),
    entry({ amount: 40, line: 5, batchReference: batch, direction: 'debit', creditorReference: 'RF1' }),
  ];
  const { found } = await bookings([A, parts]);
  const sum = found[0]?.sum;
  assert.ok(sum);
  assert.deepEqual([sum.amount, sum.direction], [30, 'debit']);
  const inSum = entry({ amount: 30, direction: 'debit', bankReference: batch, remittance: 'SALARIES' });
  assert.equal(entryKey(A, sum, 1), entryKey(B, inSum, 1));
  const count = occurrenceCounter();
  assert.deepEqual([count(A, sum), count(A, inSum)], [1, 2], 'both are counted as one and the same');
});

test('parts that come to nothing are a credit of nothing', async () => {
  const parts = (['credit', 'debit'] as const).map((direction) =>
    entry({ amount: 10, direction, line: 5, batchReference: batch }),
  );
  const { found } = await bookings([A, parts]);
  assert.deepEqual([found[0]?.sum?.amount, found[0]?.sum?.direction], [0, 'credit']);
});

test('a reference that tells nothing apart makes no booking', async () => {
  const parts = ['', '0', '-'].map((batchReference) => entry({ amount: 1, line: 5, batchReference }));
  const { found } = await bookings([A, parts]);
  assert.deepEqual(
    found.map(({ entries, sum }) => [entries.length, sum]),
    [
      [1, null],
      [1, null],
      [1, null],
    ],
  );
});
