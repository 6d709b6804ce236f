/**
 * The result of the last backup, for `/metrics`: a small file beside the database. It is no row of it, since a command
 * changes no database that a service owns, a damaged one must not be written, and each backup would hold the result of
 * the one before.
 */
import { readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';

export type BackupResult = {
  /** When the last backup ended, in milliseconds since the epoch. */
  readonly endedAt: number;
  /** `broken`: the copy is whole, and breaks rules as its database does. `failed`: there is none. */
  readonly result: 'ok' | 'broken' | 'failed';
  /** When the last one ended that was `ok`, or null. */
  readonly succeededAt: number | null;
};

/** Beside the file itself, whatever name it is reached by. */
const resultFileOf = (path: string): string => `${realpathSync(path)}.backup.json`;

export function noteBackup(path: string, result: BackupResult['result'], now: number): void {
  const succeededAt = result === 'ok' ? now : (lastBackupOf(path)?.succeededAt ?? null);
  const file = resultFileOf(path);
  const noted: BackupResult = { endedAt: now, result, succeededAt };
  // A reader meanwhile gets the old result or the new one, never a part.
  writeFileSync(`${file}.part`, `${JSON.stringify(noted)}\n`);
  renameSync(`${file}.part`, file);
}

/** The result of the last backup of the database at this path, or null if none is known. */
export function lastBackupOf(path: string): BackupResult | null {
  try {
    const { endedAt, result, succeededAt } = JSON.parse(readFileSync(resultFileOf(path), 'utf8'));
    return Number.isFinite(endedAt) ? { endedAt, result, succeededAt } : null;
  } catch {
    return null;
  }
}
