/**
 * Shares one call among all who ask while it is under way, and its result, a failure too, with those who ask within
 * `forMs` after its beginning: however many ask, the work is done once in that time. A result that `isKept` does not
 * take is for those alone who asked meanwhile.
 */
export function sharedCall<T>(
  call: () => Promise<T>,
  forMs: number,
  nowMs = () => performance.now(),
  isKept: (result: T) => boolean = () => true,
) {
  let last: { readonly begunAt: number; readonly result: Promise<T>; isOver: boolean } | null = null;

  return (): Promise<T> => {
    if (last !== null && (!last.isOver || nowMs() - last.begunAt < forMs)) return last.result;
    const current = { begunAt: nowMs(), result: call(), isOver: false };
    const end = () => {
      current.isOver = true;
    };
    last = current;
    current.result.then((result) => {
      end();
      if (last === current && !isKept(result)) last = null;
    }, end);
    return current.result;
  };
}
