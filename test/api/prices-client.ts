/** A client in a thread of its own, so that the thread that answers has nothing else to do. */
import { parentPort } from 'node:worker_threads';
import type { Sent } from '../support/client.ts';

export type Asked = {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Sent | null;
};
export type Answered = { readonly status: number; readonly bytes: number };

parentPort?.on('message', async ({ url, method, headers, body }: Asked) => {
  const response = await fetch(url, { method, headers, body, redirect: 'manual' });
  const bytes = (await response.arrayBuffer()).byteLength;
  const answer: Answered = { status: response.status, bytes };
  parentPort?.postMessage(answer);
});
