/** The part of the oracle that knows who has to get which event, and what has arrived. */

import { type Tenant, tenantName } from '../../src/checkout/tenant.ts';
import type { EventId, SubjectId } from '../../src/events/event.ts';
import type { Writes } from '../../src/store/store.ts';
import type { DeliveryId } from '../../src/webhooks/delivery.ts';
import type { Endpoint } from '../../src/webhooks/endpoint.ts';
import type { Sending } from '../../src/webhooks/sender.ts';
import { ageOf, DAY_MS, DELIVERY_DAYS } from './retention-oracle.ts';

export type Due = {
  readonly id: DeliveryId;
  readonly tenant: Tenant;
  readonly event: EventId;
  readonly subject: SubjectId;
  readonly sequence: number;
  readonly createdAt: number;
  readonly made: Made;
  /** Id of an endpoint, or an origin. */
  readonly receiver: string;
  /** The path by which the simulation knows whose address it is, wherever that has moved. */
  readonly path: string;
  sent: number;
  isOnItsWay: boolean;
  arrived: boolean;
  saidGone: boolean;
  /** Delivered or given up, as was committed. */
  isOver: boolean;
  /** Time of that, by the clock of the tenant: those behind it are due from then on. */
  overAt: number;
  resent: boolean;
  fresh: boolean;
  /** Set if it was given up for its age. */
  isTooOld: boolean;
  isForgotten: boolean;
};

/** The time of creation, by the clock that the process believes, and by one that cannot be set. */
export type Made = { readonly at: number; readonly elapsed: number };

/** An event as it was committed. */
export type WrittenEvent = {
  readonly tenant: string;
  readonly id: string;
  readonly subject: SubjectId;
  body: string;
  readonly made: Made;
  isForgotten: boolean;
};

export type Clock = {
  readonly realNow: () => number;
  readonly elapsed: () => number;
  /** The lead of the tenant's clock over real time. */
  readonly aheadOf: (tenant: Tenant) => number;
};

const MAX_ATTEMPTS = 12;
const pathOf = (url: string): string => new URL(url).pathname;

