/**
 * How many deliveries a receiver has under way at once: as many as it answers without delay. More than that would only
 * wait, at the receiver or here, and all of them could come twice after a crash. A receiver that takes its time to fail
 * gets a single one in the end, so that it costs its neighbours next to nothing; so does one that asks for less.
 */

const FIRST = 8;
/** What takes longer is not quick, whatever it took before. */
const SLOW_MS = 1_000;
/** Answers that are so much slower than the quickest tell of a queue. */
const TOLERANCE = 2;
const TOLERANCE_MS = 5;
/** A receiver that is near needs fewer at once than one that is far (Little's law): so many for each ms of its way. */
const ENOUGH_PER_MS = 0.5;
const ENOUGH_NEARBY = 12;
/** How fast the quickest is forgotten: the way to a receiver may become longer. */
const FORGETTING = 0.01;
/** Receivers that are remembered; one that is forgotten begins anew. */
const MAX_REMEMBERED = 10_000;

type Window = { size: number; underWay: number; quickestMs: number };

/** What came of a delivery. */
type Ended = {
  readonly delivered: boolean;
  /** The receiver has asked for less (429). */
  readonly throttled?: boolean;
  /** Until everything of it is done. */
  readonly durationMs: number;
};

export type Windows = ReturnType<typeof createWindows>;

/** `most` is what a receiver gets in the best case. */
export function createWindows(most: number) {
  const windows = new Map<string, Window>();
  const first = Math.min(FIRST, most);

  function windowOf(receiver: string): Window {
    const known = windows.get(receiver);
    if (known) return known;
    if (windows.size >= MAX_REMEMBERED) {
      for (const [id, { underWay }] of windows) if (underWay === 0) windows.delete(id);
    }
    const made = { size: first, underWay: 0, quickestMs: SLOW_MS };
    windows.set(receiver, made);
    return made;
  }

  /** The next size after a delivery that took so long. */
  function sizeAfter({ size, quickestMs }: Window, { delivered, throttled, durationMs }: Ended): number {
    const floor = Math.min(first, size);
    if (throttled) return Math.max(1, Math.floor(size / 2));
    if (durationMs >= SLOW_MS) return Math.max(delivered ? floor : 1, Math.floor(size / 2));
    if (!delivered) return size;
    const waited = durationMs > TOLERANCE * quickestMs + TOLERANCE_MS;
    const enough = Math.max(ENOUGH_NEARBY, Math.ceil(ENOUGH_PER_MS * quickestMs));
    return waited ? Math.max(floor, size - 1) : Math.max(floor, Math.min(most, enough, size + 1));
  }

  return {
    room(receiver: string): number {
      const { size, underWay } = windows.get(receiver) ?? { size: first, underWay: 0 };
      return size - underWay;
    },
    begin(receiver: string): void {
      windowOf(receiver).underWay++;
    },
    end(receiver: string, ended: Ended): void {
      const { delivered, durationMs } = ended;
      const window = windowOf(receiver);
      window.underWay--;
      window.size = sizeAfter(window, ended);
      if (!delivered) return;
      const drifted = window.quickestMs + FORGETTING * (durationMs - window.quickestMs);
      window.quickestMs = Math.min(durationMs, drifted);
    },
  };
}
