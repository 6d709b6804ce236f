/** Due provider events: their rails are asked, again and again while no session is found or no rail answers. */
import type { Checkout } from '../checkout/session.ts';
import type { Tenant, TenantTime } from '../checkout/tenant.ts';
import type { ProviderEvent, WaitReason } from '../methods/provider-event.ts';
import type { Store } from '../store/store.ts';
import { ownOrigin } from '../writer/command.ts';
import { type RailDependencies, syncAttempt } from '../writer/rails.ts';
import type { Executed } from '../writer/writer.ts';
import { type DueRows, dueRows } from './due-rows.ts';

export type ProviderEventDependencies = RailDependencies & {
  readonly store: Pick<Store, 'providerEvents'>;
  readonly onError: (error: unknown) => void;
};

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
    await followedUp(dependencies, tenant, event, null, now);
    return;
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
  const reason: WaitReason | null =
    checkout && attempt ? await syncAttempt(dependencies, checkout, attempt, now, event.id) : 'no_session';
  const { result } = await followedUp(dependencies, tenant, event, reason, now);
  if (reason === null || result.kind !== 'change' || result.value.state !== 'open') return;
  const problem =
    reason === 'no_session'
      ? 'a provider event matches no known payment'
      : 'the rail has not told of the payment of a provider event';
  const { account, mode } = tenant;
  dependencies.onAlert(event.rail, problem, { account: String(account), mode, event: event.id, reason });
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

function followedUp(
  { execute }: ProviderEventDependencies,
  tenant: Tenant,
  { rail, reference, tries }: ProviderEvent,
  reason: WaitReason | null,
  now: TenantTime,
): Promise<Executed<ProviderEvent>> {
  const action = { type: 'follow_up', tries, reason } as const;
  const origin = ownOrigin(tenant, 'rail');
  return execute({ subject: 'provider_event', origin, now, rail, reference, action });
}
