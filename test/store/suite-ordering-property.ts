/** Ordering keys: none is ever stuck or out of order, whatever happens to their deliveries. */
import assert from 'node:assert/strict';
import { suite } from 'node:test';
import fc from 'fast-check';
import type { Checkout } from '../../src/checkout/session.ts';
import type { Tenant } from '../../src/checkout/tenant.ts';
import type { Store } from '../../src/store/store.ts';
import type { ClaimedDelivery, Delivery, DeliveryResult } from '../../src/webhooks/delivery.ts';
import { type Open, T } from './build.ts';
import {
  claim,
  drain,
  ELSEWHERE,
  finish,
  finishing,
  giveUp,
  HOST,
  HOUR,
  LEASE,
  resend,
  result,
  tell,
  telling,
  tryAgain,
} from './deliveries.ts';
import { onFreshStores } from './each.ts';

/** Runs beside the other suites; `sqlite-ordering.test.ts` and `postgres-ordering.test.ts` have more. */
const RUNS = 5;
const SESSIONS = 2;
const PAGE = { limit: 200 };

type How = 'arrives' | 'fails' | 'is given up' | 'is not sent';
type Step =
  | { readonly type: 'tell'; readonly session: number; readonly count: number; readonly to: string[] }
  | { readonly type: 'claim'; readonly limit: number }
  | { readonly type: 'come'; readonly which: number; readonly how: How }
  /** A result and new events of its session in one batch. */
  | { readonly type: 'come and tell'; readonly which: number; readonly how: How; readonly first: boolean }
  | { readonly type: 'resend'; readonly which: number; readonly count: number }
  | { readonly type: 'wait'; readonly ms: number };

const how = fc.constantFrom<How>('arrives', 'fails', 'is given up', 'is not sent');
const which = fc.nat(50);
const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: tells() },
    {
      weight: 4,
      arbitrary: fc.record({ type: fc.constant('claim' as const), limit: fc.integer({ min: 1, max: 4 }) }),
    },
    { weight: 5, arbitrary: fc.record({ type: fc.constant('come' as const), which, how }) },
    {
      weight: 2,
      arbitrary: fc.record({ type: fc.constant('come and tell' as const), which, how, first: fc.boolean() }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant('resend' as const),
        which,
        count: fc.integer({ min: 1, max: 3 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ type: fc.constant('wait' as const), ms: fc.constantFrom(1, LEASE, HOUR) }),
    },
  ),
  { minLength: 5, maxLength: 40, size: 'max' },
);

function tells(): fc.Arbitrary<Step> {
  return fc.record({
    type: fc.constant('tell' as const),
    session: fc.nat(SESSIONS - 1),
    count: fc.integer({ min: 1, max: 3 }),
    to: fc.subarray([HOST, ELSEWHERE], { minLength: 1 }),
  });
}

export function orderingPropertySuite(open: Open, numRuns = RUNS): void {
  const it = onFreshStores(open);

  suite('an ordering key', () => {
    it('has one due delivery, its first pending one, whatever happens; and all arrive in order', async (given) => {
      const { store, mine } = given;
      await fc.assert(
        fc.asyncProperty(steps, async (given) => {
          const run = await newRun(store, mine);
          for (const step of given) {
            await run.take(step);
            await run.check();
          }
          await run.end();
        }),
        { numRuns },
      );
    });
  });
}

