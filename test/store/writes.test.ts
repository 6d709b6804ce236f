/** Rows that the writes of units come to. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { AnyRow } from '../../src/store/tables.ts';
import { addChange, type Edit, type RowChange, writeOf } from '../../src/store/writes.ts';

const receivers = writeOf('webhook_receiver', (edits: readonly Edit[]) => edits, { sets: 'all' });

function changesOf(...values: ReadonlyArray<readonly Edit[]>): readonly RowChange[] {
  const changes: RowChange[] = [];
  addChange(changes, receivers, values);
  return changes;
}

suite('a change of rows', () => {
  const row = (id: string, failures: number): AnyRow => ({ id, failures });

  test('is none where values come to nothing', () => {
    assert.deepEqual(changesOf(), []);
    assert.deepEqual(changesOf([]), []);
    assert.deepEqual(changesOf([], []), []);
  });

  test('has each row once, as it is in the end', () => {
    const [change, ...others] = changesOf(
      [{ put: row('a', 1) }, { put: row('b', 1) }],
      [{ put: row('a', 2) }, { gone: row('b', 1) }, { gone: row('c', 1) }],
      [{ put: row('c', 3) }],
    );
    assert.deepEqual(others, []);
    assert.deepEqual([change?.table, change?.put], ['webhook_receiver', [row('a', 2), row('c', 3)]]);
    assert.deepEqual(change?.gone, [row('b', 1)]);
  });
});
