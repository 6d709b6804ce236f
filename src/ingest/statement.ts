/**
 * Ingests a statement. The file is read through once before anything is written, so that a file with a mistake leaves
 * nothing behind. Then each entry is ingested by itself, once, however often it appears. After a crash in between, the
 * next try finds what is already stored and goes on.
 */

import type { BankFile, BankFileId } from '../banking/bank-file.ts';
import { newEntry } from '../banking/entry.ts';
import type { JsonObject } from '../checkout/session.ts';
import { type Tenant, type TenantTime, tenantName } from '../checkout/tenant.ts';
import { newId } from '../lib/id.ts';
import { mapInTurns } from '../lib/map-in-turns.ts';
import type { StatementEntry, StatementPart } from '../statements/entry.ts';
import { entryKey, occurrenceCounter } from '../statements/identity.ts';
import type { Store } from '../store/store.ts';
import type { Origin, Serialize } from '../writer/command.ts';
import type { Executed } from '../writer/writer.ts';
import { accountFinder } from './account-finder.ts';
import { type Booking, bookingsOf } from './bookings.ts';
import { type IngestDependencies, type IngestedState, ingestEntry, ingestParts } from './entries.ts';

/** Entries in progress at once: enough to fill a commit. */
const AT_ONCE = 512;
/** Limit of statement numbers listed with the stored file. */
const MAX_STATEMENTS_NAMED = 100;

export type StatementFile = {
  /** Name given by the operator. */
  readonly name: string;
  /** Hexadecimal SHA-256 of the content. */
  readonly hash: string;
  /** Reads the content from its beginning, each time it is called. */
  readonly read: () => AsyncIterable<StatementPart>;
};

/**
 * Ingests a file and answers with its stored form. Throws StatementError if it cannot be read; then nothing is stored.
 */
export async function ingestStatement(
  dependencies: IngestDependencies,
  origin: Origin,
  source: StatementFile,
  now: TenantTime,
  serialize?: Serialize<BankFile>,
): Promise<Executed<BankFile>> {
  const { store, execute } = dependencies;
  return inTurn(store, origin.tenant, async () => {
    const known = await store.bankFiles.fetchByHash(origin.tenant, 'statement', source.hash);
    const file = known ?? (await ingestFile(dependencies, origin, source, now));
    // Two processes that ingest the same file at once share the work; the result is what the first of them stored.
    return execute({ subject: 'bank_file', origin, now, file }, serialize);
  });
}

/** Ingestion in progress in each store, by tenant: two files with the same entries could not see each other. */
const turnsOf = new WeakMap<Store, Map<string, Promise<unknown>>>();

/** Runs the work of one tenant one after the other, within this process. */
async function inTurn<T>(store: Store, tenant: Tenant, work: () => Promise<T>): Promise<T> {
  const turns = turnsOf.get(store) ?? new Map<string, Promise<unknown>>();
  turnsOf.set(store, turns);
  const name = tenantName(tenant);
  const turn = (turns.get(name) ?? Promise.resolve()).then(work, work);
  turns.set(name, turn);
  try {
    return await turn;
  } finally {
    if (turns.get(name) === turn) turns.delete(name);
  }
}

async function ingestFile(
  dependencies: IngestDependencies,
  origin: Origin,
  source: StatementFile,
  now: TenantTime,
): Promise<BankFile> {
  const known = await accountFinder(dependencies.store, origin.tenant);
  for await (const part of source.read()) if (part.kind === 'statement') known(part.header);

  const id = await reservedId(dependencies, origin, source.hash, now);
  const counts = { entries: 0, new: 0, settled: 0, open: 0 };
  const statements: string[] = [];
  const count = (states: readonly IngestedState[]) => {
    for (const state of states) {
      if (state === 'known') continue;
      counts.new++;
      counts[state === 'open' || state === 'waiting' ? 'open' : 'settled']++;
    }
  };
  const underWay = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const occurrenceOf = occurrenceCounter();
  for await (const booking of bookingsOf(source.read(), (header) => {
    if (statements.length < MAX_STATEMENTS_NAMED) statements.push(header.statementId);
  })) {
    counts.entries += booking.entries.length;
    const step = ingestBooking(await numbered(booking))
      .then(count)
      .catch((error) => {
        failures.push(error);
      })
      .finally(() => underWay.delete(step));
    underWay.add(step);
    if (underWay.size >= AT_ONCE) await Promise.race(underWay);
    if (failures.length > 0) break;
  }
  await Promise.all(underWay);
  // Entries already stored stay; the next try of the same file finds them.
  if (failures.length > 0) throw failures[0];
  const data: JsonObject = { name: source.name, statements, ...counts };
  return { id, kind: 'statement', createdAt: now, hash: source.hash, data, content: '' };

  /** Numbers the entries of a booking before the next one is read: of two equal entries, the second stays the second. */
  async function numbered({ header: given, entries, sum }: Booking) {
    const header = known(given);
    const number = (entry: StatementEntry) => ({
      entry: newEntry(entry, header.account, id),
      reference: entryKey(header, entry, occurrenceOf(header, entry)),
    });
    const parts = await mapInTurns(entries, number);
    return { parts, sum: sum === null ? null : number(sum) };
  }

  function ingestBooking({ parts, sum }: Awaited<ReturnType<typeof numbered>>) {
    const work = { dependencies, origin, file: id, now };
    return sum === null
      ? Promise.all(parts.map((each) => ingestEntry(work, each)))
      : ingestParts(work, sum, parts, AT_ONCE);
  }
}

/**
 * Reserves the id of the file before its first entry is stored, since entries name it. A retry after a crash, or
 * another process that ingests the same file at the same time, gets the same id.
 */
async function reservedId(
  { execute }: IngestDependencies,
  origin: Origin,
  hash: string,
  now: TenantTime,
): Promise<BankFileId> {
  const file = {
    id: newId('bfl', now),
    kind: 'ingesting',
    createdAt: now,
    hash,
    data: {},
    content: '',
  } as const;
  const { result } = await execute({
    subject: 'bank_file',
    // The key of the request is for the file as a whole.
    origin: { ...origin, idempotency: null },
    now,
    file,
  });
  if (!('value' in result)) throw new Error('the id of a file was not reserved');
  return result.value.id;
}
