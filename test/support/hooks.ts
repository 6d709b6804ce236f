import type { TestContext } from 'node:test';

/** In place of a test, for what outlives one: what would be done after the test is done when `run` is called. */
export function createHooks() {
  const hooks: Array<() => unknown> = [];
  return {
    after: ((hook: () => unknown) => void hooks.push(hook)) as TestContext['after'],
    async run(): Promise<void> {
      for (const hook of hooks.splice(0)) await hook();
    },
  };
}
