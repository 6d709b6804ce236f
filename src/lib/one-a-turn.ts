/** A queue of callers that go on one by one, each in a turn of the event loop of its own, so that others come in between. */
export function createOneATurn(): () => Promise<void> {
  /** Resolves when it is the turn of the last caller. */
  let last: Promise<void> = Promise.resolve();
  return () => {
    last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
    return last;
  };
}
