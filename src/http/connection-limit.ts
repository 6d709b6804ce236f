/** Connection limit: how many requests may wait or stream, in all and for each key. They end when the service stops. */
import type { ServerResponse } from 'node:http';
import { createCounts } from '../lib/counts.ts';
import { RequestError } from './errors.ts';

const MAX_IN_ALL = 1_000;
const MAX_OF_KEY = 100;
const RETRY_AFTER_SECONDS = '15';

export type Stay = {
  /** Aborted when the client has gone or the service stops. */
  readonly signal: AbortSignal;
  readonly leave: () => void;
};

export type ConnectionLimit = ReturnType<typeof createConnectionLimit>;

export function createConnectionLimit({ maxInAll = MAX_IN_ALL, maxOfKey = MAX_OF_KEY } = {}) {
  const stays = new Set<AbortController>();
  const ofKeys = createCounts();
  let closed = false;

  return {
    /** Throws at the limit. After `close`, the signal is already aborted. */
    enter(keyId: string, response: ServerResponse): Stay {
      const retryAfter = { 'retry-after': RETRY_AFTER_SECONDS };
      if (stays.size >= maxInAll)
        throw new RequestError('unavailable', [], retryAfter, 'Too many requests wait or stream.');
      if (ofKeys.of(keyId) >= maxOfKey) {
        const message = `The API key already has ${maxOfKey} waiting or streaming requests, the maximum.`;
        throw new RequestError(
          'rate_limited',
          [{ reason: 'rate_limited', message, remarks: '' }],
          retryAfter,
        );
      }
      const stay = new AbortController();
      const end = () => stay.abort();
      stays.add(stay);
      ofKeys.add(keyId, 1);
      response.once('close', end);
      if (closed) end();
      return {
        signal: stay.signal,
        leave() {
          if (!stays.delete(stay)) return;
          response.off('close', end);
          ofKeys.add(keyId, -1);
        },
      };
    },

    /** Ends all stays, and later ones as soon as they begin. */
    close(): void {
      closed = true;
      for (const stay of stays) stay.abort();
    },
  };
}
