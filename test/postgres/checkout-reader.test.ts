/** Reads of sessions that are asked for together, beside a server that answers when it is told to. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { checkoutReader } from '../../src/store/postgres/checkouts.ts';
import { checkout } from '../checkout/build.ts';

type Cache = Parameters<typeof checkoutReader>[1];
const mine = { account: 1, mode: 'test' } as const;
const theirs = { account: 2, mode: 'test' } as const;

/** A reader, and the statements that it has sent, oldest first. */
function setUp() {
  type Sent = {
    readonly ids: readonly string[];
    /** The first answer, behind which others come. */
    begin(): void;
    answer(): void;
    fail(): void;
  };
  const sent: Sent[] = [];
  const read: Cache['read'] = (_sql, _tenant, ids, onAnswer = () => {}) =>
    new Promise((resolve, reject) => {
      const all = ids.map(
        (id) => [id, { checkout: checkout({ id: id as `chk_${string}` }), revision: 1 }] as const,
      );
      sent.push({
        ids,
        begin: onAnswer,
        answer: () => resolve(new Map(all)),
        fail: () => reject(new Error('the connection broke')),
      });
    });
  const reader = checkoutReader({ read: (_tenant, work) => work(null as never) }, { read });
  return { sent, reader };
}

suite('sessions that are asked for', () => {
  test('in one turn are read with one statement, and those of another tenant with another', async () => {
    const { sent, reader } = setUp();
    const asked = [
      reader(mine, 'chk_1'),
      reader(mine, 'chk_2'),
      reader(mine, 'chk_1'),
      reader(theirs, 'chk_3'),
    ];
    await turn();
    await turn();
    assert.deepEqual(
      sent.map(({ ids }) => ids),
      [['chk_1', 'chk_2'], ['chk_3']],
    );
    for (const each of sent) each.answer();
    assert.deepEqual(
      (await Promise.all(asked)).map((found) => found?.id),
      ['chk_1', 'chk_2', 'chk_1', 'chk_3'],
    );
  });

  test('while others are on their way are read together, once these are there', async () => {
    const { sent, reader } = setUp();
    const first = reader(mine, 'chk_1');
    await turn();
    await turn();
    const others: Promise<unknown>[] = [];
    for (const id of ['chk_2', 'chk_3', 'chk_1']) {
      others.push(reader(mine, id));
      await turn();
    }
    assert.equal(sent.length, 1);
    sent[0]?.answer();
    await first;
    await turn();
    assert.deepEqual(sent[1]?.ids, ['chk_2', 'chk_3', 'chk_1'], 'also what is on its way: it may be older');
    sent[1]?.answer();
    await Promise.all(others);
  });

  test('do not wait until all of what is long was read', async () => {
    const { sent, reader } = setUp();
    const long = reader(mine, 'chk_1');
    await turn();
    await turn();
    const short = reader(mine, 'chk_2');
    await turn();
    sent[0]?.begin();
    await turn();
    assert.equal(sent.length, 2);
    sent[1]?.answer();
    assert.equal((await short)?.id, 'chk_2');
    sent[0]?.answer();
    assert.equal((await long)?.id, 'chk_1');
  });

  test('are read also where the ones before could not be', async () => {
    const { sent, reader } = setUp();
    const first = reader(mine, 'chk_1');
    await turn();
    await turn();
    const second = reader(mine, 'chk_2');
    sent[0]?.fail();
    await assert.rejects(first, /the connection broke/);
    await turn();
    sent[1]?.answer();
    assert.equal((await second)?.id, 'chk_2');
  });
});
