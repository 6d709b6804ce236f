/** Conditions at the end of a simulation, once everything has healed. */
import { DatabaseSync } from 'node:sqlite';
import type { Tenant } from '../../src/checkout/tenant.ts';
import { BANK } from '../../src/methods/bank/receiving-account.ts';
import { SANDBOX } from '../../src/methods/sandbox/sandbox.ts';
import { STRIPE } from '../../src/methods/stripe/credentials.ts';
import { isBroken } from '../../src/store/check/check.ts';
import { checkSqlite } from '../../src/store/sqlite/check.ts';
import type { Endpoint } from '../../src/webhooks/endpoint.ts';
import type { Cards } from './cards.ts';
import { endOf, type Session } from './model.ts';
import { type Truth, type Truths, truthOf } from './truth.ts';
import type { Due } from './webhook-oracle.ts';

const MAX_ATTEMPTS = 12;

/** Attempts of a rail that were given up and can still be paid at pages that are known, as the provider was not told. */
export function untold(
  sessions: Iterable<Session>,
  name: string,
  truth: Truth,
  isShown: (reference: string) => boolean,
): string[] {
  return [...sessions].flatMap(({ attempts }) =>
    attempts
      .filter(({ rail, status }) => rail === name && status === 'cancelled')
      .map(({ reference }) => reference)
      .filter((reference) => isShown(reference) && truth.statusOf(reference) === 'requires_action'),
  );
}

type About = {
  readonly truths: Truths;
  readonly nowOf: (tenant: Tenant) => number;
  /** Set if the clock was set back: some questions to rails wait for as long. */
  readonly goesBack: boolean;
};

/** Sessions, attempts, money and refunds of which something should have come by now. */
export function unsettled(sessions: Iterable<Session>, { truths, nowOf, goesBack }: About): string[] {
  return [...sessions].flatMap((session) => {
    const { id, tenant, attempts, payments, refunds } = session;
    const end = endOf(session);
    const late = end !== null && end <= nowOf(tenant) ? [`${id} does not expire`] : [];
    for (const each of attempts) {
      const { id: attempt, reference, status, rail } = each;
      const isOpen = ['requires_action', 'processing', 'unknown'].includes(status);
      if (isOpen && !goesBack && !reference.startsWith('pay_') && rail !== BANK)
        late.push(`${reference} of ${id} stays ${status}`);
      const came = rail === SANDBOX ? [] : truthOf(truths, rail).payments(each);
      const isBooked = (name: string) =>
        payments.some((line) => line.rail === rail && line.reference === name);
      if (!came.every(({ reference: name }) => isBooked(name)))
        late.push(`the money of ${reference} is not booked`);
      for (const refund of refunds)
        if (refund.attempt === attempt && refund.status === 'pending' && rail !== BANK)
          late.push(`the refund ${refund.id} stays pending`);
    }
    return late;
  });
}

/** Differences between what sessions say of cards and what Stripe has received and given back, each once. */
export function misbooked(sessions: Iterable<Session>, cards: Cards): string[] {
  const all = [...sessions];
  const booked = all.flatMap(({ attempts, payments }) =>
    payments
      .filter(({ rail }) => rail === STRIPE)
      .map((line) => attempts.find(({ id }) => id === line.attempt)?.reference ?? ''),
  );
  const back = all.flatMap(({ attempts, refunds }) =>
    refunds
      .filter((each) => attempts.some(({ id, rail }) => id === each.attempt && rail === STRIPE))
      .filter(({ status }) => status === 'succeeded')
      .map(({ id }) => id),
  );
  const said = [
    ['has received', cards.allReceived(), booked],
    ['has given back', cards.allBack(), back],
  ] as const;
  return said
    .filter(([, is, ours]) => `${[...is].sort()}` !== `${[...ours].sort()}`)
    .map(([what, is, ours]) => `Stripe ${what} ${is}, and sessions say ${ours}`);
}

/** Claims on card payments that no session knows as they are. */
export function unclaimed(sessions: Iterable<Session>, { claims }: Cards): string[] {
  const known = [...sessions].flatMap(({ reversals }) => reversals.filter(({ rail }) => rail === STRIPE));
  return claims.claims().flatMap(({ id, status }) => {
    const is = known.find(({ reference }) => reference === id)?.status;
    return is === status ? [] : [`the claim ${id} is ${status}, and a session says ${is}`];
  });
}

/**
 * Deliveries that should have arrived by now, but for those to endpoints that were ever disabled. Those that were `young`
 * when nothing failed any more have had the time for each of their retries, and may not be given up for their age.
 */
export function undelivered(
  deliveries: Iterable<Due>,
  endpoints: ReadonlyMap<string, Endpoint>,
  offOnce: ReadonlySet<string>,
  young: ReadonlySet<string>,
): string[] {
  return [...deliveries]
    .filter(({ id, receiver, arrived, saidGone, sent, isOver, isTooOld }) => {
      const endpoint = receiver.startsWith('whe_') ? endpoints.get(receiver) : null;
      const isOff = endpoint === undefined || (endpoint !== null && endpoint.disabled !== null);
      const isExcused =
        isOff || offOnce.has(receiver) || saidGone || (isTooOld && !young.has(id)) || sent >= MAX_ATTEMPTS;
      return !(arrived && isOver) && !isExcused;
    })
    .map(({ id, receiver }) => `${id} never arrived at ${receiver}`);
}

/** The rules of `db check` that the file breaks, and work that is left in it. */
export async function brokenRules(path: string): Promise<string[]> {
  const database = new DatabaseSync(path);
  const broken: string[] = [];
  await checkSqlite(database, {
    progress() {},
    outcome(outcome) {
      if (isBroken(outcome)) broken.push(`broken: ${outcome.rule} (${outcome.untold ?? outcome.examples})`);
    },
  });
  const count = (sql: string) => database.prepare(`SELECT count(*) AS found FROM ${sql}`).get()?.found;
  if (count("delivery WHERE state = 'pending'") !== 0) broken.push('deliveries are still pending');
  if (count("provider_event WHERE state = 'waiting'") !== 0) broken.push('provider events are still waiting');
  database.close();
  return broken;
}
