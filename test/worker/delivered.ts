import type { SendResult } from '../../src/webhooks/sender.ts';

/** Result of a webhook that has arrived. */
export const delivered: SendResult = {
  outcome: 'delivered',
  httpStatus: 200,
  error: null,
  retryAfterMs: null,
  durationMs: 1,
  answer: '',
};
