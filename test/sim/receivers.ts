/** Receivers of webhooks, played by the simulation in the place of the sender: no byte leaves the process. */
import type { Sending, SendResult } from '../../src/webhooks/sender.ts';

/** `lost`: it arrives, and the answer does not come back; `hangs`: neither, until the time is over. */
export type Mood = 'ok' | 'fails' | 'lost' | 'hangs' | 'busy' | 'gone';

const TIMEOUT_MS = 15_000;

type Listener = {
  /** Something is on its way. */
  readonly sent: (sending: Sending) => void;
  readonly arrived: (sending: Sending) => void;
  readonly saidGone: (sending: Sending) => void;
};

export function createReceivers(count: number, listener: Listener) {
  const moods: Mood[] = Array.from({ length: count }, () => 'ok');

  function answered(outcome: SendResult['outcome'], httpStatus: number | null, durationMs = 10): SendResult {
    const error = outcome === 'delivered' ? null : `HTTP ${httpStatus}`;
    const retryAfterMs = httpStatus === 429 ? 30_000 : null;
    return {
      outcome,
      httpStatus,
      error,
      retryAfterMs,
      durationMs,
      answer: outcome === 'delivered' ? 'thanks' : '',
    };
  }

  return {
    setMood: (receiver: number, mood: Mood) => {
      moods[receiver % count] = mood;
    },
    /** Delivers like the sender. */
    async send(sending: Sending): Promise<SendResult> {
      listener.sent(sending);
      const mood = moods[Number(/^https:\/\/r(\d+)\./.exec(sending.url)?.[1])];
      if (mood === 'ok') listener.arrived(sending);
      if (mood === 'ok') return answered('delivered', 200);
      if (mood === 'busy') return answered('failed', 429);
      if (mood === 'fails') return answered('failed', 500);
      if (mood === 'gone') {
        listener.saidGone(sending);
        return answered('gone', 410);
      }
      if (mood === 'lost') listener.arrived(sending);
      await new Promise((resolve) => setTimeout(resolve, TIMEOUT_MS));
      return answered('failed', null, TIMEOUT_MS);
    },
  };
}
