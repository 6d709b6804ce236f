import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { sharedCall } from '../../src/lib/shared-call.ts';

suite('a shared call', () => {
  function counted() {
    const ends: Array<PromiseWithResolvers<number>> = [];
    let now = 0;
    const ask = sharedCall(
      () => {
        const end = Promise.withResolvers<number>();
        ends.push(end);
        return end.promise;
      },
      100,
      () => now,
    );
    return { ask, ends, pass: (ms: number) => (now += ms) };
  }

  test('is one for all who ask meanwhile, however long it takes', async () => {
    const { ask, ends, pass } = counted();
    const first = ask();
    pass(1_000);
    const second = ask();
    assert.equal(ends.length, 1);
    ends[0]?.resolve(7);
    assert.deepEqual(await Promise.all([first, second]), [7, 7]);
  });

  test('is made again when its result is too old, a failure as well', async () => {
    const { ask, ends, pass } = counted();
    const first = ask();
    ends[0]?.reject(new Error('down'));
    await assert.rejects(first, /down/);
    pass(99);
    await assert.rejects(ask(), /down/);
    pass(1);
    const second = ask();
    ends[1]?.resolve(2);
    assert.equal(await second, 2);
    assert.equal(ends.length, 2);
  });
});
