/** Pages that are read in steps. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Tenant } from '../../src/checkout/tenant.ts';
import { inSteps, type PageRequest, serializedPage } from '../../src/store/page.ts';
import { ALL, assertPaged } from './pages.ts';

const tenant: Tenant = { account: 1, mode: 'test' };
const expected = Array.from({ length: 65 }, (_, index) => `${99 - index}`);

/** A list of these ids, newest first, and what it was asked for. */
function counted() {
  const asked: PageRequest[] = [];
  const list = async (_tenant: Tenant, _filter: object, page: PageRequest) => {
    asked.push(page);
    const { limit, after = ':', before = '' } = page;
    const found = expected.filter((id) => id < after && id > before);
    const rows = page.before === undefined ? found.slice(0, limit) : found.slice(-limit);
    return { rows: rows.map((id) => ({ id })), hasMore: found.length > rows.length };
  };
  return { asked, list };
}

test('a page that is read in steps is the page, wherever it begins and whichever way', async () => {
  const list = inSteps(counted().list);
  await assertPaged((page) => list(tenant, {}, page), expected);
});

test('a page is read in steps of a few rows, each in a turn of its own, whoever else asks', async () => {
  const { asked, list } = counted();
  const whole = inSteps(list);
  const pages = Promise.all([whole(tenant, {}, ALL), whole(tenant, {}, ALL), whole(tenant, {}, ALL)]);
  assert.equal(asked.length, 3, 'the first step is that of the request');
  let most = 0;
  for (let all = false, before = asked.length; !all; before = asked.length) {
    all = await Promise.race([pages.then(() => true), nextTurn(false)]);
    most = Math.max(most, asked.length - before);
  }
  assert.equal(most, 1);
  assert.deepEqual(
    asked
      .slice(0, 1)
      .concat(asked.slice(-1))
      .map(({ limit }) => limit),
    [20, 20],
  );
  assert.equal(asked.length, 3 * 4);
});

test('a page of rows whose answers are long ends with a megabyte, and has those next to its cursor', async () => {
  const rows = expected.map((id) => ({ id }));
  const fitting = 11;
  const serialize = ({ id }: { readonly id: string }) => ({ id, json: `"${id.padEnd(100_000)}"` });
  for (const [cursor, ids] of [
    [{}, expected.slice(0, fitting)],
    [{ before: '0' }, expected.slice(-fitting)],
  ] as const) {
    const page = { limit: 100, ...cursor };
    const whole = serializedPage({ rows, hasMore: false }, page, serialize);
    assert.deepEqual([whole.ids, whole.hasMore], [ids, true]);
    assert.equal(JSON.parse(`[${Buffer.from(whole.json)}]`).length, fitting);
  }
});

test('a page that is read in steps ends when its rows are long enough', async () => {
  const { asked, list } = counted();
  const long = inSteps(async (...request: Parameters<typeof list>) => ({
    ...(await list(...request)),
    length: 400_000,
  }));
  const { rows, hasMore } = await long(tenant, {}, ALL);
  assert.deepEqual([rows.length, hasMore, asked.length], [60, true, 3]);
});
