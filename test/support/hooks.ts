import type { TestContext } from 'node:test';

/**
 * Hooks like those of a test, for what outlives one: `run` calls what would be done after the test, and in the end what
 * hooks have registered themselves.
 */
export function createHooks() {
  const hooks: Array<() => unknown> = [];
  return {
    after: ((hook: () => unknown) => void hooks.push(hook)) as TestContext['after'],
    async run(): Promise<void> {
      for (let hook = hooks.shift(); hook !== undefined; hook = hooks.shift()) await hook();
    },
  };
}
