import type { TestContext } from 'node:test';

/** Hooks like those of a test, for what outlives one: `run` calls what would be done after the test. */
export function createHooks() {
  const hooks: Array<() => unknown> = [];
  return {
    after: ((hook: () => unknown) => void hooks.push(hook)) as TestContext['after'],
    async run(): Promise<void> {
      for (const hook of hooks.splice(0)) await hook();
    },
  };
}
