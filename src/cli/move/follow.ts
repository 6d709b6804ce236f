/**
 * Copies changes made since a row was copied. Sessions, customers and erasures leave a line in the audit log, which is
 * append-only; events are added at the end and removed from the front. Everything else is compared.
 */
import { CHUNK, copyAudit, insertCustomers, type Move } from './copy.ts';
import { copyEvents, forgetEvents } from './events.ts';
import { insertSessions, paymentsOf, removeSessions } from './sessions.ts';
import type { Source, SourceRow, SourceTenant } from './source.ts';
import { table } from './tables.ts';
import { insertRows, type Row, removeRows, type Transaction } from './target.ts';
import { copyUnlogged } from './unlogged.ts';

/** The start of following: the changes after the first row that is copied. */
export function beginning(source: Source): Record<string, string> {
  return followedTo(source, source.newestAudit());
}

/** True if the database has the change that was followed last; an older copy of it has not. */
export function isSamePast({ source, target }: Move): boolean {
  return source.lineOfAudit(Number(target.reached('changes'))) === target.reached('changes_line');
}

function followedTo(source: Source, rowid: number): Record<string, string> {
  return { changes: String(rowid), changes_line: source.lineOfAudit(rowid) };
}

/** One round of following. If nobody writes meanwhile, the copy is complete after it. */
export async function follow(move: Move): Promise<void> {
  await followDirectory(move);
  // Events come before the changes: one that was copied before an erasure redacted it is then copied again.
  await copyEvents(move);
  await forgetEvents(move);
  await followChanges(move);
  await copyUnlogged(move);
  await copyAudit(move);
}

/** Accounts and keys are few, and their changes are counted. */
async function followDirectory({ source, target }: Move): Promise<void> {
  const version = String(source.number('SELECT version FROM directory'));
  if (version === target.reached('directory')) return;
  const rows = ['account', 'api_key'].map((name) => [name, source.all(table(name).select)] as const);
  await target.step(
    async (tx) => {
      for (const [name, all] of rows) {
        await tx`DELETE FROM ${tx(name)}`;
        await insertRows(tx, name, all);
      }
    },
    { directory: version },
  );
}

async function followChanges(move: Move): Promise<void> {
  const { source, target, teller } = move;
  const newest = source.newestAudit();
  let last = Number(target.reached('changes'));
  if (newest > last) teller.begin('copying changes', newest - last);
  while (last < newest) {
    const first = last + 1;
    last = Math.min(newest, last + CHUNK);
    const lines = source.all(
      'SELECT DISTINCT account, live, subject, action FROM audit WHERE rowid BETWEEN ? AND ?',
      first,
      last,
    );
    for (const { tenant, ids, erased } of changesOf(lines)) {
      for (const customer of erased) for (const id of sessionsOf(source, tenant, customer)) ids.add(id);
      for (let at = 0; at < ids.size; at += CHUNK) {
        await copyAnew(move, tenant, [...ids].slice(at, at + CHUNK), erased.size > 0);
      }
    }
    await target.step(async () => {}, followedTo(source, last));
    teller.add(last - first + 1);
  }
}

type Changes = {
  readonly tenant: SourceTenant;
  /** Ids of sessions and customers. */
  readonly ids: Set<string>;
  /** Customers whose sessions and events have to be copied again as well. */
  readonly erased: Set<string>;
};

function changesOf(lines: readonly SourceRow[]): Iterable<Changes> {
  const tenants = new Map<string, Changes>();
  for (const { account, live, subject, action } of lines) {
    const key = `${account} ${live}`;
    const changes = tenants.get(key) ?? {
      tenant: { account: Number(account), live: Number(live) },
      ids: new Set<string>(),
      erased: new Set<string>(),
    };
    tenants.set(key, changes);
    changes.ids.add(String(subject));
    if (action === 'erase_customer') changes.erased.add(String(subject));
  }
  return tenants.values();
}

function sessionsOf(source: Source, { account, live }: SourceTenant, customer: string): string[] {
  return source
    .all('SELECT id FROM checkout WHERE account = ? AND live = ? AND customer = ?', account, live, customer)
    .map(({ id }) => String(id));
}

const amongIds = 'WHERE account = ? AND live = ? AND id IN (SELECT value FROM json_each(?))';

/** Events of a session: a chain that begins at the newest one. */
const history = `
  WITH RECURSIVE chain (at) AS (
    SELECT last_event FROM checkout
    WHERE account = ?1 AND live = ?2 AND id IN (SELECT value FROM json_each(?3))
    UNION ALL
    SELECT event.previous FROM chain
      JOIN event ON event.account = ?1 AND event.live = ?2 AND event.position = chain.at
  )
  SELECT account, live, id, body FROM event
  WHERE account = ?1 AND live = ?2 AND position IN (SELECT at FROM chain)`;

async function copyAnew(
  { source, target }: Move,
  tenant: SourceTenant,
  ids: readonly string[],
  withEvents: boolean,
): Promise<void> {
  const key = [tenant.account, tenant.live] as const;
  const checkouts = source.all(`SELECT * FROM checkout ${amongIds}`, ...key, JSON.stringify(ids));
  const payments = paymentsOf(source, checkouts);
  const events = withEvents ? source.all(history, ...key, JSON.stringify(ids)) : [];
  // The audit log has no line for a customer that a session creates.
  const people = [...new Set([...ids, ...checkouts.flatMap(({ customer }) => customer ?? [])])].map(String);
  const customers = source.all(`${table('customer').select} ${amongIds}`, ...key, JSON.stringify(people));
  await target.step(async (tx) => {
    await removeSessions(tx, tenant, ids);
    await insertSessions(tx, checkouts, payments);
    const removed = people.map((id) => ({ ...tenant, id }));
    await removeRows(tx, 'customer', ['account', 'live', 'id'], removed);
    await insertCustomers(tx, customers);
    await updateBodies(tx, events);
  }, {});
}

/** Updates copied events only; `copyEvents` copies the others. */
async function updateBodies(tx: Transaction, events: readonly Row[]): Promise<void> {
  if (events.length === 0) return;
  await tx.unsafe(
    `UPDATE event SET body = r.body
     FROM json_to_recordset($1::text::json) AS r (account bigint, live boolean, id text, body text)
     WHERE event.account = r.account AND event.live = r.live AND event.id = r.id`,
    [JSON.stringify(events)],
  );
}
