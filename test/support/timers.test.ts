import assert from 'node:assert/strict';
import { AsyncResource } from 'node:async_hooks';
import { test } from 'node:test';
import { mockTimers } from './timers.ts';

test("a timer that was set before the time is the test's own can be cleared as ever", (t) => {
  const real = [setTimeout(() => {}, 60_000), setInterval(() => {}, 60_000)];
  const open = () => process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length;
  const before = open();
  const timers = mockTimers(t, ['setTimeout', 'setInterval']);
  const came: string[] = [];
  setTimeout(() => came.push('kept'), 10);
  clearTimeout(setTimeout(() => came.push('cleared'), 10));
  clearInterval(setInterval(() => came.push('cleared'), 10));
  clearTimeout(real[0]);
  clearInterval(real[1]);
  timers.tick(10);
  assert.deepEqual(came, ['kept']);
  timers.reset();
  assert.equal(open(), before - real.length);
});

test('what others do meanwhile has timers of its own', async (t) => {
  const elsewhere = AsyncResource.bind((done: () => void) => setTimeout(done, 1));
  const timers = mockTimers(t, ['setTimeout']);
  await new Promise<void>(elsewhere);
  const came: string[] = [];
  setTimeout(() => came.push('mine'), 1);
  await new Promise<void>(elsewhere);
  assert.deepEqual(came, []);
  timers.tick(1);
  assert.deepEqual(came, ['mine']);
});

test('whatever is mocked is put back in the end, and nothing is wrapped that is not', async (t) => {
  const { setTimeout, setInterval, clearTimeout, clearInterval } = globalThis;
  const global = { setTimeout, setInterval, clearTimeout, clearInterval };
  for (const api of ['setTimeout', 'setInterval'] as const)
    await t.test(api, (inner) => {
      mockTimers(inner, [api]);
      assert.notEqual(globalThis[api], global[api]);
    });
  for (const [name, real] of Object.entries(global))
    assert.equal(globalThis[name as keyof typeof global], real, name);
});
