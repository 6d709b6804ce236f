import { AsyncLocalStorage } from 'node:async_hooks';
import type { TestContext } from 'node:test';

/** Timers that a test can move, and the function that clears each. */
const CLEARING = { setTimeout: 'clearTimeout', setInterval: 'clearInterval' } as const;

/** True in what the test does that moves the time. */
const isMoved = new AsyncLocalStorage<true>();

/**
 * Timers that come when the test moves the time: `tick` of the result. They are those of the test alone: a service of
 * another file that runs in the same process would wait for ever.
 */
export function mockTimers({ mock }: TestContext, apis: Array<keyof typeof CLEARING>) {
  isMoved.enterWith(true);
  // The mock puts back what it has replaced, and nothing else.
  const names = apis.flatMap((api) => [api, CLEARING[api]] as const);
  const real = new Map(names.map((name) => [name, globalThis[name] as (...given: unknown[]) => unknown]));
  mock.timers.enable({ apis });
  for (const api of apis) {
    const [setReal, setMocked] = [real.get(api), globalThis[api]] as const;
    const set = (...given: unknown[]) =>
      (isMoved.getStore() ? setMocked : setReal)?.(...(given as [() => void]));
    Object.assign(globalThis, { [api]: set });
    // Node's own mock ignores timers that are not its own, such as those of a connection of an earlier test that ends now.
    const [clearReal, clearMocked] = [real.get(CLEARING[api]), globalThis[CLEARING[api]]] as const;
    globalThis[CLEARING[api]] = (timer) => {
      clearMocked(timer);
      clearReal?.(timer);
    };
  }
  return mock.timers;
}
