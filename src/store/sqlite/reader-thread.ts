/** Thread that reads for `readers.ts`, one task after the other. Each message is a task, each answer its result. */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { inHundredths } from '../../checkout/hundredths.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import type { EventRow, FeedEvent } from '../../events/event.ts';
import { outlined } from '../../events/outline.ts';
import { rest } from '../../lib/rest.ts';
import { yieldToServing } from '../../lib/thread-priority.ts';
import { type CheckoutRow, checkoutFrom } from '../columns.ts';
import { createKeptJson, type ThreadForm } from '../kept-json.ts';
import { type Packed, pack } from '../packed.ts';
import { type PageRequest, serializedPage } from '../page.ts';
import type { CheckoutFilter } from '../resources/checkout-filters.ts';
import { checkoutPage } from '../resources/checkout-lists.ts';
import { eventFrom } from '../resources/events.ts';
import type { Form } from '../store.ts';
import { soundCheckout, soundLedger } from './checkouts.ts';
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
  | (RowsTask & { readonly outlined?: boolean })
  /** Events of a statement, as bytes. */
  | (RowsTask & { readonly form: Form })
  /** Page of sessions: as they are, or as bytes, which takes longer than to find them. */
  | SessionsTask;

/** Rows of a statement. */
type RowsTask = {
  readonly text: string;
  readonly values: readonly SQLInputValue[];
  readonly most?: number | undefined;
};
type SessionsTask = {
  readonly tenant: Tenant;
  readonly filter: CheckoutFilter;
  readonly page: PageRequest;
  readonly form: ThreadForm | null;
};

/** Events as they are handed over. */
export type PackedEvents = {
  readonly events: ReadonlyArray<Pick<FeedEvent, 'position' | 'type'>>;
  readonly packed: Packed;
};

/** Pages of the file that stay in memory: the inner ones of indexes. The rest is with the operating system. */
const CACHE_KIB = 16 * 1024;

const { path, file, readMs } = workerData as ReaderSetup;
yieldToServing();
const database = new DatabaseSync(path, { readOnly: true, timeout: 1000 });
database.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
const inTime = defineInTime(database);
const run = runner(database);
const jsonOf = createKeptJson();

parentPort?.postMessage('ready');
parentPort?.on('message', (task: ReadTask) => {
  const answer = answered(task);
  parentPort?.postMessage(answer, 'found' in answer ? memoryOf(answer.found) : []);
});

/** Memory of what was found that is handed over: a copy would be made by the thread that answers. */
function memoryOf(found: unknown): ArrayBuffer[] {
  const { json, packed } = Object(found) as { json?: Packed['bytes']; packed?: Packed };
  return [json, packed?.bytes].flatMap((bytes) => (bytes === undefined ? [] : [bytes.buffer]));
}

function answered(task: ReadTask): ReadAnswer {
  // Another database may have been put in the place of the one that is served.
  if (idOf(path) !== file) return { unavailable: 'SQLite: the database file was replaced' };
  inTime.beginMs(readMs);
  try {
    // Statements of one task read the same moment.
    database.exec('BEGIN');
    return { found: found(task) };
  } catch (error) {
    return inWords(error as Error & { errcode?: number });
  } finally {
    if (database.isTransaction) database.exec('COMMIT');
  }
}

function found(task: ReadTask): unknown {
  if ('filter' in task) return sessions(task);
  if ('form' in task) return events(task);
  const { text, values, most, outlined: inOutline = false } = task;
  return inOutline ? outlines(text, values) : run.rows(text, [...values], most);
}

function events({ text, values, form }: RowsTask & { readonly form: Form }): PackedEvents {
  const found: PackedEvents['events'][number][] = [];
  const texts: string[] = [];
  for (const row of run.each(text, [...values])) {
    const { position, type, body } = eventFrom(row as FeedEvent);
    found.push({ position, type });
    texts.push(form.hundredths ? inHundredths(body) : body);
    rest();
  }
  return { events: found, packed: pack(texts) };
}

function outlines(text: string, values: readonly SQLInputValue[]): EventRow[] {
  const found: EventRow[] = [];
  for (const row of run.each(text, [...values])) {
    found.push(outlined(eventFrom(row as EventRow)));
    rest();
  }
  return found;
}

function sessions({ tenant, filter, page, form }: SessionsTask) {
  const found = run.steps(checkoutPage('sqlite', tenant, filter, page));
  if (form === null) {
    const checkoutOf = (row: CheckoutRow) => {
      rest();
      return soundCheckout(run, tenant, row);
    };
    return { ...found, rows: found.rows.map(checkoutOf) };
  }
  return serializedPage(found, page, (row) => {
    rest();
    const { id, version, checksum } = row;
    const ledger = soundLedger(run, tenant, row);
    const make = () => {
      rest();
      return checkoutFrom(row, tenant, ledger);
    };
    return jsonOf(form, { id, mark: `${version} ${checksum}`, make });
  });
}

function inWords(error: Error & { errcode?: number }): ReadAnswer {
  const damaged = damagedRow(error);
  if (damaged !== null) return { damaged: damaged.message, id: damaged.id };
  if (error instanceof TookTooLong) return { unavailable: error.message };
  const { message, errcode } = error;
  return { failed: errcode === undefined ? { message: error.stack ?? message } : { message, errcode } };
}
