/** Sends an event to a receiver on the developer's machine, with the headers that the service would send. */

import { version } from '../../version.ts';
import { failureOf, failureOfStatus } from '../../webhooks/failure.ts';
import { signatureHeaders } from '../../webhooks/sign.ts';
import { causeOf } from '../client.ts';
import { printable } from '../printable.ts';
import type { FeedEvent } from './feed.ts';

export type Receipt = {
  readonly isTaken: boolean;
  /** Nobody listens there at all. */
  readonly isAbsent: boolean;
  /** Null where there was no answer. */
  readonly status: number | null;
  /** In words: the status, or why there was none, and how a refusal began. */
  readonly answer: string;
  readonly durationMs: number;
};

/** The service waits as long. */
const TIMEOUT_MS = 15_000;
const ABSENT = failureOf({ name: '', message: '', code: 'ECONNREFUSED' });
/** Enough for its first line. */
const MAX_ANSWER_BYTES = 4096;

export async function forward(
  url: string,
  secret: string,
  body: string,
  { id, created_at: createdAt }: FeedEvent,
): Promise<Receipt> {
  const startedAt = performance.now();
  const receipt = (answer: string, status: number | null, isTaken = false): Receipt => ({
    isTaken,
    isAbsent: answer === ABSENT,
    status,
    answer,
    durationMs: Math.round(performance.now() - startedAt),
  });
  const timestampSeconds = Math.floor(Date.now() / 1000);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': `opentill/${version}`,
        ...signatureHeaders({ id, body, createdAt, secrets: [secret], timestampSeconds }),
      },
      body,
      redirect: 'manual',
      signal,
    });
    const answer = await beginningOf(response);
    const { status } = response;
    if (response.ok) return receipt(String(status), status, true);
    const reason = failureOfStatus(status) === 'redirect' ? 'redirects are not followed' : printable(answer);
    return receipt(`${status}${reason === '' ? '' : `  ${reason}`}`, status);
  } catch (error) {
    return receipt(signal.aborted ? 'timeout' : failureOf(causeOf(error)), null);
  }
}

/** Reads an answer to its end, so that the connection can be used again, unless it is longer than anybody looks at. */
async function beginningOf({ body }: Response): Promise<string> {
  if (body === null) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= MAX_ANSWER_BYTES) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}
