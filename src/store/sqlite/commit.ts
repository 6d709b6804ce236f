/** The one transaction in which everything of a change is written. */
import type { DatabaseSync } from 'node:sqlite';
import type { Checkout } from '../../checkout/session.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import { wholeBody } from '../answer-body.ts';
import type { Loaded, Needs, Unit, Writes } from '../store.ts';
import type { CheckoutReader } from './checkouts.ts';
import type { CustomerReader } from './customers.ts';
import type { EndpointReader } from './endpoints.ts';
import type { NoticeReader } from './notices.ts';
import { liveOf, type Row } from './rows.ts';
import { inTransaction } from './transaction.ts';
import { writer } from './write.ts';

type Readers = {
  readonly checkouts: CheckoutReader;
  readonly customers: CustomerReader;
  readonly endpoints: EndpointReader;
  readonly notices: NoticeReader;
};

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

function loader(database: DatabaseSync, { checkouts, customers, endpoints, notices }: Readers) {
  const answer = database.prepare(
    `SELECT request_hash, status_code, headers, idempotency.body, event.body AS event_body
     FROM idempotency LEFT JOIN event
       ON event.account = idempotency.account AND event.live = idempotency.live
          AND event.position = idempotency.event
     WHERE idempotency.account = ? AND idempotency.live = ? AND idempotency_key = ? AND operation = ?`,
  );

  return (needs: Needs, changed: ReadonlyMap<string, Checkout>): Loaded => {
    const { tenant, rail, notice, idempotency, receivers = [] } = needs;
    const live = liveOf(tenant);
    const read = (id: string) => own(tenant, changed.get(id)) ?? checkouts.read(tenant, id);
    const stored = idempotency
      ? (answer.get(tenant.account, live, idempotency.key, idempotency.operation) as Row | undefined)
      : undefined;
    return {
      checkout: needs.checkout === undefined ? null : read(needs.checkout),
      checkouts: new Map(
        needs.checkouts?.flatMap((id) => {
          const checkout = read(id);
          return checkout === null ? [] : [[id, checkout] as const];
        }),
      ),
      notice: notice === undefined ? null : notices.readByReference(tenant, notice.rail, notice.reference),
      notices: new Map(
        needs.notices?.flatMap((each) => {
          const found = notices.readByReference(tenant, each.rail, each.reference);
          return found === null ? [] : [[found.id, found] as const];
        }),
      ),
      customer: needs.customer === undefined ? null : customers.read(tenant, needs.customer),
      customerByEmail: needs.email === undefined ? null : customers.readByEmail(tenant, needs.email),
      ownerOfReference:
        rail === undefined ? null : checkouts.ownerOfReference(tenant, rail.rail, rail.reference),
      endpoints: needs.endpoints ? endpoints.list(tenant) : [],
      receivers: new Map(
        receivers.flatMap((id) => {
          const health = endpoints.health(tenant, id);
          return health === null ? [] : [[id, health] as const];
        }),
      ),
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

/** A session that an earlier unit has changed may be another account's, whose units share the batch. */
function own(tenant: Tenant, checkout: Checkout | undefined): Checkout | null {
  if (checkout?.tenant.account !== tenant.account || checkout.tenant.mode !== tenant.mode) return null;
  return checkout;
}
