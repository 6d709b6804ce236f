/**
 * A queue of callers that go on one by one, each in a turn of the event loop of its own, so that others come in between.
 * Where `workMs` is given, a turn takes as many of them as begin within that time.
 */
export function createOneATurn(workMs = 0): () => Promise<void> {
  /** Resolves when it is the turn of the last caller. */
  let last: Promise<void> = Promise.resolve();
  let begunAt = Number.NEGATIVE_INFINITY;

  function next(): Promise<void> | undefined {
    if (performance.now() - begunAt < workMs) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        begunAt = performance.now();
        resolve();
      });
    });
  }

  return () => {
    last = last.then(next);
    return last;
  };
}
