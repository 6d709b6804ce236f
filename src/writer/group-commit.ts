/** Many changes share a commit: the disk, or the database server, is waited for once for all of them. */
import { sameTenant, tenantName } from '../checkout/tenant.ts';
import { StoreUnavailable } from '../store/errors.ts';
import { conflictKeysWithin } from '../store/resources/all.ts';
import type { Needs, Store, Unit } from '../store/store.ts';
import { type Backlog, createBacklog } from './backlog.ts';

/** Turns of the event loop before a commit: clients that connect without end must not hold it up. */
const MOST_TURNS = 64;

/**
 * Kind of a unit: requested through the API, or the service's own work, such as payments, deadlines and what became of
 * webhooks. Where both wait, each gets half of a batch: an API that is overrun holds up neither payers nor webhooks.
 */
export type Kind = 'requested' | 'own';

/**
 * Queues units and commits them in batches, each as large as what has gathered meanwhile, and as many at a time as the
 * store allows. Where those must be apart, units that share a conflict key, such as a session, a customer or an
 * idempotency key, are never in two of them at once, and keep their order. A batch in which one unit fails is run again
 * one unit at a time, so that a unit answers only for itself.
 */
export function groupCommit(
  { commit, batching: { atOnce, apart, mixed } }: Pick<Store, 'commit' | 'batching'>,
  maxBatch: number,
  maxQueue: number,
  backlog: Backlog = createBacklog(),
) {
  type Entry = {
    readonly unit: Unit;
    readonly kind: Kind;
    readonly conflictKeys: readonly string[];
    readonly resolve: () => void;
    readonly reject: (error: unknown) => void;
  };
  let queue: Entry[] = [];
  const underWay = new Set<Promise<void>>();
  /** The conflict keys of the batches under way. */
  const busy = new Set<string>();
  let running = false;
  let connectionsBefore = 0;

  /**
   * Waits as long as each turn of the event loop brings more: requests that are being read join the batch. A full one
   * waits only for connections, of which Node.js takes one each turn: otherwise there would be one for each commit, and
   * whoever comes to a busy service would wait for seconds.
   */
  async function gathered(): Promise<void> {
    let before = -1;
    for (let turns = 0; turns < MOST_TURNS; turns++) {
      const connections = backlog.connections();
      const grows = queue.length > before && queue.length < maxBatch;
      if (!grows && connections === connectionsBefore) return;
      before = queue.length;
      connectionsBefore = connections;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Takes from the queue what can be committed now: up to half of a batch of each kind, then of any. */
  function takeBatch(): Entry[] {
    const batch: Entry[] = [];
    takeInto(batch, Math.ceil(maxBatch / 2));
    if (batch.length < maxBatch) takeInto(batch, maxBatch);
    backlog.taken(batch.map(({ unit }) => unit.needs.tenant));
    return batch;
  }

  /** Adds up to so many of each kind to a batch; what has to wait holds up what conflicts with it behind it. */
  function takeInto(batch: Entry[], most: number): void {
    const left: Entry[] = [];
    const waiting = new Set(busy);
    const taken = { requested: 0, own: 0 };
    for (const entry of queue) {
      const [first = entry] = batch;
      const fits =
        batch.length < maxBatch &&
        taken[entry.kind] < most &&
        (mixed || sameTenant(first.unit.needs.tenant, entry.unit.needs.tenant)) &&
        entry.conflictKeys.every((each) => !waiting.has(each));
      if (fits) {
        batch.push(entry);
        taken[entry.kind]++;
      } else {
        left.push(entry);
        for (const each of entry.conflictKeys) waiting.add(each);
      }
    }
    queue = left;
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
        // All that waits conflicts with what is under way.
        await Promise.race(underWay);
        continue;
      }
      const conflictKeys = batch.flatMap((entry) => entry.conflictKeys);
      for (const each of conflictKeys) busy.add(each);
      const committed = commitBatch(batch).finally(() => {
        for (const each of conflictKeys) busy.delete(each);
        underWay.delete(committed);
      });
      underWay.add(committed);
    }
    running = false;
  }

  return (unit: Unit, kind: Kind): Promise<void> =>
    new Promise((resolve, reject) => {
      if (queue.length >= maxQueue) {
        reject(new StoreUnavailable('too many changes are waiting to be written'));
        return;
      }
      backlog.added(unit.needs.tenant);
      queue.push({ unit, kind, conflictKeys: apart ? conflictKeysOf(unit.needs) : [], resolve, reject });
      if (running) return;
      running = true;
      void drain();
    });
}

/** Conflict keys: no two concurrent batches may share one. Ids are unique, the rest is within its tenant. */
function conflictKeysOf(needs: Needs): string[] {
  const { tenant, checkouts = [], deliverySubjects = [], lockedEndpoints = [] } = needs;
  const within = tenantName(tenant);
  return [
    ...checkouts,
    ...deliverySubjects,
    ...lockedEndpoints,
    // The number of endpoints has a limit: two batches that add one must not both count without the other's.
    ...(needs.endpoints && lockedEndpoints.length > 0 ? [`${within} endpoints`] : []),
    ...conflictKeysWithin(needs).map((key) => `${within} ${key}`),
  ];
}
