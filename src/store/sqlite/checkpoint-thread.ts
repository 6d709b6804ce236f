/**
 * Runs in a thread of its own: copies what has been committed from the log into the database file, and brings that to
 * the disk, so that this holds up no request.
 */
import { fdatasyncSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { Order, Report, ThreadData } from './checkpoint.ts';

/** Each round has only what was written during the one before; more of them would chase a writer that is faster. */
const MAX_ROUNDS = 5;
/** What may be left for the time in which nobody writes. */
const SHORT_REST_PAGES = 256;

const { path, file } = workerData as ThreadData;
const database = new DatabaseSync(path, { timeout: 1000 });
const checkpoint = database.prepare('PRAGMA wal_checkpoint(PASSIVE)');

/** Says how many pages are left. */
function copy(): number {
  const { log, checkpointed } = checkpoint.get() as { log: number; checkpointed: number };
  return log - checkpointed;
}

/** SQLite syncs the file only behind the last page, and would wait then for everything at once. */
function copyMost(): void {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    copy();
    fdatasyncSync(file);
    if (copy() <= SHORT_REST_PAGES) break;
  }
}

const work: Readonly<Record<Exclude<Order, 'stop'>, () => unknown>> = { copy: copyMost, finish: copy };

parentPort?.on('message', (order: Order) => {
  if (order === 'stop') {
    database.close();
    parentPort?.close();
    return;
  }
  try {
    work[order]();
  } catch {
    // A full disk, for one: what is in the log is safe there, and the writer asks again.
  }
  const report: Report = order === 'copy' ? 'nearly' : 'finished';
  parentPort?.postMessage(report);
});
