import type { DatabaseSync } from 'node:sqlite';
import type { Checkout } from '../../checkout/session.ts';
import { type Tenant, tenantName } from '../../checkout/tenant.ts';
import { checksumOfSession } from '../checksum.ts';
import { checkoutColumns, checkoutRow, followingTables } from '../columns.ts';
import { erase } from '../erase.ts';
import { rowChangesOf } from '../resources/all.ts';
import { answerRow, replacedAnswer } from '../resources/answers.ts';
import { moveClock } from '../resources/clocks.ts';
import { changeAccount } from '../resources/directory.ts';
import { feedEnd, fetchLastEvent } from '../resources/events.ts';
import type { Writes } from '../store.ts';
import { deliveryWrites } from '../write-deliveries.ts';
import { createLastEvents, type LastEvents } from './checkouts.ts';
import { addAccount, sumRow } from './directory.ts';
import type { Runner } from './run.ts';
import { rowStatements } from './statements.ts';

type Write = (tenant: Tenant, writes: Writes) => void;

/** Error of a session that something else than this store has changed since it was read. */
export class OutdatedCheckout extends Error {
  override name = 'OutdatedCheckout';
}

/** Writes the rows of units, inside the transaction that `commit.ts` has opened: a function for each transaction. */
export function writer(
  database: DatabaseSync,
  runner: Runner,
  lastEvents: LastEvents = createLastEvents(),
): () => Write {
  const { read, steps, change } = runner;
  const rows = rowStatements(database);

  const lastEventOf = (checkout: Checkout): number =>
    lastEvents.get(checkout) ?? read(fetchLastEvent(checkout));

  function writeCheckout(before: Checkout | null, after: Checkout, lastEvent: number): void {
    const own = checkoutRow(after);
    const row = Object.assign(own, { lastEvent, checksum: checksumOfSession(own, after.payments) });
    if (before === null) rows.insert(after.tenant, 'checkout', row);
    else if (!rows.update(after.tenant, 'checkout', row, checkoutColumns(before), before.version)) {
      throw new OutdatedCheckout(`session ${after.id} is no longer at version ${before.version}`);
    }
    lastEvents.set(after, lastEvent);
  }

  /** `ends` are those of the feeds, known after the first look: nobody else writes during the transaction. */
  function write(ends: Map<string, number>, tenant: Tenant, writes: Writes): void {
    const { checkout, events = [], erasedCustomer, answer, clockMove, account } = writes;
    const { newAccount, accountAudits = [] } = writes;
    const feed = tenantName(tenant);
    const end = ends.get(feed) ?? read(feedEnd(tenant));
    // Only the history of a session is a chain.
    let previous = checkout?.before ? lastEventOf(checkout.before) : 0;
    for (const [index, event] of events.entries()) {
      const position = end + index + 1;
      rows.insert(tenant, 'event', { ...event, position, previous });
      if (checkout) previous = position;
    }
    ends.set(feed, end + events.length);
    if (checkout) writeCheckout(checkout.before, checkout.after, previous);
    for (const change of rowChangesOf([writes], checkout ? [checkout] : [], followingTables))
      rows.change(tenant, change);
    for (const [statement, each] of deliveryWrites([writes])) rows.run(tenant, statement, each);
    if (answer) {
      const row = answerRow(answer, events, (index) => end + index + 1);
      replacedAnswer(tenant, answer).forEach(change);
      rows.insert(tenant, 'idempotency', row);
    }
    if (clockMove) moveClock(tenant.account, clockMove).forEach(change);
    if (account) {
      change(changeAccount(account));
      sumRow(runner, ['account', tenant.account]);
    }
    if (newAccount) addAccount(runner, newAccount);
    for (const { account: number, audit } of accountAudits)
      for (const each of rowChangesOf([{ audit }], [], followingTables))
        rows.change({ account: number, mode: 'live' }, each);
    if (erasedCustomer) steps(erase(tenant, erasedCustomer));
  }

  return () => {
    const ends = new Map<string, number>();
    return (tenant, writes) => write(ends, tenant, writes);
  };
}
