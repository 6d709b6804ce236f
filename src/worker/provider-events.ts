/** Notices of rails that are due: matched with what they are about, and tried again while nothing is found. */
import { entryOf } from '../banking/entry.ts';
import { lookUp } from '../banking/ingest/lookup.ts';
import type { Checkout } from '../checkout/session.ts';
import type { Tenant } from '../checkout/tenant.ts';
import { BANK } from '../methods/bank/receiving-account.ts';
import type { Notice } from '../methods/provider-event.ts';
import type { Store, TenantClock } from '../store/store.ts';
import { ownOrigin } from '../writer/command.ts';
import { type RailDuties, syncAttempt } from '../writer/rails.ts';

export type NoticeDuties = RailDuties & { readonly store: Store; readonly onError: (error: unknown) => void };

/**
 * How long to wait before a notice is looked at again that nothing was found for, or whose rail did not answer; then a
 * person has to.
 */
const RETRY_AFTER_MS = [5, 30, 120, 600, 3600, 6 * 3600, 24 * 3600, 48 * 3600].map(
  (seconds) => seconds * 1000,
);

/** Looks at what is due in one place, at most `limit`; says whether there may be more. */
export async function attendToNotices(
  duties: NoticeDuties,
  { tenant, now }: TenantClock,
  limit: number,
): Promise<boolean> {
  const due = await duties.store.notices.listDue(tenant, now, limit);
  let failed = 0;
  for (const notice of due) {
    try {
      await attendTo(duties, tenant, notice, now);
    } catch (error) {
      failed++;
      duties.onError(error);
    }
  }
  return due.length === limit && failed < limit;
}

/**
 * Looks at everything that is due by `now`, each notice at its own time and as often as it is due again by then; says how
 * often. What fails is left to the next look.
 */
export async function catchUpOnNotices(
  duties: NoticeDuties,
  { tenant, now }: TenantClock,
  limit: number,
): Promise<number> {
  const attended = new Set<string>();
  let succeeded = 0;
  for (;;) {
    const due = (await duties.store.notices.listDue(tenant, now, limit)).filter(
      ({ id, dueAt }) => !attended.has(`${id} ${dueAt}`),
    );
    if (due.length === 0) return succeeded;
    for (const notice of due) {
      attended.add(`${notice.id} ${notice.dueAt}`);
      try {
        await attendTo(duties, tenant, notice, notice.dueAt ?? now);
        succeeded++;
      } catch (error) {
        duties.onError(error);
      }
    }
  }
}

function attendTo(duties: NoticeDuties, tenant: Tenant, notice: Notice, now: number): Promise<void> {
  return (notice.rail === BANK ? retryEntry : followUp)(duties, tenant, notice, now);
}

/** A transfer came before anybody knew its reference: perhaps somebody does by now. */
async function retryEntry(duties: NoticeDuties, tenant: Tenant, notice: Notice, now: number): Promise<void> {
  const lookup = await lookUp(duties.store, tenant, entryOf(notice));
  const { id, reference } = notice;
  const origin = ownOrigin(tenant, 'time');
  const action = { type: 'retry', lookup } as const;
  await duties.execute({ subject: 'bank_entry', origin, now, id, reference, action });
}

/** What a provider says is only a reason to ask it: notices come twice, late, and in any order. */
async function followUp(duties: NoticeDuties, tenant: Tenant, notice: Notice, now: number): Promise<void> {
  const { attempt: attemptReference, payment } = notice.data;
  if (attemptReference === null && payment === null) return keep(duties, tenant, notice, 'done', null);
  const checkout = await concerned(duties, tenant, notice);
  const attempt = checkout?.attempts.find(
    ({ id, rail, reference }) =>
      rail === notice.rail &&
      (reference === attemptReference ||
        checkout.payments.some((each) => each.attempt === id && each.reference === payment)),
  );
  // No answer leaves the notice as it is: of an attempt that has succeeded nobody would ask again, and what it was
  // about, such as a dispute, would never be heard of.
  if (checkout && attempt && (await syncAttempt(duties, checkout, attempt, now))) {
    return keep(duties, tenant, notice, 'done', null);
  }
  const wait = RETRY_AFTER_MS[notice.tries];
  if (wait !== undefined) return keep(duties, tenant, notice, 'waiting', now + wait);
  const problem = attempt ? 'nobody answers what a notice is about' : 'a notice is about no known payment';
  duties.onAlert(notice.rail, problem, { notice: notice.id });
  return keep(duties, tenant, notice, 'open', null);
}

async function concerned({ store }: NoticeDuties, tenant: Tenant, notice: Notice): Promise<Checkout | null> {
  for (const reference of [notice.data.attempt, notice.data.payment]) {
    if (typeof reference !== 'string') continue;
    const owner = await store.checkouts.idByReference(tenant, notice.rail, reference);
    if (owner !== null) return store.checkouts.fetch(tenant, owner);
  }
  return null;
}

async function keep(
  { execute }: NoticeDuties,
  tenant: Tenant,
  notice: Notice,
  state: Notice['state'],
  dueAt: number | null,
): Promise<void> {
  const looked = { ...notice, state, dueAt, tries: notice.tries + 1 };
  await execute({ subject: 'provider_event', origin: ownOrigin(tenant, 'rail'), notice: looked });
}
