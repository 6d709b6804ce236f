/**
 * Shares one call among all who ask while it is under way, and its result, a failure too, with those who ask within
 * `forMs` after its beginning: however many ask, the work is done once in that time.
 */
export function sharedCall<T>(call: () => Promise<T>, forMs: number, nowMs = () => performance.now()) {
  let last: { readonly begunAt: number; readonly result: Promise<T>; isOver: boolean } | null = null;

  return (): Promise<T> => {
    if (last !== null && (!last.isOver || nowMs() - last.begunAt < forMs)) return last.result;
    const current = { begunAt: nowMs(), result: call(), isOver: false };
    const end = () => {
      current.isOver = true;
    };
    current.result.then(end, end);
    last = current;
    return current.result;
  };
}
