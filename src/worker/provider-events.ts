/** Due provider events: their rails are asked, again and again while no session is found or no rail answers. */
import type { Checkout } from '../checkout/session.ts';
import type { Tenant, TenantTime } from '../checkout/tenant.ts';
import type { ProviderEvent, ProviderEventState } from '../methods/provider-event.ts';
import type { Store } from '../store/store.ts';
import { ownOrigin } from '../writer/command.ts';
import { type RailDependencies, syncAttempt } from '../writer/rails.ts';
import { type DueRows, dueRows } from './due-rows.ts';

export type ProviderEventDependencies = RailDependencies & {
  readonly store: Pick<Store, 'providerEvents'>;
  readonly onError: (error: unknown) => void;
};

/**
 * Waits before a provider event is looked at again, if no session was found or its rail did not answer. After the last
 * one, a person has to look.
 */
const RETRY_AFTER_MS = [5, 30, 120, 600, 3600, 6 * 3600, 24 * 3600, 48 * 3600].map(
  (seconds) => seconds * 1000,
);

export function dueProviderEvents(dependencies: ProviderEventDependencies): DueRows {
  return dueRows({
    listDue: dependencies.store.providerEvents.listDue,
    attendTo: (tenant, event, now) => followUp(dependencies, tenant, event, now),
    onError: dependencies.onError,
  });
}

/** A provider event is only a reason to ask the provider: it may come twice, late, and in any order. */
async function followUp(
  dependencies: ProviderEventDependencies,
  tenant: Tenant,
  event: ProviderEvent,
  now: TenantTime,
): Promise<void> {
  const { attemptReference, paymentReference } = event;
  if (attemptReference === null && paymentReference === null) {
    return keep(dependencies, tenant, event, 'done', null);
  }
  const checkout = await concerned(dependencies, tenant, event);
  const attempt = checkout?.attempts.find(
    ({ id, rail, reference }) =>
      rail === event.rail &&
      (reference === attemptReference ||
        checkout.payments.some((each) => each.attempt === id && each.reference === paymentReference)),
  );
  // Without an answer, the provider event stays as it is: nobody would ask again about an attempt that has succeeded,
  // and a dispute, for example, would be missed.
  if (checkout && attempt && (await syncAttempt(dependencies, checkout, attempt, now))) {
    return keep(dependencies, tenant, event, 'done', null);
  }
  const wait = RETRY_AFTER_MS[event.tries];
  if (wait !== undefined) return keep(dependencies, tenant, event, 'waiting', now + wait);
  const problem = attempt
    ? 'nobody answers what a provider event is about'
    : 'a provider event is about no known payment';
  dependencies.onAlert(event.rail, problem, { event: event.id });
  return keep(dependencies, tenant, event, 'open', null);
}

async function concerned(
  { store }: ProviderEventDependencies,
  tenant: Tenant,
  { rail, attemptReference, paymentReference }: ProviderEvent,
): Promise<Checkout | null> {
  for (const reference of [attemptReference, paymentReference]) {
    if (reference === null) continue;
    const owner = await store.checkouts.idByReference(tenant, rail, reference);
    if (owner !== null) return store.checkouts.fetch(tenant, owner);
  }
  return null;
}

async function keep(
  { execute }: ProviderEventDependencies,
  tenant: Tenant,
  event: ProviderEvent,
  state: ProviderEventState,
  dueAt: TenantTime | null,
): Promise<void> {
  const looked = { ...event, state, dueAt, tries: event.tries + 1 };
  await execute({ subject: 'provider_event', origin: ownOrigin(tenant, 'rail'), event: looked });
}
