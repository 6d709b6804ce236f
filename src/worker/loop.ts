/** Work that repeats until it is stopped: at once while there is more, else when nudged, else after a pause. */
export type Loop = {
  nudge(): void;
  /** Resolves when the round that runs has ended; no other begins. */
  stop(): Promise<void>;
};

/** `round` says whether there may be more to do. */
export function startLoop(
  round: () => Promise<boolean>,
  pauseMs: number,
  onError: (error: unknown) => void,
): Loop {
  let stopped = false;
  let nudged = false;
  let wake = () => {};

  const pause = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pauseMs);
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
      } catch (error) {
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
