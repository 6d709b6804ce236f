import type { TestContext } from 'node:test';

/** Timers that come when the test moves the time: `tick` of the result. */
export function mockTimers({ mock }: TestContext, apis: Array<'setTimeout' | 'setInterval'>) {
  const { clearTimeout, clearInterval } = globalThis;
  mock.timers.enable({ apis });
  // Node's own mock ignores timers that were set before it: a connection of an earlier test that ends now would leave its own.
  const mocked = { clearTimeout: globalThis.clearTimeout, clearInterval: globalThis.clearInterval };
  globalThis.clearTimeout = (timer) => {
    mocked.clearTimeout(timer);
    clearTimeout(timer);
  };
  globalThis.clearInterval = (timer) => {
    mocked.clearInterval(timer);
    clearInterval(timer);
  };
  return mock.timers;
}
