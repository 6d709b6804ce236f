import type { DatabaseSync } from 'node:sqlite';

/**
 * Reads with several statements in one transaction: the lock of the file, which each would take and give back by itself,
 * costs as much as most of them.
 */
export function readTogether<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN');
  try {
    return work();
  } finally {
    if (database.isTransaction) database.exec('COMMIT');
  }
}

/** Runs `work` in one transaction; whatever it throws, nothing of it stays. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    // Some errors (a full disk, for one) have ended the transaction already.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
