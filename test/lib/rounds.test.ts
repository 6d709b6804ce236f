/** Rounds of work, in which one part that fails is in the way of no other. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRounds, UNTRIED } from '../../src/lib/rounds.ts';

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
  const { succeeded } = await createRounds((error) => errors.push(error as Error))(all);
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
  const clock = { nowMs: 1 };
  const troubled = new Set<string>();
  const untried = new Set<string>();
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
        if (untried.has(name)) return UNTRIED;
        ran.push(name);
        clock.nowMs += takesMs;
        if (troubled.has(name)) throw new Error('no');
        return name;
      },
    }));
  /** Names of those that have run in a round of these, and of those that are left. */
  async function both(names: string) {
    ran.length = 0;
    const { left, isCut, succeeded } = await run(partsOf(names));
    return { ran: ran.join(''), left: left.map(({ name }) => name).join(''), isCut, succeeded };
  }
  const rounds = async (names: string) => (await both(names)).ran;
  return { clock, troubled, untried, told, both, rounds };
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

test('a part that fails slowly leaves the others most of the time', async () => {
  const { clock, troubled, rounds } = clocked(5_000);
  troubled.add('a');
  assert.equal(await rounds('a'), 'a');
  clock.nowMs += 19_999;
  assert.equal(await rounds('a'), '');
  clock.nowMs += 1;
  assert.equal(await rounds('a'), 'a');
});

test('parts that have failed, pause or were not reached are left, and only the last ones make it a cut', async () => {
  const { clock, troubled, both } = clocked(600);
  troubled.add('b').add('c');
  assert.deepEqual(await both('abcd'), { ran: 'abc', left: 'bcd', isCut: true, succeeded: 1 });
  assert.deepEqual(await both('abcd'), { ran: 'ad', left: 'bc', isCut: false, succeeded: 2 });
  troubled.clear();
  clock.nowMs += 60_000;
  assert.deepEqual(await both('abcd'), { ran: 'adbc', left: '', isCut: false, succeeded: 4 });
});

test('a part that has tried nothing has not succeeded: its failure is not forgotten', async () => {
  const { clock, troubled, untried, both } = clocked(0);
  troubled.add('a');
  await both('ab');
  clock.nowMs += 60_000;
  untried.add('a');
  assert.deepEqual(await both('ab'), { ran: 'b', left: '', isCut: false, succeeded: 1 });
  untried.clear();
  troubled.clear();
  assert.equal((await both('ab')).ran, 'ba', 'it comes last as before');
});
