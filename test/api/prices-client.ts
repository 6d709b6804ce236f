/** A client in a thread of its own, so that the thread that answers has nothing else to do. */
import { parentPort } from 'node:worker_threads';

export type Asked = {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
};
export type Answered = { readonly status: number; readonly bytes: number };

parentPort?.on('message', async (requests: readonly Asked[]) => {
  const answers: Answered[] = [];
  for (const { url, method, headers, body } of requests) {
    const response = await fetch(url, { method, headers, body, redirect: 'manual' });
    answers.push({ status: response.status, bytes: (await response.arrayBuffer()).byteLength });
  }
  parentPort?.postMessage(answers);
});
