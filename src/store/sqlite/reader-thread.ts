/** Thread that reads for `readers.ts`, one task after the other. Each message is a task, each answer its result. */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { createSerializer, type Serializer } from '../../checkout/serializer.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import { rest } from '../../lib/rest.ts';
import { yieldToServing } from '../../lib/thread-priority.ts';
import { type PageRequest, written } from '../page.ts';
import type { CheckoutFilter } from '../resources/checkout-filters.ts';
import { checkoutPage } from '../resources/checkout-lists.ts';
import { soundCheckout } from './checkouts.ts';
import { defineInTime, TookTooLong } from './in-time.ts';
import { idOf } from './ownership.ts';
import { runner } from './run.ts';
import { damagedRow } from './unusable.ts';

/** Setup of a thread. */
export type ReaderSetup = { readonly path: string; readonly file: string | null; readonly readMs: number };

/** Result of a read; an error as far as it can be handed over. */
export type ReadAnswer =
  | { readonly found: unknown }
  | { readonly damaged: string; readonly id: string | null }
  | { readonly unavailable: string }
  | { readonly failed: { readonly message: string; readonly errcode?: number } };

export type ReadTask =
  /** Rows of a statement. */
  | { readonly text: string; readonly values: readonly SQLInputValue[] }
  /** Page of sessions: as they are, or serialized, which takes longer than to find them. */
  | {
      readonly tenant: Tenant;
      readonly filter: CheckoutFilter;
      readonly page: PageRequest;
      readonly checkoutUrl: string | null;
    };

/** Pages of the file that stay in memory: the inner ones of indexes. The rest is with the operating system. */
const CACHE_KIB = 16 * 1024;

const { path, file, readMs } = workerData as ReaderSetup;
yieldToServing();
const database = new DatabaseSync(path, { readOnly: true, timeout: 1000 });
database.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
const inTime = defineInTime(database);
const run = runner(database);
let serializer: (Serializer & { readonly url: string }) | null = null;

parentPort?.postMessage('ready');
parentPort?.on('message', (task: ReadTask) => parentPort?.postMessage(answered(task)));

function answered(task: ReadTask): ReadAnswer {
  // Another database may have been put in the place of the one that is served.
  if (idOf(path) !== file) return { unavailable: 'SQLite: the database file was replaced' };
  inTime.beginMs(readMs);
  try {
    // Statements of one task read the same moment.
    database.exec('BEGIN');
    return { found: 'text' in task ? run.rows(task.text, [...task.values]) : sessions(task) };
  } catch (error) {
    return inWords(error as Error & { errcode?: number });
  } finally {
    if (database.isTransaction) database.exec('COMMIT');
  }
}

function sessions({ tenant, filter, page, checkoutUrl }: Extract<ReadTask, { filter: unknown }>) {
  const found = run.steps(checkoutPage(tenant, filter, page));
  const checkoutOf = (row: (typeof found.rows)[number]) => {
    rest();
    return soundCheckout(run, tenant, row);
  };
  if (checkoutUrl === null) return { ...found, rows: found.rows.map(checkoutOf) };
  if (serializer?.url !== checkoutUrl) serializer = { ...createSerializer(checkoutUrl), url: checkoutUrl };
  const { checkout: serialize } = serializer;
  return written(found, page, (row) => {
    const checkout = checkoutOf(row);
    rest();
    return { id: checkout.id, json: serialize(checkout) };
  });
}

function inWords(error: Error & { errcode?: number }): ReadAnswer {
  const damaged = damagedRow(error);
  if (damaged !== null) return { damaged: damaged.message, id: damaged.id };
  if (error instanceof TookTooLong) return { unavailable: error.message };
  const { message, errcode } = error;
  return { failed: errcode === undefined ? { message: error.stack ?? message } : { message, errcode } };
}
