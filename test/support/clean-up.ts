/**
 * Ends of what a test has started. Hooks of node:test run in the order in which they were registered, and end with the first
 * that fails: a directory that cannot be removed yet would leave a service running, and the whole run would wait for it.
 */

/** Whatever takes an end: a clean-up, or a test of node:test. */
export type Ends = { after(hook: () => unknown): void };

/** For `await using`: in the end, however that comes, each hook runs, the newest first, whatever becomes of the others. */
export function cleanUp(): Ends & AsyncDisposable {
  const hooks: Array<() => unknown> = [];
  return {
    after(hook) {
      hooks.push(hook);
    },
    async [Symbol.asyncDispose]() {
      const errors: unknown[] = [];
      for (let hook = hooks.pop(); hook !== undefined; hook = hooks.pop()) {
        try {
          await hook();
        } catch (error) {
          errors.push(error);
        }
      }
      if (errors.length === 1) throw errors[0];
      if (errors.length > 1) throw new AggregateError(errors, `${errors.length} things did not end`);
    },
  };
}
