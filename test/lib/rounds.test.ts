/** Rounds of work, in which one part that fails is in the way of no other. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRounds } from '../../src/lib/rounds.ts';

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
  const succeeded = await createRounds((error) => errors.push(error as Error))(all);
  return { ran, told: errors.map(({ message }) => message), succeeded, errors };
}

test('a part that fails is told by name, with its cause, and the others have their turn', async () => {
  const { ran, told, succeeded, errors } = await round({ one: null, two: 'no', three: null });
  assert.deepEqual([ran, told, succeeded], [['one', 'two', 'three'], ['two: no'], 2]);
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
  await createRounds((error) => told.push(error))([
    { name: 'one', run },
    { name: 'two', run: last },
  ]);
  assert.deepEqual([told.map(String), ran], [['Error: one: at once'], true]);
});

test('parts that fail alike are told together, and named as far as they are few', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const { told, succeeded } = await round({
    ok: null,
    ...Object.fromEntries(names.map((name) => [name, 'no'])),
  });
  assert.deepEqual([told, succeeded], [['a, b, c, d, e and 2 others: no'], 1]);
});

test('troubles that are told are bounded', async () => {
  const many = Array.from({ length: 50 }, (_, index) => [`part ${index}`, `trouble ${index}`]);
  const { ran, told } = await round({ ...Object.fromEntries(many), ok: null });
  assert.equal(ran.length, 51);
  assert.deepEqual([told.length, told.at(-1)], [21, '30 other troubles']);
});

test('a round of which all parts fail tells of all, and one without parts of nothing', async () => {
  const { ran, told, succeeded } = await round({ one: 'no', two: 'never' });
  assert.deepEqual([ran, told, succeeded], [['one', 'two'], ['one: no', 'two: never'], 0]);
  const nothing = await round({});
  assert.deepEqual([nothing.told, nothing.succeeded], [[], 0]);
});

/** Rounds by a clock that each part moves by `takesMs`, and what has run in them. */
function clocked(takesMs: number) {
  const clock = { nowMs: 0 };
  const troubled = new Set<string>();
  const ran: string[] = [];
  const told: string[] = [];
  const run = createRounds(
    (error) => told.push((error as Error).message),
    () => clock.nowMs,
  );
  const partsOf = (names: string) =>
    [...names].map((name) => ({
      name,
      async run() {
        ran.push(name);
        clock.nowMs += takesMs;
        if (troubled.has(name)) throw new Error('no');
      },
    }));
  /** Names of those that have run in a round of these. */
  async function rounds(names: string): Promise<string> {
    ran.length = 0;
    await run(partsOf(names));
    return ran.join('');
  }
  return { clock, troubled, told, rounds };
}

test('a round ends when failures have taken too long, and those have the last turn in the next one', async () => {
  const { troubled, rounds } = clocked(600);
  for (const name of 'abcde') troubled.add(name);
  assert.deepEqual([await rounds('abcde'), await rounds('abcde'), await rounds('abcde')], ['ab', 'cd', 'ea']);
  troubled.clear();
  assert.equal(await rounds('vwxyz'), 'vwxyz', 'what takes long and succeeds ends no round');
});

test('a part that has failed pauses for longer each time, alone, until it succeeds', async () => {
  const { clock, troubled, told, rounds } = clocked(0);
  troubled.add('a');
  const pauses: number[] = [];
  for (let failure = 0; failure < 8; failure++) {
    assert.ok((await rounds('ab')).includes('a'));
    const failedAt = clock.nowMs;
    while ((await rounds('ab')) === 'b') clock.nowMs += 250;
    pauses.push(clock.nowMs - failedAt);
    clock.nowMs += 60_000;
  }
  assert.deepEqual(pauses, [250, 1_000, 4_000, 10_000, 10_000, 10_000, 10_000, 10_000]);
  assert.equal(told.length, 16, 'it is told each time it has been tried, not each time it was due');
  troubled.clear();
  assert.equal(await rounds('ab'), 'ba', 'the one that has failed comes last');
  assert.equal(await rounds('ab'), 'ab');
  troubled.add('a');
  await rounds('a');
  clock.nowMs += 250;
  assert.equal(await rounds('a'), 'a');
});
