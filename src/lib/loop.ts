/** Work that repeats until it is stopped: at once while there is more, else when nudged, else after a pause. */
export type Loop = {
  nudge(): void;
  /** Resolves when the current round has ended; no other begins. */
  stop(): Promise<void>;
};

/** Maximum pause after failed rounds, whose pauses grow: asking more often does not bring back what is unavailable. */
const LONGEST_PAUSE_MS = 2_000;

/** `round` returns true if there may be more to do. */
export function startLoop(
  round: () => Promise<boolean>,
  pauseMs: number,
  onError: (error: unknown) => void,
): Loop {
  let stopped = false;
  let nudged = false;
  let failures = 0;
  let wake = () => {};

  const pause = () =>
    new Promise<void>((resolve) => {
      const longer = Math.min(pauseMs * 2 ** failures, LONGEST_PAUSE_MS);
      const timer = setTimeout(resolve, Math.max(pauseMs, longer));
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  async function run(): Promise<void> {
    while (!stopped) {
      nudged = false;
      let more = false;
      try {
        more = await round();
        failures = 0;
      } catch (error) {
        failures++;
        onError(error);
      }
      if (!more && !nudged && !stopped) await pause();
    }
  }
  const ended = run();

  return {
    nudge() {
      nudged = true;
      wake();
    },
    stop() {
      stopped = true;
      wake();
      return ended;
    },
  };
}
