/**
 * Loaded before a service on SQLite, in all of its threads: notes each step of its commits, or of the copying of its log,
 * and kills the process behind the step that it was ordered to. Steps outside of a commit are not counted: what is read
 * meanwhile depends on the moment.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { isMainThread } from 'node:worker_threads';
import type { SyncFile } from '../../../src/store/sqlite/log-sync.ts';
import { BEFORE, COMMIT, counter, nameOf, type Order, SYNCED } from './order.ts';

/** The file of the order; without it nothing is noted. */
const path = process.env.KILL_STEPS ?? '';
const own: Order['of'] = isMainThread ? 'commits' : 'copying';
let known = '';
let order: Order | null = null;
let isLast = counter(null);
/** Set behind a COMMIT that was noted: a sync that is asked for from then on brings it to the disk. */
let isCommitted = false;

function readOrder(): void {
  const text = fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : '';
  if (text === known) return;
  known = text;
  order = text === '' ? null : JSON.parse(text);
  isLast = counter(order?.end ?? null);
  isCommitted = false;
}

function step(text: string): void {
  readOrder();
  if (order?.of !== own) return;
  const name = nameOf(text);
  if (name === COMMIT) isCommitted = true;
  fs.appendFileSync(order.notes, `${name}\n`);
  if (isLast(name)) process.kill(process.pid, 'SIGKILL');
}

/** Set from BEGIN to COMMIT: in between nothing else comes to its turn in this thread. */
let isOpen = false;
const { exec } = DatabaseSync.prototype;
DatabaseSync.prototype.exec = function (text) {
  if (text === 'BEGIN IMMEDIATE') {
    step(BEFORE);
    exec.call(this, text);
    isOpen = true;
    step(text);
    return;
  }
  const ends = isOpen && /\b(COMMIT|ROLLBACK);?$/.test(text);
  exec.call(this, text);
  if (isOpen) step(text);
  if (ends) isOpen = false;
};

for (const name of ['all', 'get', 'run'] as const) {
  const original = StatementSync.prototype[name];
  Object.assign(StatementSync.prototype, {
    [name](this: StatementSync, ...values: unknown[]) {
      const copies = !isMainThread && this.sourceSQL.startsWith('PRAGMA wal_checkpoint');
      if (copies) step('(before the log is copied)');
      const result = Reflect.apply(original, this, values);
      if (isOpen || copies) step(this.sourceSQL);
      return result;
    },
  });
}

const { fdatasync, fdatasyncSync } = fs;
const synced: SyncFile = (file, done) => {
  const [bringsCommit, asked] = [isCommitted, order];
  isCommitted = false;
  fdatasync(file, (error) => {
    if (bringsCommit && asked === order) step(SYNCED);
    done(error);
  });
};
Object.assign(fs, {
  fdatasync: synced,
  fdatasyncSync(file: number) {
    fdatasyncSync(file);
    if (!isMainThread) step('(the copy is on the disk)');
  },
});
syncBuiltinESMExports();
