/** Deliveries that nobody wakes: made due, and looked for since the last look that found all there were. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRounds } from '../../src/lib/rounds.ts';
import type { Store, Stranded } from '../../src/store/store.ts';
import { createWaking } from '../../src/worker/stranded.ts';
import type { Execute } from '../../src/writer/writer.ts';

const tenant = { account: 1, mode: 'test' } as const;
const MINUTE = 60_000;
const NOW = 100 * MINUTE;

/** Looks that find these, one after the other, a minute apart. */
async function looks(
  ...all: ReadonlyArray<{ finds: readonly Stranded[]; servedShare?: number; fails?: readonly number[] }>
) {
  const asked: unknown[] = [];
  const told: string[] = [];
  const executed: unknown[] = [];
  let look = 0;
  const store = {
    work: {
      async listStranded(since: number, realNow: number) {
        asked.push([since, realNow].map((ms) => ms / MINUTE));
        return all[look]?.finds ?? [];
      },
    },
    servedShare: () => all[look]?.servedShare ?? 1,
  } as unknown as Store;
  const execute = (async (command: Parameters<Execute>[0]) => {
    if (all[look]?.fails?.includes(command.origin.tenant.account)) throw new Error('no');
    executed.push(command);
  }) as unknown as Execute;
  const onError = (error: unknown) => told.push((error as Error).message);
  const round = createRounds(onError);
  const wake = createWaking({ store, execute, round, realNow: () => NOW + look * MINUTE });
  const found: boolean[] = [];
  for (; look < all.length; look++) found.push(await wake());
  return { asked, executed, found, told };
}

test('each is due now, with what it was answered last', async () => {
  const about = { receiver: 'https://shop.example/', subject: 'chk_1' } as const;
  const last = { httpStatus: 500, error: 'answered 500' } as const;
  const finds = [{ tenant, now: 7, deliveries: [{ id: 'whd_1', ...about, ...last }] }] as const;
  const { executed, found } = await looks({ finds });
  assert.deepEqual(found, [true]);
  assert.deepEqual(executed, [
    {
      subject: 'deliveries',
      origin: { tenant, actor: 'time', requestId: '', idempotency: null },
      results: [
        {
          ...{ id: 'whd_1', ...about, ...last, lease: null, round: null, failing: false, attempt: null },
          ...{ at: 7, state: 'pending', dueAt: 7 },
        },
      ],
    },
  ]);
});

test('those are looked for that were made since the last look that found none, a minute before it', async () => {
  const some = [{ tenant, now: 7, deliveries: [] }];
  const { asked, found } = await looks({ finds: some }, { finds: [] }, { finds: some }, { finds: [] });
  assert.deepEqual(found, [true, false, true, false]);
  assert.deepEqual(asked, [
    [0, 100],
    [0, 101],
    [100, 102],
    [100, 103],
  ]);
});

test('those of a node that is away are looked for when it is back', async () => {
  const { asked } = await looks({ finds: [], servedShare: 0.5 }, { finds: [] }, { finds: [] });
  assert.deepEqual(asked, [
    [0, 100],
    [0, 101],
    [100, 102],
  ]);
});

test('those of one tenant that cannot be woken keep no other asleep, and are looked for again', async () => {
  const other = { account: 2, mode: 'test' } as const;
  const delivery = { id: 'whd_1', receiver: 'r', subject: 'chk_1', httpStatus: null, error: null } as const;
  const finds = [tenant, other].map((each) => ({ tenant: each, now: 7, deliveries: [delivery] }));
  const { asked, executed, found, told } = await looks({ finds, fails: [1] }, { finds: [] });
  assert.deepEqual(
    executed.map((command) => (command as { origin: { tenant: unknown } }).origin.tenant),
    [other],
  );
  assert.deepEqual([found, told], [[true, false], ['1 test: stranded: no']]);
  assert.deepEqual(asked, [
    [0, 100],
    [0, 101],
  ]);
});
