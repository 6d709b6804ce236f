import assert from 'node:assert/strict';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { suite, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { GeneratedReadable } from '../../src/lib/generated-readable.ts';

suite('a stream of what a generator makes', () => {
  test('has all of it, empty pieces among them, and ends', async () => {
    async function* pieces() {
      yield 'a';
      yield '';
      yield Buffer.from('ü');
    }
    assert.equal(await text(new GeneratedReadable(pieces())), 'aü');
  });

  test('asks for no more than somebody reads', async () => {
    let made = 0;
    const stream = new GeneratedReadable(
      (async function* () {
        for (; made < 100; made++) yield Buffer.alloc(10_000);
      })(),
      { highWaterMark: 30_000 },
    );
    stream.once('readable', () => {});
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    assert.ok(made < 10, `${made} pieces`);
    assert.equal((await text(stream)).length, 1_000_000);
  });

  test('lets the generator come to its end when nobody reads on', async () => {
    let ended = false;
    const stream = new GeneratedReadable(
      (async function* () {
        try {
          for (;;) yield 'again';
        } finally {
          await nextTurn();
          ended = true;
        }
      })(),
    );
    await once(stream, 'data');
    stream.destroy();
    await once(stream, 'close');
    assert.ok(ended);
  });

  test('fails as the generator does', async () => {
    const stream = new GeneratedReadable(
      (async function* () {
        yield 'a beginning';
        throw new Error('no more');
      })(),
    );
    await assert.rejects(text(stream), /no more/);
  });
});
