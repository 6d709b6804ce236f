/** Many changes share a commit: the disk, or the database server, is waited for once for all of them. */
import { sameTenant, tenantName } from '../checkout/tenant.ts';
import { type Needs, type Store, StoreUnavailable, type Unit } from '../store/store.ts';

/**
 * Queues units and commits them in batches, each as large as what has gathered meanwhile, and as many at a time as the
 * store allows. What concerns the same session, customer or idempotency key never is in two of them at once, and keeps
 * its order. A batch in which one unit fails is run again one unit at a time, so that a unit answers only for itself.
 */
export function groupCommit(
  { commit, batching: { atOnce, mixed } }: Pick<Store, 'commit' | 'batching'>,
  maxBatch: number,
  maxQueue: number,
) {
  type Entry = {
    readonly unit: Unit;
    readonly concerns: readonly string[];
    readonly resolve: () => void;
    readonly reject: (error: unknown) => void;
  };
  let queue: Entry[] = [];
  const underWay = new Set<Promise<void>>();
  /** What the batches under way concern. */
  const busy = new Set<string>();
  let running = false;

  /** Waits as long as each turn of the event loop brings more: requests that are being read join the batch. */
  async function gathered(): Promise<void> {
    for (let before = -1; queue.length > before && queue.length < maxBatch; ) {
      before = queue.length;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Takes from the queue what can be committed now; what has to wait holds up what concerns the same behind it. */
  function takeBatch(): Entry[] {
    const batch: Entry[] = [];
    const left: Entry[] = [];
    const waiting = new Set(busy);
    for (const entry of queue) {
      const [first = entry] = batch;
      const fits =
        batch.length < maxBatch &&
        (mixed || sameTenant(first.unit.needs.tenant, entry.unit.needs.tenant)) &&
        entry.concerns.every((each) => !waiting.has(each));
      if (fits) batch.push(entry);
      else {
        left.push(entry);
        for (const each of entry.concerns) waiting.add(each);
      }
    }
    queue = left;
    return batch;
  }

  async function commitBatch(batch: readonly Entry[]): Promise<void> {
    try {
      await commit(batch.map(({ unit }) => unit));
      for (const { resolve } of batch) resolve();
    } catch (error) {
      // A database that cannot serve now will not serve each one better; anything else is the fault of one of them.
      const alone = batch.length === 1 || error instanceof StoreUnavailable;
      for (const entry of batch) {
        if (alone) entry.reject(error);
        else await commit([entry.unit]).then(entry.resolve, entry.reject);
      }
    }
  }

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      if (underWay.size >= atOnce) await Promise.race(underWay);
      await gathered();
      const batch = takeBatch();
      if (batch.length === 0) {
        // All that waits concerns what is under way.
        await Promise.race(underWay);
        continue;
      }
      const concerns = batch.flatMap((entry) => entry.concerns);
      for (const each of concerns) busy.add(each);
      const committed = commitBatch(batch).finally(() => {
        for (const each of concerns) busy.delete(each);
        underWay.delete(committed);
      });
      underWay.add(committed);
    }
    running = false;
  }

  return (unit: Unit): Promise<void> =>
    new Promise((resolve, reject) => {
      if (queue.length >= maxQueue) {
        reject(new StoreUnavailable('too many changes are waiting to be written'));
        return;
      }
      queue.push({ unit, concerns: atOnce > 1 ? concernsOf(unit.needs) : [], resolve, reject });
      if (running) return;
      running = true;
      void drain();
    });
}

/** What of a batch must not be in another one at the same time. Ids are unique, the rest is within its tenant. */
function concernsOf(needs: Needs): string[] {
  const { tenant, checkout, customer, email, rail, notice, idempotency } = needs;
  const { checkouts = [], notices = [], lanes = [], lockedEndpoints = [] } = needs;
  const within = tenantName(tenant);
  return [
    ...(checkout === undefined ? [] : [checkout]),
    ...checkouts,
    ...lanes,
    ...lockedEndpoints,
    ...(customer === undefined ? [] : [customer]),
    ...(email === undefined ? [] : [`${within} email ${email}`]),
    ...(rail === undefined ? [] : [`${within} rail ${rail.rail} ${rail.reference}`]),
    ...[...(notice === undefined ? [] : [notice]), ...notices].map(
      (each) => `${within} notice ${each.rail} ${each.reference}`,
    ),
    ...(idempotency === undefined ? [] : [`${within} key ${idempotency.key} ${idempotency.operation}`]),
  ];
}
