/**
 * Runs in a thread of its own: copies what has been committed from the log into the database file, brings that to the
 * disk, and begins the log anew, so that this holds up no request.
 */
import { fdatasyncSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { Report, Task, ThreadData } from './checkpoint.ts';

const { path, file, copyAtBytes } = workerData as ThreadData;
const database = new DatabaseSync(path, { timeout: 1000 });
database.exec(`
  PRAGMA synchronous = NORMAL;
  PRAGMA wal_autocheckpoint = 0;
  PRAGMA journal_size_limit = ${copyAtBytes};
`);
const checkpoint = database.prepare('PRAGMA wal_checkpoint(PASSIVE)');
const version = database.prepare('PRAGMA user_version');

/** Copies what nobody reads without; true if the log has more. */
function copy(): boolean {
  const { log, checkpointed } = checkpoint.get() as { log: number; checkpointed: number };
  return checkpointed < log;
}

/** SQLite syncs the file only behind the last page, and would wait then for everything at once. */
function step(): boolean {
  const isMore = copy();
  fdatasyncSync(file);
  return isMore;
}

/** Copies the rest. The first change behind it, one that changes nothing, begins the log anew. */
function finish(): boolean {
  const isMore = copy();
  if (!isMore) {
    database.exec('BEGIN IMMEDIATE');
    try {
      database.exec(`PRAGMA user_version = ${version.get()?.user_version}; COMMIT`);
    } finally {
      if (database.isTransaction) database.exec('ROLLBACK');
    }
  }
  return isMore;
}

const tasks = { step, finish };

parentPort?.on('message', (task: Task) => {
  if (task === 'stop') {
    database.close();
    parentPort?.close();
    return;
  }
  let isMore = false;
  try {
    isMore = tasks[task]();
  } catch {
    // A full disk, for one: what is in the log is safe there, and the writer asks again.
  }
  parentPort?.postMessage({ done: task, isMore } satisfies Report);
});
