/** An open loop over connections of its own: requests are sent when they are due, and latencies are from that moment. */
import { Agent, request as httpRequest } from 'node:http';
import { constants, getPriority, setPriority } from 'node:os';

export type Request = { readonly method: string; readonly path: string; readonly body?: string };

export type Outcome = {
  readonly sent: number;
  /** Answers that are 2xx. */
  readonly answered: number;
  readonly refused: number;
  readonly failed: number;
  readonly p99Ms: number;
  readonly longestMs: number;
  /** Delay with which requests were sent; the latencies include it. */
  readonly lateP99Ms: number;
};

const CONNECTIONS = 200;

type Loop = {
  readonly url: string;
  readonly secret: string;
  readonly perSecond: number;
  readonly seconds: number;
  readonly next: (count: number) => Request;
};

export async function openLoop({ url, secret, perSecond, seconds, next }: Loop): Promise<Outcome> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, scheduling: 'fifo' });
  const latencies: number[] = [];
  const late: number[] = [];
  let [refused, failed] = [0, 0];
  const total = Math.round(perSecond * seconds);
  const startedAt = performance.now();
  const dueAt = (count: number) => startedAt + (1000 * count) / perSecond;

  function send(count: number): Promise<void> {
    late.push(performance.now() - dueAt(count));
    const { method, path, body } = next(count);
    return new Promise((resolve) => {
      const headers = {
        authorization: `Bearer ${secret}`,
        ...(body === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      };
      const sent = httpRequest(url + path, { method, headers, agent }, (response) => {
        response.resume().once('close', () => {
          const status = response.statusCode ?? 0;
          if (status >= 200 && status < 300) latencies.push(performance.now() - dueAt(count));
          else refused++;
          resolve();
        });
      });
      sent.once('error', () => {
        failed++;
        resolve();
      });
      sent.end(body);
    });
  }

  const leave = goFirst();
  const underWay: Promise<void>[] = [];
  while (underWay.length < total) {
    while (underWay.length < total && dueAt(underWay.length) <= performance.now())
      underWay.push(send(underWay.length));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(underWay);
  leave();
  agent.destroy();
  return {
    sent: total,
    answered: latencies.length,
    refused,
    failed,
    p99Ms: p99Of(latencies),
    longestMs: Math.max(...latencies),
    lateP99Ms: p99Of(late),
  };
}

function p99Of(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length * 0.99)] ?? Number.NaN;
}

/**
 * Clients have processors of their own, so that this one is to have one whenever it wants. The system may not allow it; the
 * function sets back what it did.
 */
function goFirst(): () => void {
  const before = getPriority();
  try {
    setPriority(constants.priority.PRIORITY_HIGHEST);
  } catch {
    return () => {};
  }
  return () => setPriority(before);
}
