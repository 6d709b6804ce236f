/** What a database holds in the schema before deliveries had lanes, and what it has to come to. */
import assert from 'node:assert/strict';
import type { Tenant } from '../../src/checkout/tenant.ts';
import type { Store } from '../../src/store/store.ts';
import type { Delivery } from '../../src/webhooks/delivery.ts';
import { T } from './build.ts';
import { drain, HOUR, inOrder } from './deliveries.ts';

const SHOP = 'https://Shop.example:8443/hooks/a?b=c';
const OTHER = 'http://other.example?x=/y';

type OldEvent = {
  readonly live: boolean;
  readonly id: string;
  readonly checkout: string;
  readonly sequence: number;
};
type OldDelivery = {
  readonly live: boolean;
  readonly id: string;
  readonly event: string;
  readonly checkout: string;
  readonly url: string;
  readonly state: string;
  readonly attempts: number;
  readonly due_at: number | null;
  readonly last_status: number | null;
  readonly last_error: string | null;
};

const event = (id: string, checkout: string, sequence: number, live = false): OldEvent => ({
  live,
  id,
  checkout,
  sequence,
});

const delivery = (
  id: string,
  { id: name, checkout, live }: OldEvent,
  given: Partial<OldDelivery> = {},
): OldDelivery => ({
  live,
  id,
  event: name,
  checkout,
  url: SHOP,
  state: 'pending',
  attempts: 0,
  due_at: T,
  last_status: null,
  last_error: null,
  ...given,
});

const arrived = { state: 'delivered', attempts: 1, due_at: null, last_status: 204 };
const givenUp = { state: 'failed', attempts: 12, due_at: null, last_error: 'timeout' };

const a1 = event('evt_a1', 'chk_a', 1);
const a2 = event('evt_a2', 'chk_a', 2);
const a3 = event('evt_a3', 'chk_a', 3);
const a4 = event('evt_a4', 'chk_a', 4);
const b1 = event('evt_b1', 'chk_b', 1);
const b2 = event('evt_b2', 'chk_b', 2);
const c1 = event('evt_c1', 'chk_a', 1, true);
const c2 = event('evt_c2', 'chk_a', 2, true);

export const older = {
  events: [a1, a2, a3, a4, b1, b2, c1, c2].map((each) => ({
    ...each,
    type: 'checkout.updated',
    created_at: T + each.sequence,
    body: `{"id":"${each.id}","text":"ü 😀"}`,
  })),
  deliveries: [
    delivery('whd_a1', a1, arrived),
    // By their ids these would come in another order; the first of them is to be tried again, the second is due.
    delivery('whd_a9', a2, { attempts: 3, due_at: T + HOUR, last_status: 500, last_error: 'status 500' }),
    delivery('whd_a8', a3),
    delivery('whd_a7', a4),
    delivery('whd_b1', b1, { url: OTHER, ...givenUp }),
    delivery('whd_b2', b2, { url: OTHER }),
    delivery('whd_c1', c1, { due_at: T + 5 }),
    delivery('whd_c2', c2, { due_at: T + 5 }),
  ],
};

/** By the interface of the store: what everything has become, and that all of it arrives in order. */
export async function checkAfterMigration(store: Store): Promise<void> {
  const mine: Tenant = { account: 1, mode: 'test' };
  const live: Tenant = { account: 1, mode: 'live' };
  const account = await store.accounts.fetch(1);
  assert.deepEqual(account?.webhookSecrets, { test: 'whsec_t', live: 'whsec_l' });
  assert.deepEqual(account?.previousWebhookSecrets, { test: null, live: null });
  assert.deepEqual(await store.endpoints.list(mine), []);
  assert.deepEqual(await store.receivers.listFailing(mine), new Map());

  const shop = 'https://shop.example:8443';
  const other = 'http://other.example';
  const expected: Array<[string, string, Delivery['state'], number, number | null]> = [
    ['whd_b2', other, 'pending', 0, T],
    ['whd_b1', other, 'failed', 12, null],
    ['whd_a9', shop, 'pending', 3, T + HOUR],
    ['whd_a8', shop, 'pending', 0, null],
    ['whd_a7', shop, 'pending', 0, null],
    ['whd_a1', shop, 'delivered', 1, null],
  ];
  const { rows } = await store.deliveries.list(mine, {}, { limit: 20 });
  assert.deepEqual(
    rows.map(({ id, receiver, state, attempts, dueAt }) => [id, receiver, state, attempts, dueAt]),
    expected,
  );
  const [, failed, waiting] = rows;
  assert.deepEqual(failed, {
    id: 'whd_b1',
    createdAt: T + 1,
    event: 'evt_b1',
    eventType: 'checkout.updated',
    subject: 'chk_b',
    receiver: other,
    url: OTHER,
    state: 'failed',
    attempts: 12,
    dueAt: null,
    triedAt: null,
    lastStatus: null,
    lastError: 'timeout',
  });
  assert.deepEqual([waiting?.url, waiting?.lastStatus, waiting?.lastError], [SHOP, 500, 'status 500']);
  assert.deepEqual(await store.deliveries.listAttempts(mine, 'whd_a9'), []);
  const body = older.events[0]?.body;
  assert.deepEqual(await store.events.fetch(mine, 'evt_a1'), {
    id: 'evt_a1',
    type: 'checkout.updated',
    subject: 'chk_a',
    sequence: 1,
    createdAt: T + 1,
    body,
  });

  const [soon] = await store.work.claimDeliveries(mine, {
    now: T + 1,
    realNow: T + 1,
    leaseMs: 1,
    limit: 10,
    room: () => 10,
  });
  assert.deepEqual([soon?.id, soon?.attempts], ['whd_b2', 0]);
  assert.deepEqual(inOrder(await drain(store, live, T + HOUR)), ['whd_c1', 'whd_c2']);
  const drained = inOrder(await drain(store, mine, T + HOUR));
  assert.deepEqual(
    drained.filter((id) => id.startsWith('whd_a')),
    ['whd_a9', 'whd_a8', 'whd_a7'],
  );
  assert.ok(drained.includes('whd_b2'));
}
