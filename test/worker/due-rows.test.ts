/** Rows that are due: each has its turn at its own time, whatever becomes of the others. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Tenant } from '../../src/checkout/tenant.ts';
import { DamagedRow } from '../../src/store/errors.ts';
import { dueRows } from '../../src/worker/due-rows.ts';

const tenant: Tenant = { account: 1, mode: 'test' };

type Row = { readonly id: string; readonly dueAt: number };

/** Rows with these due times; `next` says when a row is due again, or throws. */
function started(
  dueAt: Readonly<Record<string, number>>,
  next: (id: string, now: number) => number | null,
  damaged: readonly string[] = [],
) {
  const waiting = new Map(Object.entries(dueAt));
  const turns: string[] = [];
  const errors: unknown[] = [];
  const rows = dueRows<Row>({
    async listDue(_tenant, now, limit, except) {
      const due = [...waiting]
        .map(([id, at]) => ({ id, dueAt: at }))
        .filter((row) => row.dueAt <= now && !except.includes(row.id))
        .sort((a, b) => a.dueAt - b.dueAt)
        .slice(0, limit);
      const met = due.find(({ id }) => damaged.includes(id));
      if (met !== undefined) throw new DamagedRow('not what was written', met.id);
      return due;
    },
    async attendTo(_tenant, { id }, now) {
      turns.push(`${id} at ${now}`);
      const at = next(id, now);
      if (at === null) waiting.delete(id);
      else waiting.set(id, at);
    },
    onError: (error) => errors.push((error as Error).message),
  });
  return { rows, turns, errors };
}

const done = () => null;
const failing = (id: string) => {
  throw new Error(`${id} fails`);
};

suite('what is due now', () => {
  test('has its turn as of now, at most so many, and tells whether there may be more', async () => {
    const { rows, turns } = started({ a: 3, b: 1, c: 2, later: 11 }, done);
    assert.equal(await rows.attend({ tenant, now: 10 }, 2), true);
    assert.equal(await rows.attend({ tenant, now: 10 }, 2), false);
    assert.equal(await rows.attend({ tenant, now: 10 }, 2), false);
    assert.deepEqual(turns, ['b at 10', 'c at 10', 'a at 10']);
  });

  test('has its turn although another one fails', async () => {
    const { rows, turns, errors } = started({ a: 1, b: 2 }, (id) => (id === 'a' ? failing(id) : null));
    assert.equal(await rows.attend({ tenant, now: 10 }, 2), true);
    assert.deepEqual(turns, ['a at 10', 'b at 10']);
    assert.deepEqual(errors, ['a fails']);
  });

  test('is left to a later round where all of it fails', async () => {
    const { rows, errors } = started({ a: 1, b: 2 }, failing);
    assert.equal(await rows.attend({ tenant, now: 10 }, 2), false);
    assert.deepEqual(errors, ['a fails', 'b fails']);
  });
});

suite('a damaged row', () => {
  test('keeps no other from its turn, and is said once in a while', async (t) => {
    let elapsedMs = performance.now();
    t.mock.method(performance, 'now', () => elapsedMs);
    const { rows, turns, errors } = started({ a: 1, b: 2, c: 3 }, done, ['a', 'b']);
    for (let looks = 0; looks < 3; looks++, elapsedMs += 1000) await rows.attend({ tenant, now: 10 }, 2);
    assert.deepEqual(turns, ['c at 10']);
    assert.deepEqual(errors, ['a is due, and damaged', 'b is due, and damaged']);
    elapsedMs += 600_000;
    await rows.attend({ tenant, now: 10 }, 2);
    assert.equal(errors.length, 4);
  });

  test('and one that is about something damaged is left alone as well', async () => {
    const { rows, turns, errors } = started({ a: 1, b: 2 }, (id) => {
      if (id === 'a') throw new DamagedRow('the session is not what was written');
      return null;
    });
    for (let looks = 0; looks < 3; looks++) await rows.attend({ tenant, now: 10 }, 1);
    assert.deepEqual(turns, ['a at 10', 'b at 10']);
    assert.equal(errors.length, 1);
  });

  test('is left alone beside a thousand others at most', async () => {
    let damaged = 0;
    const errors: unknown[] = [];
    const rows = dueRows<Row>({
      async listDue() {
        if (damaged > 2_000) return [];
        throw new DamagedRow('not what was written', `row ${damaged++}`);
      },
      attendTo: async () => {},
      onError: (error) => errors.push(error),
    });
    await assert.rejects(rows.attend({ tenant, now: 10 }, 1), DamagedRow);
    assert.equal(errors.length, 1_000);
  });
});

suite('what was due up to now', () => {
  test('has its turn at its own time, and again when it is due again', async () => {
    const again = (id: string, now: number) => (id === 'a' ? now + 4 : null);
    const { rows, turns } = started({ a: 1, b: 3, c: 12 }, again);
    assert.equal(await rows.catchUp({ tenant, now: 10 }, 1), 4);
    assert.deepEqual(turns, ['a at 1', 'b at 3', 'a at 5', 'a at 9']);
  });

  test('has one try at a time that fails', async () => {
    const { rows, turns, errors } = started({ a: 1, b: 3 }, (id) => (id === 'a' ? failing(id) : null));
    assert.equal(await rows.catchUp({ tenant, now: 10 }, 10), 1);
    assert.deepEqual(turns, ['a at 1', 'b at 3']);
    assert.deepEqual(errors, ['a fails']);
  });
});
