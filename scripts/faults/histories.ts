/**
 * Further faults of the kinds that such services ship with, which the simulation finds: what is written by half or twice,
 * what is not given back, what a process that ends leaves behind, and what is read of all that.
 */
import type { Fault } from './fault.ts';

const found = (file: string, ...tests: readonly string[]) => ({
  file: `src/${file}.ts`,
  tests: tests.length > 0 ? tests.map((name) => `test/${name}.test.ts`) : ['test/sim/sim.test.ts'],
  checkers: { simulation: 'finds' } as const,
});
const inSchema = { ...found(''), file: 'migrations/sqlite/0001_initial.sql' };

export const historyFaults: readonly Fault[] = [
  {
    name: 'the answer to a request is kept in a commit behind its change',
    ...found('writer/writer'),
    find: `        return [
          ...writes.slice(0, -1),
          { ...writes.at(-1), answer: { ...answer, ...idempotency, createdAt: realNow() } },
        ];
      },
    };
    await enqueue(unit, kindOf(command.origin));`,
    replace: `        kept = { answer: { ...answer, ...idempotency, createdAt: realNow() } };
        return writes;
      },
    };
    let kept: Writes | null = null;
    await enqueue(unit, kindOf(command.origin));
    const behind = kept;
    if (behind !== null) await enqueue({ needs: { tenant }, decide: () => [behind] }, 'own');`,
  },
  {
    name: 'a change that found the disk full is answered as done',
    ...found('writer/group-commit'),
    find: 'if (alone) entry.reject(error);',
    replace: 'if (alone) entry.resolve();',
  },
  {
    name: 'a batch of which one change failed is written again for each of them',
    ...found('writer/group-commit'),
    find: 'else await commit([entry.unit]).then(entry.resolve, entry.reject);',
    replace: 'else await commit(batch.map(({ unit }) => unit)).then(entry.resolve, entry.reject);',
  },
  {
    name: 'a session is found by whoever knows its id',
    ...found('store/sqlite/checkouts'),
    find: 'return sameTenant(cached.tenant, tenant) ? cached : null;',
    replace: 'return cached;',
  },
  {
    name: 'a feed goes on behind the event after the last one that was read',
    ...found('store/feed'),
    find: 'position: rows.at(-1)?.position ?? lookedTo };',
    replace: 'position: lookedTo };',
  },
  {
    name: 'a reader of a feed who is not at its end hears that there is no more',
    ...found('store/feed'),
    find: 'if (found.length > limit) return { rows, hasMore: true,',
    replace: 'if (found.length > limit) return { rows, hasMore: false,',
  },
  {
    name: 'a lease that nobody ends never runs out',
    ...found('store/sqlite/leases'),
    histories: { seed: 115, count: 10 },
    find: 'if (endsAtMs <= elapsedMs) leases.delete(id);',
    replace: 'if (endsAtMs <= 0) leases.delete(id);',
  },
  {
    name: 'a delivery is claimed without a lease',
    ...found('store/sqlite/lease-deliveries'),
    find: 'leases.set(each.id, { endsAtMs: elapsedMs + leaseMs, lease: delivery.lease, receiver });',
    replace: '',
  },
  {
    name: 'a suspended receiver is never probed',
    ...found('store/sqlite/lease-deliveries'),
    find: 'if (probing && (!mayProbe(health, now) || out.length > 0)) continue;',
    replace: 'if (probing) continue;',
  },
  {
    name: 'sessions that were due before the start are never attended to',
    ...found('store/sqlite/lease-checkouts'),
    find: `  return {
    claim(tenant: Tenant, { now, elapsedMs, leaseMs, limit }: Claim): DueCheckout[] {
      endExpired(leases, elapsedMs);
      const taken = read(dueCheckouts(tenant, now, limit, [...leases.keys()]));`,
    replace: `  let begun: number | null = null;
  return {
    claim(tenant: Tenant, { now, realNow, elapsedMs, leaseMs, limit }: Claim): DueCheckout[] {
      endExpired(leases, elapsedMs);
      const since = (begun ??= realNow);
      const due = read(dueCheckouts(tenant, now, limit, [...leases.keys()]));
      const taken = due.filter(({ dueAt }) => dueAt >= since);`,
  },
  {
    name: 'deliveries that were due before the start are never made',
    ...found('store/sqlite/lease-deliveries'),
    find: '      for (const each of due) {\n        const delivery',
    replace:
      "      turns.set('', turns.get('') ?? `${claim.realNow}`);\n      due = due.filter(({ dueAt }) => dueAt >= Number(turns.get('')));\n      for (const each of due) {\n        const delivery",
  },
  {
    name: 'a nudge that comes while the loop rests is lost',
    ...found('lib/loop'),
    find: '    nudged = true;\n    if (!isResting) wake();',
    replace: '    if (isResting) return;\n    nudged = true;\n    wake();',
  },
  {
    name: 'of the tenants with something due only the first is looked at',
    ...found('worker/lookout'),
    find: '    waiting[kind].set(',
    replace: '    if (waiting[kind].size === 0) waiting[kind].set(',
  },
  {
    name: 'an event does not wait for one that is tried again',
    ...found('store/write-deliveries'),
    find: "FROM delivery AS earlier WHERE ${pendingIn('earlier', r)} LIMIT 1)`",
    replace: "FROM delivery AS earlier WHERE ${pendingIn('earlier', r)} AND earlier.attempts = 0 LIMIT 1)`",
  },
  {
    name: 'an event goes to whoever has an endpoint',
    ...found('writer/event-rows'),
    find: 'each.id !== subject && selects(each, type)',
    replace: 'each.id !== subject',
  },
  {
    name: 'deliveries are given up before they are tried',
    ...found('worker/retention'),
    find: 'giveUp(dependencies, tenant, before)',
    replace: 'giveUp(dependencies, tenant, now as never)',
  },
  {
    name: 'an event is forgotten once it is delivered, however young it is',
    ...found('store/retention'),
    find: 'created_at < ${createdBefore} AND NOT EXISTS (',
    replace: 'created_at < ${createdBefore} OR NOT EXISTS (',
  },
  {
    name: 'a clock that was set is believed after a minute',
    ...found('lib/steady-clock'),
    find: 'const BELIEVED_AFTER_MS = 600_000;',
    replace: 'const BELIEVED_AFTER_MS = 60_000;',
  },
  {
    name: 'a key that another tenant has used counts as used',
    ...found('store/resources/answers'),
    find: "          WHERE ${owned(tenant, 'idempotency')}`,\n      storedAnswer,",
    replace:
      "          WHERE ${owned(tenant, 'idempotency')} OR idempotency.live <> ${tenant.mode === 'live'}`,\n      storedAnswer,",
  },
  {
    name: 'an idempotency key is unique whatever it was used for',
    ...inSchema,
    find: 'PRIMARY KEY (account, live, idempotency_key, operation)',
    replace: 'PRIMARY KEY (account, live, idempotency_key)',
  },
];
