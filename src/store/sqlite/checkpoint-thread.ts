/**
 * Runs in a thread of its own: copies what has been committed from the log into the database file, so that this holds
 * up no request. Each message asks for it; the answer says that only little is left.
 */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { SHORT_REST_PAGES } from './checkpoint.ts';

/** Each round has only what was written during the one before; more of them would chase a writer that is faster. */
const MAX_ROUNDS = 5;

const database = new DatabaseSync(workerData as string, { timeout: 1000 });
const checkpoint = database.prepare('PRAGMA wal_checkpoint(PASSIVE)');

parentPort?.on('message', (message: 'copy' | 'stop') => {
  if (message === 'stop') {
    database.close();
    parentPort?.close();
    return;
  }
  try {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const { log, checkpointed } = checkpoint.get() as { log: number; checkpointed: number };
      if (log - checkpointed <= SHORT_REST_PAGES) break;
    }
  } catch {
    // A full disk, for one: the writer asks again, and by then there may be room.
  }
  parentPort?.postMessage('copied');
});
