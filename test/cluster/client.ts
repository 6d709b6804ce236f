/** Clients that repeat what was not answered, with the same key, as every client of the API should. */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer, Load, Request } from '../crash/load.ts';

const PAUSE_MS = 50;
/** Between an answer and the next request: without it, clients take all of the processor for as long as a test waits. */
const THINK_MS = 20;

export type Clients = ReturnType<typeof createClients>;

/** Clients that keep asking; times in their figures are in milliseconds. */
export function createClients(load: Load, { giveUpAfterMs }: { giveUpAfterMs: number }) {
  /** Set when one of the clients has failed: the others need not go on. */
  let ended = false;
  const figures = { answered: 0, unavailable: 0, broken: 0, replayed: 0, longestMs: 0 };

  async function attempt(url: string, request: Request): Promise<Answer | null> {
    const startedAt = performance.now();
    const answer = await load.send(url, request);
    figures.longestMs = Math.max(figures.longestMs, performance.now() - startedAt);
    if (answer === null) figures.broken++;
    else if (answer.status === 503) {
      figures.unavailable++;
      assert.match(answer.retryAfter ?? '', /^\d+$/, 'who is put off is told for how long');
    }
    return answer;
  }

  /** Asks until there is an answer; fails if there is none in time, or one that is no success and no refusal. */
  async function insist(url: string, request: Request): Promise<void> {
    const giveUpAt = performance.now() + giveUpAfterMs;
    while (!ended) {
      const answer = await attempt(url, request);
      if (answer !== null && answer.status !== 503) {
        load.acknowledge(request, answer);
        figures.answered++;
        if (answer.replayed) figures.replayed++;
        return;
      }
      assert.ok(performance.now() < giveUpAt, `${request.kind} had no answer for ${giveUpAfterMs} ms`);
      await pause(PAUSE_MS);
    }
  }

  return {
    figures,
    /** Asks for one thing after the other, `parallel` at once, until told to stop; then nothing is left open. */
    async keepAsking(url: string, parallel: number, stop: AbortSignal): Promise<void> {
      const client = async () => {
        while (!stop.aborted) {
          await insist(url, load.nextRequest());
          await pause(THINK_MS);
        }
      };
      try {
        await Promise.all(Array.from({ length: parallel }, client));
      } finally {
        ended = true;
      }
    },
  };
}
