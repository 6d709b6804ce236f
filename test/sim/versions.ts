/**
 * The versions of the service in a simulation: this one, and a newer one, which is the same with one more migration. Of
 * that the store is a copy; everything else is shared, as nothing else differs.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { UnusableDatabase } from '../../src/store/errors.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { newerSqliteStore } from '../support/newer-version.ts';

export type OpenStore = typeof openSqliteStore;

const MIGRATION = `
  ALTER TABLE checkout ADD COLUMN place TEXT NOT NULL DEFAULT 'here';
  UPDATE checkout SET place = 'there';
  CREATE INDEX checkout_place ON checkout (place);
`;

/** Loads the store of the newer version from a copy in this directory. */
export async function loadNewer(directory: string): Promise<OpenStore> {
  const folder = newerSqliteStore(directory, MIGRATION);
  const url = pathToFileURL(join(folder, 'store.ts')).href;
  const loaded: { readonly openSqliteStore: OpenStore } = await import(url);
  return loaded.openSqliteStore;
}

/** The fault of this version's start on a file that a newer one has migrated, or null. */
export function faultOfOlder(path: string): string | null {
  const before = bytesOf(path);
  try {
    void openSqliteStore(path).close();
    return 'an older version serves the database of a newer one';
  } catch (error) {
    if (!(error instanceof UnusableDatabase)) return `an older version fails at the start: ${error}`;
  }
  return bytesOf(path).equals(before)
    ? null
    : 'an older version that refuses to serve has changed the database';
}

function bytesOf(path: string): Buffer {
  const log = `${path}-wal`;
  return Buffer.concat([readFileSync(path), existsSync(log) ? readFileSync(log) : Buffer.alloc(0)]);
}