export function createWebhookOracle(
  fault: (text: string) => void,
  endpoints: Map<string, Endpoint>,
  clock: Clock,
) {
  const deliveries = new Map<string, Due>();
  const byTarget = new Map<string, Due>();
  const events: WrittenEvent[] = [];
  const bodies = new Map<string, string>();
  /** Receivers that have ever failed, or may be thought to. */
  const doubted = new Set<string>();
  let hanging = 0;
  let sendings = 0;

  function wanted(tenant: Tenant, type: string, url: string): string[] {
    const wanting = [...endpoints.values()].filter(
      (each) =>
        tenantName(each.tenant) === tenantName(tenant) &&
        each.disabled === null &&
        each.events.some(
          (selected) =>
            selected === '*' ||
            selected === type ||
            (selected.endsWith('.*') && type.startsWith(selected.slice(0, -1))),
        ),
    );
    return [...(url === '' ? [] : [new URL(url).origin]), ...wanting.map(({ id }) => id)].sort();
  }

  const inFront = (due: Due): Due[] =>
    [...deliveries.values()].filter(
      (each) =>
        each.subject === due.subject && each.receiver === due.receiver && each.sequence < due.sequence,
    );

  /** The command that made it may have waited for its commit. */
  const madeIn = (tenant: Tenant, createdAt: number): Made => ({
    at: Math.min(clock.realNow(), createdAt - clock.aheadOf(tenant)),
    elapsed: clock.elapsed(),
  });

  function found({ event, url }: Sending): Due | undefined {
    return byTarget.get(`${event.id} ${pathOf(url)}`);
  }

  return {
    deliveries,
    events,
    doubted,

    committed(tenant: Tenant, writes: Writes): void {
      const { deliveries: rows = [], checkout } = writes;
      for (const { id, type, body, subject, createdAt } of writes.events ?? []) {
        if (bodies.has(id)) fault(`the event ${id} was written twice`);
        bodies.set(id, body);
        events.push({
          tenant: tenantName(tenant),
          id,
          subject,
          body,
          made: madeIn(tenant, createdAt),
          isForgotten: false,
        });
        if (!checkout) continue;
        const are = rows
          .filter(({ event }) => event === id)
          .map(({ receiver }) => receiver)
          .sort();
        const due = wanted(tenant, type, checkout.after.webhookUrl);
        if (`${are}` !== `${due}`) fault(`${type} of ${subject} goes to ${are}, not to ${due}`);
      }
      for (const { before, after } of writes.endpoints ?? []) {
        if (after) endpoints.set(after.id, after);
        else if (before) endpoints.delete(before.id);
      }
      for (const { id, event, subject, sequence, receiver, url, createdAt } of rows) {
        const path = pathOf(url ?? endpoints.get(receiver)?.url ?? '');
        const due: Due = {
          id,
          tenant,
          event,
          subject,
          sequence,
          createdAt,
          made: madeIn(tenant, createdAt),
          receiver,
          path,
          sent: 0,
          isOnItsWay: false,
          arrived: false,
          saidGone: false,
          isOver: false,
          overAt: 0,
          resent: false,
          fresh: true,
          isTooOld: false,
          isForgotten: false,
        };
        deliveries.set(id, due);
        byTarget.set(`${event} ${path}`, due);
      }
      for (const { id, state, attempt, httpStatus } of writes.deliveryResults ?? []) {
        const due = deliveries.get(id);
        if (due === undefined) fault(`the result of a delivery that is not known: ${id}`);
        else {
          if (state === 'delivered' && !due.arrived) fault(`${id} counts as delivered and never arrived`);
          if (state === 'delivered' || state === 'failed') {
            due.isOver = true;
            due.overAt = clock.realNow() + clock.aheadOf(tenant);
          }
          if (state !== 'delivered') doubted.add(due.receiver);
          const isOn = !due.receiver.startsWith('whe_') || endpoints.get(due.receiver)?.disabled === null;
          const isTooOld = ageOf(due.made, clock) >= DELIVERY_DAYS * DAY_MS;
          if (state === 'failed' && attempt === null && isTooOld) due.isTooOld = true;
          if (state === 'failed' && attempt === null && isOn && !isTooOld)
            fault(`${id} was given up, and nobody has tried`);
          if (state === 'failed' && attempt !== null && httpStatus !== 410 && due.sent < MAX_ATTEMPTS)
            fault(`${id} was given up after ${due.sent} attempts`);
        }
      }
      for (const { id } of writes.resends ?? []) {
        const due = deliveries.get(id);
        // The request for one that is forgotten meanwhile is repeated here, where the API no longer finds it.
        if (due?.isForgotten === false) Object.assign(due, { isOver: false, resent: true });
      }
    },

    /** A person was forgotten, of whom events of these sessions tell. */
    redacted(subjects: ReadonlySet<string>, redact: (body: string) => string): void {
      for (const event of events) {
        if (!subjects.has(event.subject)) continue;
        event.body = redact(event.body);
        bodies.set(event.id, event.body);
      }
    },

    sent(sending: Sending): void {
      const { event } = sending;
      hanging++;
      sendings++;
      const due = found(sending);
      if (due === undefined) {
        fault(`${event.type} ${event.id} was sent, and was never committed`);
        return;
      }
      due.sent++;
      if (due.isOnItsWay) fault(`${due.id} is sent while it is on its way`);
      due.isOnItsWay = true;
      if (event.body !== bodies.get(event.id))
        fault(`${event.id} was sent with other bytes than were committed`);
      if (due.isOver) fault(`${due.id} was sent again although it had arrived or was given up`);
      const first = inFront(due).find((each) => !each.arrived && !each.resent && !each.isOver);
      if (first !== undefined) fault(`${due.id} of ${due.subject} overtakes ${first.id}`);
    },
    ended(sending: Sending): void {
      hanging--;
      const due = found(sending);
      if (due !== undefined) due.isOnItsWay = false;
    },
    arrived(sending: Sending): void {
      const due = found(sending);
      if (due !== undefined) due.arrived = true;
    },
    saidGone(sending: Sending): void {
      const due = found(sending);
      if (due !== undefined) due.saidGone = true;
    },
    /** Requests end with the process in which they hung. */
    forgetHanging(): void {
      hanging = 0;
      for (const due of deliveries.values()) due.isOnItsWay = false;
    },

    /** The number of deliveries that have gone out, to any receiver. */
    sendings: () => sendings,

    /** Deliveries that nothing kept from going out at once, and that did not. */
    asleep(nowOf: (tenant: Tenant) => number): Due[] {
      if (hanging > 0) return [];
      return [...deliveries.values()].filter((each) => {
        const now = nowOf(each.tenant);
        return (
          each.fresh &&
          each.sent === 0 &&
          // A clock that was set back makes it due later.
          each.createdAt <= now &&
          !doubted.has(each.receiver) &&
          (!each.receiver.startsWith('whe_') || endpoints.get(each.receiver)?.disabled === null) &&
          inFront(each).every(({ isOver, overAt }) => isOver && overAt <= now)
        );
      });
    },

    /** Deliveries made until now are no longer fresh. */
    age(): void {
      for (const each of deliveries.values()) each.fresh = false;
    },
  };
}
