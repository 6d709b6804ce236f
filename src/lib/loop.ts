/**
 * Work that repeats until it is stopped: at once while there is more, else when nudged, else after a pause. A nudge that
 * comes less than `restMs` behind a round waits until then, so that many nudges share a round.
 */
export type Loop = {
  nudge(): void;
  /** Nudges it for what it would find by itself; behind a round that has failed, the pause goes on. */
  offer(): void;
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
  restMs = 0,
): Loop {
  let stopped = false;
  let nudged = false;
  let isResting = false;
  let failures = 0;
  let wake = () => {};

  const wait = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const pause = () => wait(Math.max(pauseMs, Math.min(pauseMs * 2 ** failures, LONGEST_PAUSE_MS)));

  async function rest(): Promise<void> {
    isResting = true;
    await wait(restMs);
    isResting = false;
  }

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
      if (more || stopped) continue;
      if (restMs > 0) await rest();
      if (!nudged && !stopped) await pause();
    }
  }
  const ended = run();

  function nudge(): void {
    nudged = true;
    if (!isResting) wake();
  }

  return {
    nudge,
    offer() {
      if (failures === 0) nudge();
    },
    stop() {
      stopped = true;
      wake();
      return ended;
    },
  };
}
