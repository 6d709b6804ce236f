/** Shared calls by a key: of what many ask at once, and again within a short time, each is done once in it. */
import { createLru } from './lru.ts';
import { sharedCall } from './shared-call.ts';

/** So many results are kept, those that were asked for last. */
const MOST = 500;

type Shared<T> = { call: () => Promise<T>; readonly ask: () => Promise<T> };

/** Results that `isKept` does not take are not told again. */
export function sharedCalls<T>(
  forMs: number,
  nowMs = () => performance.now(),
  isKept: (result: T) => boolean = () => true,
) {
  const known = createLru<string, Shared<T>>({ most: MOST });

  function sharedOf(key: string, call: () => Promise<T>): Shared<T> {
    const found = known.get(key);
    if (found !== undefined) return found;
    const made: Shared<T> = { call, ask: sharedCall(() => made.call(), forMs, nowMs, isKept) };
    known.set(key, made);
    return made;
  }

  /** `call` is what the key stands for; that of whoever asks is made, where one is. */
  return (key: string, call: () => Promise<T>): Promise<T> => {
    const shared = sharedOf(key, call);
    shared.call = call;
    return shared.ask();
  };
}
