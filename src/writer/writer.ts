/** The main thread's end of the writer: orders go over in messages, outcomes come back, each to who waits for it. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { StoreUnavailable } from '../store/store.ts';
import type { Executed, Transact } from '../transact.ts';
import type { OrderMessage, ResultMessage, WriterData } from './messages.ts';

export type Writer = {
  readonly transact: Transact;
  /** Resolves when the thread has ended. Nobody may be waiting for an outcome any more. */
  stop(): Promise<void>;
};

type Waiting = { resolve: (executed: Executed) => void; reject: (error: Error) => void };

/** `maxWaiting` bounds the orders that wait for their outcome; more are refused, to be repeated later. */
export function startWriter(data: WriterData, { maxWaiting = 10_000 } = {}): Writer {
  const thread = new Worker(new URL('./thread.ts', import.meta.url), { workerData: data });
  const waiting = new Map<number, Waiting>();
  let orders: OrderMessage[] = [];
  let count = 0;

  thread.on('message', (results: readonly ResultMessage[]) => {
    for (const result of results) {
      const { resolve, reject } = waiting.get(result.number) as Waiting;
      waiting.delete(result.number);
      if ('executed' in result) resolve(result.executed);
      else reject(result.unavailable ? new StoreUnavailable(result.failure) : new Error(result.failure));
    }
  });
  // A thread that dies leaves open whether its last orders were carried out. Ending the process at once lets whoever
  // runs it start it anew from what is on disk.
  thread.on('error', (error) => {
    throw error;
  });

  return {
    transact: (order) =>
      new Promise((resolve, reject) => {
        if (waiting.size >= maxWaiting) {
          reject(new StoreUnavailable('too many changes are waiting to be written'));
          return;
        }
        const number = ++count;
        waiting.set(number, { resolve, reject });
        // Requests that arrived in the same turn of the event loop leave in one message.
        if (orders.length === 0) {
          setImmediate(() => {
            thread.postMessage(orders);
            orders = [];
          });
        }
        orders.push({ number, order });
      }),

    async stop() {
      const ended = once(thread, 'exit');
      thread.postMessage('stop');
      await ended;
    },
  };
}
