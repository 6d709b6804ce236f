import type { TestContext } from 'node:test';

/** Timers that a test can move, and the function that clears each. */
const CLEARING = { setTimeout: 'clearTimeout', setInterval: 'clearInterval' } as const;

/** Timers that come when the test moves the time: `tick` of the result. */
export function mockTimers({ mock }: TestContext, apis: Array<keyof typeof CLEARING>) {
  // The mock puts back what it has replaced, and nothing else.
  const names = apis.map((api) => CLEARING[api]);
  const real = names.map((name) => globalThis[name]);
  mock.timers.enable({ apis });
  // Node's own mock ignores timers that were set before it: a connection of an earlier test that ends now would leave its own.
  for (const [index, name] of names.entries()) {
    const mocked = globalThis[name];
    globalThis[name] = (timer) => {
      mocked(timer);
      real[index]?.(timer);
    };
  }
  return mock.timers;
}
