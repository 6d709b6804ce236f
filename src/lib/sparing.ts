import { createLru } from './lru.ts';

/** Texts remembered, at most; a forgotten one is said again. */
const MAX_TEXTS = 100;

/**
 * For lines of which there may be thousands in a second. Called with the text of a line: null if that is to be left out,
 * otherwise how many like it were left out since the last one.
 */
export function createSparing(everyMs: number, nowMs: () => number): (text: string) => number | null {
  const last = createLru<string, { readonly at: number; leftOut: number }>({ most: MAX_TEXTS });
  return (text) => {
    const now = nowMs();
    const known = last.get(text);
    if (known !== undefined && now - known.at < everyMs) {
      known.leftOut++;
      return null;
    }
    last.set(text, { at: now, leftOut: 0 });
    return known?.leftOut ?? 0;
  };
}
