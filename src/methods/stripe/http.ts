/** One request to Stripe: answered as a whole within its time, or not at all. */
import { version } from '../../version.ts';
import { API_VERSION } from './api.ts';

export type StripeRequest = {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty for GET. */
  readonly body: string;
  readonly timeoutMs: number;
};

export type StripeAnswer = {
  readonly status: number;
  /** Stripe's own opinion on another try: `true`, `false`, or null. */
  readonly shouldRetry: string | null;
  readonly text: string;
};

/** Rejects where there is no answer, or too much of it: a time-out, a connection that breaks. */
export type StripeHttp = (request: StripeRequest) => Promise<StripeAnswer>;

/** Headers of every request; a POST has a form for its body. */
export const headersOf = (secretKey: string, method: StripeRequest['method']): Record<string, string> => ({
  accept: 'application/json',
  authorization: `Bearer ${secretKey}`,
  'stripe-version': API_VERSION,
  'user-agent': `opentill/${version}`,
  ...(method === 'POST' ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
});

/** A page of a list has a hundred objects of some kilobytes. */
const MAX_BYTES = 8 * 2 ** 20;

export const fetchHttp: StripeHttp = async ({ method, url, headers, body, timeoutMs }) => {
  const controller = new AbortController();
  const timer = setTimeout(
    () => controller.abort(new Error(`there was no complete answer within ${timeoutMs} ms`)),
    timeoutMs,
  );
  try {
    const response = await fetch(url, {
      method,
      headers,
      redirect: 'error',
      signal: controller.signal,
      ...(method === 'POST' ? { body } : {}),
    });
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > MAX_BYTES) throw new Error(`the answer has more than ${MAX_BYTES} bytes`);
      chunks.push(chunk);
    }
    const shouldRetry = response.headers.get('stripe-should-retry');
    return { status: response.status, shouldRetry, text: Buffer.concat(chunks).toString() };
  } finally {
    clearTimeout(timer);
  }
};
