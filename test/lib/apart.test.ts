/** Parts of one round of work, of which one that fails is in the way of no other. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apart } from '../../src/lib/apart.ts';

/** Runs parts, of which each fails with the message that is given for it, or not at all. */
async function round(parts: Record<string, string | null>) {
  const ran: string[] = [];
  const errors: Error[] = [];
  const all = Object.entries(parts).map(([name, message]) => ({
    name,
    async run() {
      ran.push(name);
      if (message !== null) throw new Error(message);
    },
  }));
  const rejected = await apart(all, (error) => errors.push(error as Error)).then(
    () => null,
    (error: Error) => error.message,
  );
  return { ran, told: errors.map(({ message }) => message), rejected, errors };
}

test('a part that fails is told by name, with its cause, and the others have their turn', async () => {
  const { ran, told, rejected, errors } = await round({ one: null, two: 'no', three: null });
  assert.deepEqual([ran, told, rejected], [['one', 'two', 'three'], ['two: no'], null]);
  assert.deepEqual(
    errors.map(({ cause }) => String(cause)),
    ['Error: no'],
  );
});

test('a part that throws before it waits is no other’s trouble either', async () => {
  const told: unknown[] = [];
  const run = (): Promise<void> => {
    throw new Error('at once');
  };
  let ran = false;
  const last = async () => {
    ran = true;
  };
  await apart(
    [
      { name: 'one', run },
      { name: 'two', run: last },
    ],
    (error) => told.push(error),
  );
  assert.deepEqual([told.map(String), ran], [['Error: one: at once'], true]);
});

test('parts that fail alike are told together, and named as far as they are few', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const { told, rejected } = await round({
    ok: null,
    ...Object.fromEntries(names.map((name) => [name, 'no'])),
  });
  assert.deepEqual([told, rejected], [['a, b, c, d, e and 2 others: no'], null]);
});

test('troubles that are told are bounded', async () => {
  const many = Array.from({ length: 50 }, (_, index) => [`part ${index}`, `trouble ${index}`]);
  const { ran, told } = await round({ ...Object.fromEntries(many), ok: null });
  assert.equal(ran.length, 51);
  assert.deepEqual([told.length, told.at(-1)], [21, '30 other troubles']);
});

test('a round of which all parts fail rejects, and tells the rest', async () => {
  const { ran, told, rejected } = await round({ one: 'no', two: 'never' });
  assert.deepEqual([ran, told, rejected], [['one', 'two'], ['one: no'], 'two: never']);
  const { rejected: nothing } = await round({});
  assert.equal(nothing, null);
});

test('a round ends when failures have taken too long, and the next one begins behind it', async () => {
  let nowMs = 0;
  const fail = (error: unknown) => assert.fail(String(error));
  const ran: string[] = [];
  const parts = ['a', 'b', 'c', 'd', 'e'].map((name) => ({
    name,
    async run() {
      ran.push(name);
      nowMs += 600;
      throw new Error('the file is locked');
    },
  }));
  for (let round = 0; round < 3; round++) {
    await assert.rejects(
      apart(parts, fail, () => nowMs),
      /: the file is locked$/,
    );
  }
  assert.deepEqual(ran, ['a', 'b', 'c', 'd', 'e', 'a']);
  // What takes long and succeeds ends no round.
  const run = async () => {
    nowMs += 5_000;
  };
  await apart(
    parts.map(({ name }) => ({ name, run })),
    fail,
    () => nowMs,
  );
});
