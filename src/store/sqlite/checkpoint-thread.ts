/**
 * Runs in a thread of its own: copies what has been committed from the log into the database file, and brings that to
 * the disk, so that this holds up no request.
 */
import { fdatasyncSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { Order, Report, ThreadData } from './checkpoint.ts';

/** Rounds of copying: each has only what was written during the one before, so the last leaves little. */
const ROUNDS = 3;

const { path, file } = workerData as ThreadData;
const database = new DatabaseSync(path, { timeout: 1000 });
const checkpoint = database.prepare('PRAGMA wal_checkpoint(PASSIVE)');

const copy = () => checkpoint.get();

function step(): void {
  copy();
  fdatasyncSync(file);
}

/** SQLite syncs the file only behind the last page, and would wait then for everything at once. */
function copyMost(): void {
  for (let round = 0; round < ROUNDS; round++) {
    step();
  }
}

const work: Readonly<Record<Report, () => unknown>> = { step, copy: copyMost, finish: copy };

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
  parentPort?.postMessage(order satisfies Report);
});
