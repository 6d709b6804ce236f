/** The ends of what a test has started, which come whatever fails. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanUp } from './clean-up.ts';

test('each end comes, the newest first, whatever becomes of the test and of the others', async () => {
  const ended: string[] = [];
  const work = async () => {
    await using ends = cleanUp();
    ends.after(() => ended.push('first'));
    ends.after(async () => {
      ended.push('second');
      throw new Error('it cannot be removed yet');
    });
    ends.after(() => {
      ended.push('third');
      ends.after(() => ended.push('added'));
      throw new Error('it does not stop');
    });
    throw new Error('the test has failed');
  };
  await assert.rejects(work(), (error: SuppressedError) => {
    assert.match(String(error.suppressed), /the test has failed/);
    assert.deepEqual(
      error.error.errors.map(({ message }: Error) => message),
      ['it does not stop', 'it cannot be removed yet'],
    );
    return true;
  });
  assert.deepEqual(ended, ['third', 'added', 'second', 'first']);
});

test('an end that fails alone is the failure of the test', async () => {
  const work = async () => {
    await using ends = cleanUp();
    ends.after(() => Promise.reject(new Error('it does not stop')));
  };
  await assert.rejects(work(), { message: 'it does not stop' });
});
