/** The one transaction in which everything of a change is written. */
import type { DatabaseSync } from 'node:sqlite';
import type { Checkout } from '../../checkout/session.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import { wholeBody } from '../answer-body.ts';
import { type Loaded, type Needs, railKey, type Unit, type Writes } from '../store.ts';
import type { Readers } from './readers.ts';
import { liveOf, type Row } from './rows.ts';
import { inTransaction } from './transaction.ts';
import { writer } from './write.ts';

/** Who else keeps in memory what commits change. */
type Listeners = {
  readonly accountsChanged: () => void;
  readonly committed: (writes: Writes) => void;
};

export function committer(
  database: DatabaseSync,
  readers: Readers,
  { accountsChanged, committed }: Listeners,
) {
  const { checkouts, endpoints } = readers;
  const load = loader(database, readers);
  const write = writer(database);

  return (units: readonly Unit[]): void => {
    // What this transaction has changed already, for the units behind; only a commit makes it known to readers.
    const changed = new Map<string, Checkout>();
    const written: Writes[] = [];
    let erased = false;
    let clockMoved = false;
    let endpointsChanged = false;
    try {
      inTransaction(database, () => {
        for (const { needs, decide } of units) {
          for (const writes of decide(load(needs, changed))) {
            write(needs.tenant, writes);
            written.push(writes);
            if (writes.checkout) changed.set(writes.checkout.after.id, writes.checkout.after);
            if (writes.testClockAdvanceMs) clockMoved = true;
            if (writes.endpoints) {
              endpointsChanged = true;
              endpoints.forget();
            }
            if (writes.erasedCustomer) {
              // It has changed rows of sessions: the units behind must read them anew.
              erased = true;
              changed.clear();
              checkouts.forgetAll();
            }
          }
        }
      });
    } finally {
      // And if nothing of it was committed, nothing that they have read may stay.
      if (erased) checkouts.forgetAll();
      if (endpointsChanged) endpoints.forget();
    }
    for (const checkout of changed.values()) checkouts.remember(checkout);
    for (const writes of written) committed(writes);
    if (clockMoved) accountsChanged();
  };
}

function loader(database: DatabaseSync, readers: Readers) {
  const { checkouts, customers, endpoints, providerEvents, bankEntries, bankFiles } = readers;
  const answer = database.prepare(
    `SELECT request_hash, status_code, headers, idempotency.body, event.body AS event_body
     FROM idempotency LEFT JOIN event
       ON event.account = idempotency.account AND event.live = idempotency.live
          AND event.position = idempotency.event
     WHERE idempotency.account = ? AND idempotency.live = ? AND idempotency_key = ? AND operation = ?`,
  );

  return (needs: Needs, changed: ReadonlyMap<string, Checkout>): Loaded => {
    const { tenant, idempotency } = needs;
    const live = liveOf(tenant);
    const stored = idempotency
      ? (answer.get(tenant.account, live, idempotency.key, idempotency.operation) as Row | undefined)
      : undefined;
    return {
      checkouts: found(needs.checkouts, (id) => own(tenant, changed.get(id)) ?? checkouts.read(tenant, id)),
      customers: found(needs.customers, (id) => customers.read(tenant, id)),
      customersByEmail: found(needs.emails, (email) => customers.readByEmail(tenant, email)),
      owners: found(
        needs.references,
        ({ rail, reference }) => checkouts.ownerOfReference(tenant, rail, reference),
        railKey,
      ),
      providerEvents: found(
        needs.providerEvents,
        ({ rail, reference }) => providerEvents.readByReference(tenant, rail, reference),
        railKey,
      ),
      bankEntries: found(needs.bankEntries, (reference) => bankEntries.readByReference(tenant, reference)),
      statements: found(needs.statements, (hash) => bankFiles.readStatement(tenant, hash)),
      endpoints: needs.endpoints ? endpoints.list(tenant) : [],
      receivers: found(needs.receivers, (id) => endpoints.health(tenant, id)),
      answer:
        stored === undefined
          ? null
          : {
              requestHash: stored.request_hash as string,
              statusCode: stored.status_code as number,
              headers: JSON.parse(stored.headers as string),
              body:
                stored.event_body === null
                  ? (stored.body as string)
                  : wholeBody(stored.body as string, stored.event_body as string),
            },
    };
  };
}

const none = new Map<string, never>();

/** The wanted rows that exist, by their keys. */
function found<W, T>(
  wanted: readonly W[] | undefined,
  read: (each: W) => T | null,
  keyOf: (each: W) => string = String,
): ReadonlyMap<string, T> {
  if (wanted === undefined) return none;
  const all = new Map<string, T>();
  for (const each of wanted) {
    const row = read(each);
    if (row !== null) all.set(keyOf(each), row);
  }
  return all;
}

/** A session that an earlier unit has changed may be another account's, whose units share the batch. */
function own(tenant: Tenant, checkout: Checkout | undefined): Checkout | null {
  if (checkout?.tenant.account !== tenant.account || checkout.tenant.mode !== tenant.mode) return null;
  return checkout;
}