/** Sessions of one run, and what is out of their deliveries, perhaps twice. */
async function newRun(store: Store, tenant: Tenant) {
  let now = T;
  const sessions: Checkout[] = [];
  const out: ClaimedDelivery[] = [];
  const sequences = new Map<string, number>();
  // Deliveries left behind by a failed run are done first.
  await drain(store, tenant, T + 1e9);
  for (let count = 0; count < SESSIONS; count++) sessions.push((await tell(store, tenant)).session);
  await note();

  async function note(): Promise<void> {
    for (const { id } of sessions) {
      const { rows } = await store.events.timeline(tenant, id, null, PAGE.limit);
      for (const event of rows) sequences.set(event.id, event.sequence);
    }
  }

  async function deliveries(): Promise<Delivery[]> {
    const pages = sessions.map(({ id }) => store.deliveries.list(tenant, { subject: id }, PAGE));
    return (await Promise.all(pages)).flatMap(({ rows }) => rows);
  }

  const sequenceOf = ({ event }: Delivery): number => sequences.get(event) as number;

  /** The result of a claimed delivery. */
  function come(which: number, how: How): { claimed: ClaimedDelivery; came: DeliveryResult } | null {
    const [claimed] = out.splice(which % Math.max(out.length, 1), 1);
    if (claimed === undefined) return null;
    if (how === 'arrives') return { claimed, came: result(claimed, { at: now }) };
    if (how === 'fails') return { claimed, came: tryAgain(claimed, now + HOUR, { at: now }) };
    const attempt = how === 'is not sent' ? { attempt: null } : {};
    return { claimed, came: giveUp(claimed, { at: now, ...attempt }) };
  }

  return {
    async take(step: Step): Promise<void> {
      if (step.type === 'wait') now += step.ms;
      if (step.type === 'tell') {
        const before = sessions[step.session] as Checkout;
        const told = await tell(store, before, step.count, { receivers: step.to, at: now });
        sessions[step.session] = told.session;
        await note();
      }
      if (step.type === 'claim') {
        const claimed = await claim(store, tenant, now, { limit: step.limit });
        const heads = new Set((await deliveries()).filter(({ dueAt }) => dueAt !== null).map(({ id }) => id));
        for (const { id } of claimed) assert.ok(heads.has(id), `${id} is none of the first`);
        out.push(...claimed);
      }
      if (step.type === 'come') {
        const one = come(step.which, step.how);
        if (one) await finish(store, tenant, one.came);
      }
      if (step.type === 'come and tell') {
        const one = come(step.which, step.how);
        if (one === null) return;
        const index = sessions.findIndex(({ id }) => id === one.claimed.event.subject);
        const writes = telling(sessions[index] as Checkout, 1, { receivers: [HOST, ELSEWHERE], at: now });
        const { after } = writes.checkout;
        const units = [
          finishing(tenant, [one.came]),
          { needs: { tenant, checkouts: [after.id] }, decide: () => [writes] },
        ];
        await store.commit(step.first ? units : units.toReversed());
        sessions[index] = after;
        await note();
      }
      if (step.type === 'resend') {
        // The range covers pending and claimed deliveries as well.
        const all = await deliveries();
        const from = step.which % Math.max(all.length, 1);
        const chosen = all.slice(from, from + step.count).map(({ id }) => id);
        if (chosen.length > 0) await resend(store, tenant, now, ...chosen);
      }
    },

    async check(): Promise<void> {
      const firsts = new Map<string, Delivery>();
      const all = await deliveries();
      for (const each of all.filter(({ state }) => state === 'pending')) {
        const key = `${each.subject} ${each.receiver}`;
        const first = firsts.get(key);
        if (first === undefined || sequenceOf(each) < sequenceOf(first)) firsts.set(key, each);
      }
      const due = all.filter(({ dueAt }) => dueAt !== null).map(({ id }) => id);
      assert.deepEqual(due.sort(), [...firsts.values()].map(({ id }) => id).sort());
    },

    async end(): Promise<void> {
      const arrived = await drain(store, tenant, now + 99 * HOUR);
      const last = new Map<string, number>();
      for (const { receiver, event } of arrived) {
        const key = `${event.subject} ${receiver}`;
        assert.ok(event.sequence > (last.get(key) ?? 0), `${key} is out of order`);
        last.set(key, event.sequence);
      }
      assert.deepEqual(
        (await deliveries()).filter(({ state }) => state === 'pending'),
        [],
      );
    },
  };
}
