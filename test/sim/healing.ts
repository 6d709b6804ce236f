/** The end of a simulation: nothing fails any more, time passes, and what has to hold then is looked at. */

import { isDeepStrictEqual } from 'node:util';
import type { CheckoutId } from '../../src/checkout/ids.ts';
import { tenantName } from '../../src/checkout/tenant.ts';
import { STRIPE } from '../../src/methods/stripe/credentials.ts';
import { DELIVERIES_REST_MS } from '../../src/worker/worker.ts';
import { shownPages } from './cards.ts';
import { misbooked, unclaimed, undelivered, unsettled, untold } from './end.ts';
import { asSession } from './model.ts';
import { createNotices } from './notices.ts';
import { PROVIDER } from './provider.ts';
import { ageOf, DAY_MS } from './retention-oracle.ts';
import type { Stage } from './stage.ts';
import { RECEIVERS, TENANTS } from './steps.ts';
import { truthOf } from './truth.ts';

/** Waits in which everything that is still to come does: questions to rails, probes, the grace, the longest retries. */
const HEALING_MS = [
  1_000,
  16_000,
  31_000,
  61_000,
  61_000,
  360_000,
  960_000,
  960_000,
  7_200_000,
  31_000,
  ...Array(6).fill(26 * 3_600_000),
];

/** Rounds by which a rail was told of abandoned attempts: it asks again within minutes, or within an hour. */
const TOLD_BY: Readonly<Record<number, string>> = { 5: PROVIDER, 10: STRIPE };

/** The round by which Stripe has been heard and all money is booked. */
const CLAIMS_TOLD_AT = 10;
/** Age below which a delivery has time for its longest retry, and for a clock that is believed a day late, before it is too old. */
const YOUNG_MS = 2 * DAY_MS;

/** Compares stored sessions with those that were committed. */
export async function compare({ oracle, process }: Stage): Promise<void> {
  for (const session of oracle.sessions.values()) {
    const stored = await process().store.checkouts.fetch(session.tenant, session.id as CheckoutId);
    const is = stored && JSON.stringify(asSession(stored));
    if (is !== JSON.stringify(session))
      oracle.fault(`${session.id} is stored as\n${is}, and was\n${JSON.stringify(session)}`);
  }
  for (const { tenant, entry } of oracle.inbox.entries.values())
    if (!isDeepStrictEqual(await process().store.bankEntries.fetch(tenant, entry.id), entry))
      oracle.fault(`${entry.id} is not stored as it was committed`);
}

/** `offOnce` are the endpoints that were ever disabled. */
export async function heal(
  stage: Stage,
  settle: () => Promise<void>,
  offOnce: ReadonlySet<string>,
): Promise<void> {
  const { oracle, provider, cards, bank, uploads, receivers, trouble, goesBack, world } = stage;
  const { sessions, truths, endpoints, webhooks, faults, fault } = oracle;
  const notices = createNotices(stage);
  // The clock of the machine may have been set, and not be believed yet.
  const clocks = [oracle.clock, { ...oracle.clock, realNow: world.wall }];
  const young = new Set(
    [...webhooks.deliveries.values()]
      .filter(({ made }) => clocks.every((clock) => ageOf(made, clock) < YOUNG_MS))
      .map(({ id }) => id),
  );
  trouble.crash = null;
  trouble.fullDisk = null;
  trouble.flaws = 0;
  provider.setMood('ok');
  cards.heal();
  for (let receiver = 0; receiver < RECEIVERS; receiver++) receivers.setMood(receiver, 'ok');
  /** Each delivery that has arrived makes room for the next of its session: the worker rests, and looks again. */
  async function deliverOn(before: number): Promise<void> {
    for (let sent = before; sent !== webhooks.sendings() && faults.length === 0; ) {
      sent = webhooks.sendings();
      await stage.pass(DELIVERIES_REST_MS);
      await settle();
    }
  }

  for (const [index, ms] of HEALING_MS.entries()) {
    if (faults.length > 0) return;
    const shown = new Set(shownPages(oracle.stored.values()));
    const isShown = (reference: string) => told === PROVIDER || shown.has(reference);
    const told = goesBack ? undefined : TOLD_BY[index];
    if (told !== undefined)
      for (const name of untold(sessions.values(), told, truthOf(truths, told), isShown))
        fault(`${told} was not told that ${name} was given up`);
    if (index === 5) {
      provider.closePages();
      cards.settleAll();
      bank.carryOutAll();
      for (const tenant of TENANTS) uploads.tell(tenant, 'all', 'camt.053', 0);
      uploads.retry();
    }
    if (index === CLAIMS_TOLD_AT) for (const event of cards.lastOfClaims()) notices.sendSigned(event);
    const sentBefore = webhooks.sendings();
    await stage.pass(ms);
    await settle();
    await deliverOn(sentBefore);
  }
  await compare(stage);
  const about = { truths, nowOf: oracle.nowOf, goesBack };
  for (const text of unsettled(sessions.values(), about)) fault(text);
  for (const text of misbooked(sessions.values(), cards)) fault(text);
  if (stage.isClockRight()) for (const text of unclaimed(sessions.values(), cards)) fault(text);
  if (uploads.waiting() > 0) fault('a bank file was never accepted');
  for (const text of oracle.inbox.unsettled(oracle.stored.values(), goesBack)) fault(text);
  for (const text of undelivered(webhooks.deliveries.values(), endpoints, offOnce, young)) fault(text);
  for (const tenant of TENANTS) {
    const { rows } = await stage.process().store.events.list(tenant, {}, 0, 100_000);
    const is = rows.map(({ id, body }) => id + body).join();
    const due = webhooks.events.filter((each) => each.tenant === tenantName(tenant) && !each.isForgotten);
    if (is !== due.map(({ id, body }) => id + body).join()) fault('the feed is not what was committed');
  }
  for (const text of oracle.people.traces(stage.path)) fault(text);
  if (!goesBack) stage.retention.left();
}
