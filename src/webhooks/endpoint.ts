/** Endpoints: addresses that merchants register for their events. The rules of their changes. Pure. */
import { type Refusal, refuse } from '../checkout/refusals.ts';
import type { Tenant } from '../checkout/tenant.ts';
import { type PreviousSecret, retired } from './secrets.ts';

export type Endpoint = {
  readonly id: string;
  readonly tenant: Tenant;
  /** +1 for each change. */
  readonly version: number;
  /** How many events there are about it. */
  readonly eventCount: number;
  readonly url: string;
  /** What it wants: types, `checkout.*` for all of a kind, `*` for all. */
  readonly events: readonly string[];
  readonly description: string;
  /** Why it gets nothing; null while it does. `gone`: it has answered 410. */
  readonly disabled: 'by_merchant' | 'gone' | null;
  readonly secret: string;
  readonly previousSecret: PreviousSecret | null;
  readonly createdAt: number;
  readonly updatedAt: number;
};

type Settings = Pick<Endpoint, 'url' | 'events' | 'description'> & { readonly enabled: boolean };

export type EndpointCommand =
  | { readonly type: 'create_endpoint'; readonly secret: string; readonly settings: Settings }
  | { readonly type: 'update_endpoint'; readonly settings: Partial<Settings> }
  | { readonly type: 'rotate_secret'; readonly secret: string; readonly overlapMs: number }
  | { readonly type: 'delete_endpoint' };

export type EndpointDecision =
  | { readonly kind: 'changed' | 'unchanged'; readonly endpoint: Endpoint }
  | { readonly kind: 'deleted'; readonly endpoint: Endpoint };

/** Each event is written once for each of them. */
export const MAX_ENDPOINTS = 100;

export const NO_SUCH_ENDPOINT = 'There is no such webhook endpoint.';

/** `all` are those of the tenant, `id` is the one to be made or changed, `now` the time in its clock. */
export function decideEndpoint(
  all: readonly Endpoint[],
  { id, tenant, now }: { readonly id: string; readonly tenant: Tenant; readonly now: number },
  command: EndpointCommand,
): EndpointDecision | Refusal {
  if (command.type === 'create_endpoint') {
    if (all.length >= MAX_ENDPOINTS) {
      return refuse('too_many_endpoints', `There are ${MAX_ENDPOINTS} webhook endpoints already.`);
    }
    const { enabled, ...settings } = command.settings;
    const endpoint: Endpoint = {
      id,
      tenant,
      version: 1,
      eventCount: 0,
      ...settings,
      disabled: enabled ? null : 'by_merchant',
      secret: command.secret,
      previousSecret: null,
      createdAt: now,
      updatedAt: now,
    };
    return { kind: 'changed', endpoint };
  }
  const before = all.find((each) => each.id === id);
  if (before === undefined) return refuse('not_found', NO_SUCH_ENDPOINT);
  switch (command.type) {
    case 'delete_endpoint':
      return { kind: 'deleted', endpoint: before };
    case 'rotate_secret':
      return changed(before, now, {
        secret: command.secret,
        previousSecret: retired(before.secret, now, command.overlapMs),
      });
    case 'update_endpoint': {
      const { enabled, ...settings } = command.settings;
      const after = { ...before, ...settings, ...(enabled === undefined ? {} : switched(before, enabled)) };
      if (JSON.stringify(after) === JSON.stringify(before)) return { kind: 'unchanged', endpoint: before };
      return changed(before, now, after);
    }
  }
}

function changed(before: Endpoint, now: number, change: Partial<Endpoint>): EndpointDecision {
  return { kind: 'changed', endpoint: { ...before, ...change, version: before.version + 1, updatedAt: now } };
}

/** One that was gone and is switched off stays what it was. */
function switched({ disabled }: Endpoint, enabled: boolean): Pick<Endpoint, 'disabled'> {
  return { disabled: enabled ? null : (disabled ?? 'by_merchant') };
}

/** Whether an event of this type is to go there. */
export function selects({ disabled, events }: Endpoint, type: string): boolean {
  if (disabled !== null) return false;
  return events.some((each) => each === '*' || each === type || each === `${type.split('.')[0]}.*`);
}

/** Whether a receiver or a subject of events is an endpoint. */
export function isEndpoint(id: string): boolean {
  return id.startsWith('whe_');
}

/** Whom a delivery to the address that a session names goes to: its host, whatever the path. */
export function receiverOf(url: string): string {
  return URL.parse(url)?.origin ?? url;
}
