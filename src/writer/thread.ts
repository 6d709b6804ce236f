/**
 * Runs in a thread of its own: the only one that changes sessions in an embedded database. Deciding, writing and
 * waiting for the disk happen here, while the main thread goes on serving.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { createPresenter } from '../presenter.ts';
import { openSqliteStore } from '../store/sqlite/store.ts';
import { StoreUnavailable } from '../store/store.ts';
import { createTransact } from '../transact.ts';
import type { OrderMessage, ResultMessage, WriterData } from './messages.ts';

const { path, checkoutUrl } = workerData as WriterData;
const store = openSqliteStore(path);
const transact = createTransact({ store, presenter: createPresenter(checkoutUrl), realNow: Date.now });

let results: ResultMessage[] = [];

/** What one commit has brought leaves in one message. */
function answer(result: ResultMessage): void {
  if (results.length === 0) {
    setImmediate(() => {
      parentPort?.postMessage(results);
      results = [];
    });
  }
  results.push(result);
}

parentPort?.on('message', async (orders: readonly OrderMessage[] | 'stop') => {
  if (orders === 'stop') {
    await store.close();
    parentPort?.close();
    return;
  }
  for (const { number, order } of orders) {
    transact(order).then(
      (executed) => answer({ number, executed }),
      (error: Error) =>
        answer({ number, failure: error.message, unavailable: error instanceof StoreUnavailable }),
    );
  }
});
