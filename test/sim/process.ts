/**
 * A process of the service in a simulation: the real store, writer and worker. A crash throws it away between two
 * statements of its own: whatever it has not committed is gone, and nothing of it is heard of again.
 */
import { createSerializer } from '../../src/checkout/serializer.ts';
import { createSteadyClock } from '../../src/lib/steady-clock.ts';
import type { Rail } from '../../src/methods/method.ts';
import { sandbox } from '../../src/methods/sandbox/sandbox.ts';
import { StoreUnavailable } from '../../src/store/errors.ts';
import type { Store, Unit } from '../../src/store/store.ts';
import type { Sending, SendResult } from '../../src/webhooks/sender.ts';
import { createEngine } from '../../src/worker/engine.ts';
import type { Decision } from './oracle.ts';
import { DELIVERY_DAYS, EVENT_DAYS } from './retention-oracle.ts';
import type { OpenStore } from './versions.ts';
import type { World } from './world.ts';

export const serializer = createSerializer('https://pay.example.com');

/** Trouble at the commits to come. */
export type Trouble = {
  /** The process ends at the commit behind so many others: `before` it, or `behind` it, ahead of the answers. */
  crash: { after: number; readonly when: 'before' | 'behind' } | null;
  /** Commits, behind so many others, that find the disk full when all of each has been written. */
  fullDisk: { after: number; commits: number } | null;
  /** Batches of several changes that fail as one of them does, the first time that they are tried. */
  flaws: number;
};

type Options = {
  readonly path: string;
  /** Opens the store as this process's version does. */
  readonly openStore: OpenStore;
  readonly world: World;
  /** Rails for a process that lives as long as `isAlive` says. */
  readonly railsFor: (isAlive: () => boolean) => readonly Rail[];
  readonly send: (sending: Sending) => Promise<SendResult>;
  readonly trouble: Trouble;
  readonly committed: (decisions: readonly Decision[]) => void;
  /** Rows were removed since they are old. */
  readonly removed: () => void;
  readonly fault: (text: string) => void;
};

export type Process = ReturnType<typeof startProcess>;

const never = () => new Promise<never>(() => {});
const HOUR_MS = 3_600_000;

export function startProcess({
  path,
  openStore,
  world,
  railsFor,
  send,
  trouble,
  committed,
  removed,
  fault,
}: Options) {
  let alive = true;
  let closing: Promise<void> | undefined;
  const rails = [sandbox, ...railsFor(() => alive)];
  const opened = openStore(path);
  const realNow = createSteadyClock({ onJump: () => {}, wallNow: world.wall, monotonicNow: world.elapsed });

  /** The same operations, which end with the process. */
  function gated<T extends object>(operations: T): T {
    const entries = Object.entries(operations).map(([name, operation]) => {
      if (typeof operation === 'object' && operation !== null && name !== 'batching')
        return [name, gated(operation)];
      if (typeof operation !== 'function') return [name, operation];
      return [
        name,
        (...args: unknown[]) => {
          world.stir();
          if (!alive) return never();
          const result: unknown = operation(...args);
          return result instanceof Promise ? result.then((value) => (alive ? value : never())) : result;
        },
      ];
    });
    return Object.fromEntries(entries);
  }

  async function commit(units: readonly Unit[]): Promise<void> {
    const decisions = new Map<Unit, Decision>();
    const isFull = trouble.fullDisk !== null && trouble.fullDisk.after-- <= 0;
    if (isFull && trouble.fullDisk && --trouble.fullDisk.commits <= 0) trouble.fullDisk = null;
    const isFlawed = !isFull && trouble.flaws > 0 && units.length > 1;
    if (isFlawed) trouble.flaws--;
    const crash = trouble.crash !== null && trouble.crash.after-- <= 0 ? trouble.crash.when : null;
    if (crash !== null) trouble.crash = null;
    if (crash === 'before') return die();
    const watched = units.map((unit, index) => ({
      needs: unit.needs,
      decide: (loaded: Parameters<Unit['decide']>[0]) => {
        const writes = unit.decide(loaded);
        decisions.set(unit, { needs: unit.needs, writes });
        if (index < units.length - 1) return writes;
        if (isFull) throw new StoreUnavailable('the disk is full');
        if (isFlawed) throw new Error('a change has a flaw');
        return writes;
      },
    }));
    await opened.commit(watched);
    committed(units.flatMap((unit) => decisions.get(unit) ?? []));
    if (crash === 'behind') return die();
  }

  /** Removed rows are looked at before anything else happens. */
  const watched =
    <Args extends unknown[]>(purge: (...args: Args) => Promise<number>) =>
    async (...args: Args): Promise<number> => {
      const count = await purge(...args);
      if (count > 0) removed();
      return count;
    };
  /** Real time of the last look for what is old, of each kind. */
  const lookedAt = new Map<string, number>();
  const { listTenants, purgeAnswers, purgeDeliveries, purgeEvents } = opened.retention;
  const retention: Store['retention'] = {
    ...opened.retention,
    // A look each minute finds nothing either, and was a third of the time of a history.
    async listTenants(what, createdBefore) {
      if (Math.abs(createdBefore - (lookedAt.get(what) ?? 0)) < HOUR_MS) return [];
      lookedAt.set(what, createdBefore);
      return listTenants(what, createdBefore);
    },
    purgeAnswers: watched(purgeAnswers),
    purgeDeliveries: watched(purgeDeliveries),
    purgeEvents: watched(purgeEvents),
  };

  function die(): Promise<never> {
    alive = false;
    world.forgetTimers();
    return never();
  }

  const store: Store = { ...gated({ ...opened, commit, retention }) };
  const { execute, worker } = createEngine({
    store,
    serializer,
    rails,
    onAlert: () => {},
    onSilence: () => {},
    onCommitted: () => {},
    onSent: () => {},
    async send(sending) {
      const result = await (alive ? send(sending) : never());
      world.stir();
      return alive ? result : never();
    },
    realNow,
    leaseNow: realNow,
    deliverySlots: 50,
    deliveryDays: DELIVERY_DAYS,
    eventDays: EVENT_DAYS,
    onError: (error) => {
      const reason = error instanceof Error && error.cause !== undefined ? error.cause : error;
      if (!(reason instanceof StoreUnavailable)) fault(`background work failed: ${error}`);
    },
  });
  worker.start();

  return {
    store,
    execute,
    worker,
    rails,
    realNow,
    isAlive: () => alive,
    /** Ends it, and gives the file free. */
    end(): Promise<void> {
      void die();
      closing ??= opened.close();
      return closing;
    },
  };
}
