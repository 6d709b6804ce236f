/** Endpoints: addresses that merchants register for their events, and the rules of changing them. Pure. */
import { crc32 } from 'node:zlib';
import { type Refusal, refuse } from '../checkout/refusals.ts';
import type { Tenant, TenantTime } from '../checkout/tenant.ts';
import type { Id } from '../lib/id.ts';
import { type PreviousSecret, retired } from './secrets.ts';

export type EndpointId = Id<'whe'>;

export type Endpoint = {
  readonly id: EndpointId;
  readonly tenant: Tenant;
  /** Increases by 1 with each change. */
  readonly version: number;
  /** Number of events about the endpoint. */
  readonly eventCount: number;
  /** From 1 to the number that there may be, each taken once. */
  readonly slot: number;
  readonly url: string;
  /** Event types to deliver: types, `checkout.*` for all of a kind, `*` for all. */
  readonly events: readonly string[];
  readonly description: string;
  /** Reason why nothing is delivered, or null. `gone`: the receiver answered 410. */
  readonly disabled: 'by_merchant' | 'gone' | null;
  readonly secret: string;
  readonly previousSecret: PreviousSecret | null;
  readonly createdAt: TenantTime;
  readonly updatedAt: TenantTime;
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

/** Maximum number of endpoints: each event is written once for each of them. The schema has it, too. */
export const MAX_ENDPOINTS = 100;

export const NO_SUCH_ENDPOINT = 'There is no such webhook endpoint.';

/** `all` are the endpoints of the tenant, `id` is the one to create or change, `now` the time in its clock. */
export function decideEndpoint(
  all: readonly Endpoint[],
  { id, tenant, now }: { readonly id: EndpointId; readonly tenant: Tenant; readonly now: TenantTime },
  command: EndpointCommand,
): EndpointDecision | Refusal {
  if (command.type === 'create_endpoint') {
    const slot = freeSlot(all, id);
    if (slot === null) {
      return refuse('too_many_endpoints', `There are ${MAX_ENDPOINTS} webhook endpoints already.`);
    }
    const { enabled, ...settings } = command.settings;
    const endpoint: Endpoint = {
      id,
      tenant,
      version: 1,
      eventCount: 0,
      slot,
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

/**
 * A slot for a new endpoint, or null. Its id picks one of those that are free: two processes that make endpoints at the
 * same time hardly pick the same. If they do, the database lets one of them have it, and the other decides anew.
 */
function freeSlot(all: readonly Endpoint[], id: EndpointId): number | null {
  const taken = new Set(all.map(({ slot }) => slot));
  const free = Array.from({ length: MAX_ENDPOINTS }, (_, index) => index + 1).filter(
    (slot) => !taken.has(slot),
  );
  return free[crc32(id) % free.length] ?? null;
}

function changed(before: Endpoint, now: TenantTime, change: Partial<Endpoint>): EndpointDecision {
  return { kind: 'changed', endpoint: { ...before, ...change, version: before.version + 1, updatedAt: now } };
}

/** An endpoint that was gone stays gone when it is disabled. */
function switched({ disabled }: Endpoint, enabled: boolean): Pick<Endpoint, 'disabled'> {
  return { disabled: enabled ? null : (disabled ?? 'by_merchant') };
}

/** True if events of this type go to the endpoint. */
export function selects({ disabled, events }: Endpoint, type: string): boolean {
  if (disabled !== null) return false;
  return events.some((each) => each === '*' || each === type || each === `${type.split('.')[0]}.*`);
}

/** True if the id of a receiver or of an event's subject is that of an endpoint. */
export function isEndpoint(id: string): id is EndpointId {
  return id.startsWith('whe_');
}

/** Receiver of deliveries to the address of a session: its host, whatever the path. */
export function receiverOf(url: string): string {
  return URL.parse(url)?.origin ?? url;
}
