/**
 * The parts of one simulation: world, provider, receivers, oracle, and the current process of the service.
 */
import { bank as bankRail } from '../../src/methods/bank/rail.ts';
import { STRIPE } from '../../src/methods/stripe/credentials.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { createBank } from './bank.ts';
import { createCards } from './cards.ts';
import { createFollower } from './follower.ts';
import { createOracle } from './oracle.ts';
import { type Process, startProcess, type Trouble } from './process.ts';
import { createProvider, PROVIDER } from './provider.ts';
import { createReceivers } from './receivers.ts';
import { createRetentionOracle } from './retention-oracle.ts';
import { RECEIVERS, type Step, TENANTS } from './steps.ts';
import { createUploads } from './uploads.ts';
import { faultOfOlder, type OpenStore } from './versions.ts';
import type { World } from './world.ts';

const HARMLESS_JUMP_MS = 30_000;
const JUMP_LASTS_MS = 600_000;
/** Times at which a longer wait is looked at. */
const LOOKS_MS = [16_000, 23 * 3_600_000];
/** Between the end of a process and the first thing that the next one does: the same moment would hide what depends on it. */
const START_TAKES_MS = 1_000;

export type Stage = ReturnType<typeof createStage>;

type Versions = { readonly path: string; readonly newer: OpenStore };

export function createStage({ path, newer }: Versions, world: World, steps: readonly Step[]) {
  const trouble: Trouble = { crash: null, fullDisk: null, flaws: 0 };
  const provider = createProvider(world.stir);
  const cards = createCards(world, (line) => trace.push(line));
  const bank = createBank(world);
  const oracle = createOracle({
    rails: { [PROVIDER]: provider.truth, [STRIPE]: cards.truth },
    bank,
    realNow: () => node.realNow(),
    elapsed: world.elapsed,
  });
  const { trace, webhooks, inbox, fault } = oracle;
  const receivers = createReceivers(RECEIVERS, {
    sent(sending) {
      trace.push(`send ${sending.event.id} to ${sending.url}`);
      world.stir();
      webhooks.sent(sending);
    },
    arrived: webhooks.arrived,
    saidGone: webhooks.saidGone,
  });
  const send: typeof receivers.send = async (sending) => {
    const result = await receivers.send(sending);
    webhooks.ended(sending);
    return result;
  };
  const retention = createRetentionOracle(
    path,
    { deliveries: webhooks.deliveries, events: webhooks.events, kept: oracle.kept },
    oracle.clock,
    fault,
  );
  const follow = createFollower(webhooks.events, fault);
  let openStore: OpenStore = openSqliteStore;
  const begin = () =>
    startProcess({
      path,
      openStore,
      world,
      railsFor: (isAlive) => [provider.rail, cards.railFor(isAlive), bankRail],
      send,
      trouble,
      committed: oracle.committed,
      removed: retention.removed,
      fault,
    });
  let node: Process = begin();
  /** The clock that the process believes, and since when that of the machine shows what it does. */
  const begun = world.wall() - world.elapsed();
  let believed = world.wall() - world.elapsed();
  let setAt = 0;

  /** Time goes on as it passes, and jumps with the clock of the machine only when that has lasted. */
  function judgeClock(): void {
    const shown = node.realNow() - world.elapsed();
    const hasJumped = Math.abs(shown - believed) > HARMLESS_JUMP_MS;
    if (hasJumped && world.elapsed() - setAt < JUMP_LASTS_MS)
      fault('a clock that has jumped is believed at once');
    believed = shown;
  }

  /** Time passes, up to each thing that arrives late. */
  async function passBy(ms: number): Promise<void> {
    const until = world.elapsed() + ms;
    for (let at = cards.line.nextArrival(); at !== null && at <= until; at = cards.line.nextArrival()) {
      await world.pass(at - world.elapsed());
      cards.line.arrive();
      await world.settled();
    }
    await world.pass(until - world.elapsed());
    cards.pass();
  }

  return {
    path,
    world,
    trouble,
    provider,
    cards,
    bank,
    uploads: createUploads({ world, bank, judge: inbox, oracle, process: () => node }),
    receivers,
    oracle,
    retention,
    /** Tenants whose clock is being moved are attended to afterwards. */
    isMoved: steps.some((step) => step.do === 'advance'),
    /** A new process defers everything for as long as the clock was set back. */
    goesBack: steps.some((step) => step.do === 'set clock' && step.byMs < 0),
    judgeClock,
    /** True if the machine's clock shows about the right time. */
    isClockRight: () => Math.abs(world.wall() - world.elapsed() - begun) < 2 * HARMLESS_JUMP_MS,

    process: (): Process => node,
    /** Lets the client read on in the feeds. */
    follow: (): Promise<void> => follow(TENANTS, node.store.events),
    /** Begins the next process, behind one that has died. */
    async restart(): Promise<void> {
      await node.end();
      oracle.lostAll();
      webhooks.forgetHanging();
      await passBy(START_TAKES_MS);
      node = begin();
      believed = world.wall() - world.elapsed();
      trace.push(openStore === newer ? 'restart as the newer version' : 'restart');
    },
    /** Ends the process; the next one is of the newer version. */
    upgrade(): Promise<void> {
      openStore = newer;
      return node.end();
    },
    /** A process of this version starts beside the newer one, or behind its end: it has to refuse, and change nothing. */
    async startOlder(when: 'beside' | 'behind'): Promise<void> {
      if (openStore !== newer || !node.isAlive()) return;
      if (when === 'behind') await node.end();
      trace.push('an older one starts');
      const wrong = faultOfOlder(path);
      if (wrong !== null) fault(wrong);
    },

    setClock(byMs: number): void {
      // A jump that is believed by now has come before this one.
      judgeClock();
      if (Math.abs(byMs) > HARMLESS_JUMP_MS) setAt = world.elapsed();
      world.setWall(byMs);
    },

    /**
     * Time passes; what takes at most fifteen seconds does not take an hour because that is all we wait, and what must
     * last for a day is looked at before a day is over.
     */
    async pass(ms: number): Promise<void> {
      let passed = 0;
      for (const stop of [...LOOKS_MS.filter((stop) => stop < ms), ms]) {
        await passBy(stop - passed);
        oracle.look();
        passed = stop;
      }
    },
  };
}
