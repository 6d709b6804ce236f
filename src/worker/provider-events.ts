/** Due provider events: matched with their session, and retried while no session is found. */
import { entryOf } from '../banking/entry.ts';
import { lookUp } from '../banking/ingest/lookup.ts';
import type { Checkout } from '../checkout/session.ts';
import type { Tenant, TenantTime } from '../checkout/tenant.ts';
import { BANK } from '../methods/bank/receiving-account.ts';
import type { Notice } from '../methods/provider-event.ts';
import type { Store, TenantClock } from '../store/store.ts';
import { ownOrigin } from '../writer/command.ts';
import { type RailDependencies, syncAttempt } from '../writer/rails.ts';

export type NoticeDependencies = RailDependencies & {
  readonly store: Store;
  readonly onError: (error: unknown) => void;
};

/**
 * Waits before a provider event is looked at again, if no session was found or its rail did not answer. After the last
 * one, a person has to look.
 */
const RETRY_AFTER_MS = [5, 30, 120, 600, 3600, 6 * 3600, 24 * 3600, 48 * 3600].map(
  (seconds) => seconds * 1000,
);

/** Processes the due provider events of one tenant, at most `limit`; returns true if there may be more. */
export async function attendToNotices(
  dependencies: NoticeDependencies,
  { tenant, now }: TenantClock,
  limit: number,
): Promise<boolean> {
  const due = await dependencies.store.notices.listDue(tenant, now, limit);
  let failed = 0;
  for (const notice of due) {
    try {
      await attendTo(dependencies, tenant, notice, now);
    } catch (error) {
      failed++;
      dependencies.onError(error);
    }
  }
  return due.length === limit && failed < limit;
}

/**
 * Processes all provider events that are due by `now`, each at its own time and as often as it is due again by then;
 * returns their number. Failures are left to the next round.
 */
export async function catchUpOnNotices(
  dependencies: NoticeDependencies,
  { tenant, now }: TenantClock,
  limit: number,
): Promise<number> {
  const attended = new Set<string>();
  let succeeded = 0;
  for (;;) {
    const due = (await dependencies.store.notices.listDue(tenant, now, limit)).filter(
      ({ id, dueAt }) => !attended.has(`${id} ${dueAt}`),
    );
    if (due.length === 0) return succeeded;
    for (const notice of due) {
      attended.add(`${notice.id} ${notice.dueAt}`);
      try {
        await attendTo(dependencies, tenant, notice, notice.dueAt ?? now);
        succeeded++;
      } catch (error) {
        dependencies.onError(error);
      }
    }
  }
}

function attendTo(
  dependencies: NoticeDependencies,
  tenant: Tenant,
  notice: Notice,
  now: TenantTime,
): Promise<void> {
  return (notice.rail === BANK ? retryEntry : followUp)(dependencies, tenant, notice, now);
}

/** A transfer without a match: its reference may be known by now. */
async function retryEntry(
  dependencies: NoticeDependencies,
  tenant: Tenant,
  notice: Notice,
  now: TenantTime,
): Promise<void> {
  const lookup = await lookUp(dependencies.store, tenant, entryOf(notice));
  const { id, reference } = notice;
  const origin = ownOrigin(tenant, 'time');
  const action = { type: 'retry', lookup } as const;
  await dependencies.execute({ subject: 'bank_entry', origin, now, id, reference, action });
}

/** A provider event is only a reason to ask the provider: it may come twice, late, and in any order. */
async function followUp(
  dependencies: NoticeDependencies,
  tenant: Tenant,
  notice: Notice,
  now: TenantTime,
): Promise<void> {
  const { attempt: attemptReference, payment } = notice.data;
  if (attemptReference === null && payment === null) return keep(dependencies, tenant, notice, 'done', null);
  const checkout = await concerned(dependencies, tenant, notice);
  const attempt = checkout?.attempts.find(
    ({ id, rail, reference }) =>
      rail === notice.rail &&
      (reference === attemptReference ||
        checkout.payments.some((each) => each.attempt === id && each.reference === payment)),
  );
  // Without an answer, the provider event stays as it is: nobody would ask again about an attempt that has succeeded,
  // and a dispute, for example, would be missed.
  if (checkout && attempt && (await syncAttempt(dependencies, checkout, attempt, now))) {
    return keep(dependencies, tenant, notice, 'done', null);
  }
  const wait = RETRY_AFTER_MS[notice.tries];
  if (wait !== undefined) return keep(dependencies, tenant, notice, 'waiting', now + wait);
  const problem = attempt ? 'nobody answers what a notice is about' : 'a notice is about no known payment';
  dependencies.onAlert(notice.rail, problem, { notice: notice.id });
  return keep(dependencies, tenant, notice, 'open', null);
}

async function concerned(
  { store }: NoticeDependencies,
  tenant: Tenant,
  notice: Notice,
): Promise<Checkout | null> {
  for (const reference of [notice.data.attempt, notice.data.payment]) {
    if (typeof reference !== 'string') continue;
    const owner = await store.checkouts.idByReference(tenant, notice.rail, reference);
    if (owner !== null) return store.checkouts.fetch(tenant, owner);
  }
  return null;
}

async function keep(
  { execute }: NoticeDependencies,
  tenant: Tenant,
  notice: Notice,
  state: Notice['state'],
  dueAt: TenantTime | null,
): Promise<void> {
  const looked = { ...notice, state, dueAt, tries: notice.tries + 1 };
  await execute({ subject: 'provider_event', origin: ownOrigin(tenant, 'rail'), notice: looked });
}
