/**
 * Watches a simulation from outside: what was asked, what each commit wrote, what was answered, what arrived. It notes
 * whatever contradicts the contract, and never helps the service.
 */
import type { CheckoutCommand } from '../../src/checkout/commands.ts';
import type { Customer } from '../../src/checkout/customer.ts';
import type { Checkout } from '../../src/checkout/session.ts';
import { type Tenant, tenantName } from '../../src/checkout/tenant.ts';
import { BANK } from '../../src/methods/bank/receiving-account.ts';
import type { Answer, Needs, Writes } from '../../src/store/store.ts';
import type { Endpoint } from '../../src/webhooks/endpoint.ts';
import type { Executed } from '../../src/writer/writer.ts';
import type { Bank } from './bank.ts';
import { createBankOracle } from './bank-oracle.ts';
import {
  asSession,
  type Expected,
  expected,
  flawOf,
  isPaid,
  objection,
  paymentStatusOf,
  type Session,
} from './model.ts';
import { createPeopleOracle, withoutPerson } from './people-oracle.ts';
import type { Kept } from './retention-oracle.ts';
import type { Truths } from './truth.ts';
import { type Clock, createWebhookOracle } from './webhook-oracle.ts';

/** A request as it was sent. */
export type Request = {
  readonly tenant: Tenant;
  readonly operation: string;
  readonly key: string;
  readonly hash: string;
  /** Null where it is about something else than a session. */
  readonly checkout: { readonly id: string; readonly command: CheckoutCommand } | null;
  /** Set where its answer waits for receivers. */
  readonly waits?: true;
};

/** A request under way, and what its answer has to be once that is decided. */
export type Entry = Request & {
  expect: {
    kind: 'replay' | 'change' | 'unchanged' | 'any' | string;
    body: string | null;
    session?: Session;
  } | null;
  answered: boolean;
};

export type Decision = { readonly needs: Needs; readonly writes: readonly Writes[] };

const KEPT_AT_LEAST_MS = 24 * 3_600_000;

type Options = {
  /** Truths of all rails but the bank's, which this oracle has itself. */
  readonly rails: Truths;
  readonly bank: Bank;
  readonly realNow: () => number;
  readonly elapsed: () => number;
};

function brief(writes: Writes): string {
  const { checkout, bankEntry } = writes;
  if (checkout) return `${checkout.after.id} v${checkout.after.version}`;
  if (bankEntry) return `${bankEntry.id} ${bankEntry.state} ${bankEntry.problem ?? ''}`;
  return `${Object.keys(writes)}`;
}

export function createOracle({ rails, bank, realNow, elapsed }: Options) {
  const faults: string[] = [];
  const trace: string[] = [];
  const sessions = new Map<string, Session>();
  /** The same sessions as they were committed. */
  const stored = new Map<string, Checkout>();
  const endpoints = new Map<string, Endpoint>();
  const offsets = new Map<number, number>();
  const kept = new Map<string, Kept>();
  const told = new Map<string, number>();
  let underWay: Entry[] = [];
  /** The latest time that the clock has ever shown: what was forgotten then stays so when it is set back. */
  let latest = 0;

  function look(): number {
    const now = realNow();
    latest = Math.max(latest, now);
    return now;
  }

  const fault = (text: string): void => {
    faults.push(text);
  };
  const aheadOf = ({ account, mode }: Tenant): number => (mode === 'test' ? (offsets.get(account) ?? 0) : 0);
  const nowOf = (tenant: Tenant): number => look() + aheadOf(tenant);
  const clock: Clock = { realNow: look, elapsed, aheadOf };
  const webhooks = createWebhookOracle(fault, endpoints, clock);
  const inbox = createBankOracle(bank, fault);
  const people = createPeopleOracle();
  const forgotten: Customer[] = [];
  const truths: Truths = { ...rails, [BANK]: inbox.truth };

  const keyOf = (tenant: Tenant, { operation, key }: { operation: string; key: string }) =>
    `${tenantName(tenant)} ${operation} ${key}`;

  /** The session of the tenant that knows this reference, as an attempt or as a payment. */
  function ownerOf(tenant: Tenant, command: CheckoutCommand): string | undefined {
    if (command.type !== 'report') return undefined;
    const is = (each: { rail: string; reference: string }) =>
      each.rail === command.rail && each.reference === command.reference;
    return of(tenant).find(({ attempts, payments }) => attempts.some(is) || payments.some(is))?.id;
  }

  const of = (tenant: Tenant): Session[] =>
    [...sessions.values()].filter((each) => tenantName(each.tenant) === tenantName(tenant));

  function judge(entry: Entry, { writes }: Decision): void {
    const { tenant, checkout, hash } = entry;
    const name = keyOf(tenant, entry);
    const known = kept.get(name);
    const answer = writes.find((each) => each.answer)?.answer;
    const isOld = known !== undefined && latest - known.at >= KEPT_AT_LEAST_MS;
    if (isOld && writes.length === 0) {
      // The key may have been forgotten, and its request then refused as a new one.
      entry.expect = { kind: 'any', body: null };
      return;
    }
    if (known !== undefined && !isOld) {
      entry.expect =
        known.hash === hash ? { kind: 'replay', body: known.body } : { kind: 'key_reused', body: null };
      if (writes.length > 0) fault(`a request with a key that was used writes again: ${name}`);
      return;
    }
    if (answer !== undefined) kept.set(name, { hash, body: answer.body, at: realNow(), elapsed: elapsed() });
    if (checkout === null) {
      entry.expect = { kind: 'any', body: answer?.body ?? null };
      return;
    }
    const { id, command } = checkout;
    const before = sessions.get(id);
    const own = before && tenantName(before.tenant) === tenantName(tenant) ? before : undefined;
    const due = expected(own, id, command, own && ownerOf(tenant, command));
    entry.expect = expectationOf(due, own, answer?.body ?? null);
    const written = writes.find((each) => each.checkout)?.checkout?.after;
    if ('refusal' in due) {
      if (writes.length > 0)
        fault(`${command.type} of ${id} was to be refused as ${due.refusal}, and writes`);
      return;
    }
    if (answer === undefined) fault(`${command.type} of ${id} keeps no answer for a repetition`);
    const is = written === undefined ? own : asSession(written);
    if (JSON.stringify(is) !== JSON.stringify(due.session))
      fault(
        `${command.type} of ${id} comes to\n${JSON.stringify(is)}, not to\n${JSON.stringify(due.session)}`,
      );
  }

  function expectationOf(
    due: Expected,
    before: Session | undefined,
    body: string | null,
  ): NonNullable<Entry['expect']> {
    if ('refusal' in due) return { kind: due.refusal, body: null };
    return { kind: due.session === before ? 'unchanged' : 'change', body, session: due.session };
  }

  /** An answer that was kept tells of nobody who was forgotten since. */
  const isRedacted = (kept: string, body: string | undefined): boolean =>
    forgotten.reduce((left, customer) => withoutPerson(left, customer), kept) === body;

  function forget(customer: Customer): void {
    forgotten.push(customer);
    const theirs = [...stored.values()].filter((session) => people.isOf(customer, session));
    for (const session of theirs) {
      const left = people.without(session);
      stored.set(left.id, left);
      sessions.set(left.id, asSession(left));
    }
    const ids = new Set<string>(theirs.map(({ id }) => id));
    webhooks.redacted(ids, (body) => withoutPerson(body, customer));
  }

  /** Events of a changed session: numbered without a gap, and telling just once of what happens once. */
  function judgeEvents(writes: Writes): void {
    const { events = [], checkout } = writes;
    for (const { id, type, subject, sequence, body } of events) {
      const last = told.get(subject) ?? 0;
      if (sequence !== last + 1) fault(`${type} of ${subject} has number ${sequence} behind ${last}`);
      told.set(subject, sequence);
      const parsed = JSON.parse(body);
      if (parsed.id !== id || parsed.type !== type || parsed.sequence !== sequence)
        fault(`the body of ${id} tells of something else`);
      if (checkout && parsed.version !== checkout.after.version)
        fault(`${type} of ${subject} has a wrong version`);
    }
    if (!checkout) return;
    const before = checkout.before ? asSession(checkout.before) : null;
    const after = asSession(checkout.after);
    const types = events.map(({ type }) => type).sort();
    const due: string[] = [];
    if (before === null) due.push('checkout.created');
    else {
      if (isPaid(after) && !isPaid(before)) due.push('checkout.paid');
      if (after.state === 'expired' && before.state !== 'expired') due.push('checkout.expired');
    }
    for (const refund of after.refunds) {
      if (before?.refunds.find(({ id }) => id === refund.id)?.status !== refund.status)
        due.push(`refund.${refund.status}`);
    }
    const watched = /^(checkout\.(created|paid|expired)|refund\.)/;
    const are = types.filter((type) => watched.test(type));
    if (JSON.stringify(are) !== JSON.stringify(due.sort()))
      fault(`${after.id} tells of ${are}, not of ${due}`);
    const isSeen = before === null || before.version !== after.version;
    if (isSeen !== events.length > 0) fault(`${after.id} changes without an event, or the other way round`);
  }

  return {
    faults,
    trace,
    sessions,
    stored,
    endpoints,
    webhooks,
    inbox,
    people,
    truths,
    clock,
    kept,
    nowOf,
    aheadOf,
    fault,

    /** Has a look at the clock. */
    look,

    sent(request: Request): Entry {
      const entry: Entry = { ...request, expect: null, answered: false };
      underWay.push(entry);
      return entry;
    },

    /** The request could not be written, or its process is no more. */
    dropped(entry: Entry): void {
      underWay = underWay.filter((each) => each !== entry);
    },
    lostAll(): void {
      underWay = [];
    },
    unanswered: (): Entry[] => underWay.filter(({ waits }) => !waits),

    answered(entry: Entry, { result, answer }: Executed<unknown>): void {
      underWay = underWay.filter((each) => each !== entry);
      entry.answered = true;
      const { expect, operation } = entry;
      const is = result.kind === 'refusal' ? result.reason : result.kind;
      trace.push(`${operation} ${entry.key}: ${is}`);
      if (expect === null) {
        fault(`${operation} ${entry.key} was answered before it was committed`);
        return;
      }
      if (expect.kind !== 'any' && is !== expect.kind)
        fault(`${operation} ${entry.key} came to ${is}, not to ${expect.kind}`);
      if (expect.body !== null && answer?.body !== expect.body && !isRedacted(expect.body, answer?.body))
        fault(`${operation} ${entry.key} has another answer than was kept`);
      const { session } = expect;
      if (session !== undefined && answer) judgeAnswer(session, answer);
    },

    /** A batch has been committed: its decisions in order. */
    committed(decisions: readonly Decision[]): void {
      for (const decision of decisions) {
        const [asked] = decision.needs.answers ?? [];
        const { tenant } = decision.needs;
        const entry =
          asked &&
          underWay.find(
            (each) =>
              each.expect === null &&
              keyOf(each.tenant, each) === keyOf(tenant, asked) &&
              each.hash === asked.requestHash,
          );
        if (asked && entry === undefined)
          fault(`a request was decided on that nobody sent: ${asked.operation}`);
        inbox.committed(tenant, decision.writes, entry !== undefined, stored);
        for (const writes of decision.writes) {
          const { checkout, clockMove } = writes;
          trace.push(`commit ${brief(writes)}`);
          judgeEvents(writes);
          webhooks.committed(tenant, writes);
          if (!entry?.checkout && checkout) {
            const before = sessions.get(checkout.after.id);
            const why = before
              ? objection(before, asSession(checkout.after), nowOf(tenant), truths)
              : 'a session came from nowhere';
            if (why !== null) fault(`${why}: ${checkout.after.id}`);
          }
          offsets.set(tenant.account, (offsets.get(tenant.account) ?? 0) + (clockMove?.advanceMs ?? 0));
        }
        if (entry) judge(entry, decision);
        for (const writes of decision.writes) {
          const { checkout, erasedCustomer } = writes;
          people.committed(tenant, writes);
          if (erasedCustomer) forget(erasedCustomer);
          if (!checkout) continue;
          const after = asSession(checkout.after);
          const flaw = flawOf(after);
          if (flaw !== null) fault(`${flaw}: ${after.id}`);
          sessions.set(after.id, after);
          stored.set(after.id, checkout.after);
        }
      }
      for (const truth of Object.values(truths)) for (const flaw of truth.flaws()) fault(flaw);
    },
  };

  function judgeAnswer(session: Session, { body }: Answer): void {
    const { data } = JSON.parse(body);
    const is = [data.status, data.payment_status, data.amount];
    const due = [session.state, paymentStatusOf(session), session.amount];
    if (`${is}` !== `${due}`) fault(`${session.id} is answered as ${is}, and is ${due}`);
  }
}

export type Oracle = ReturnType<typeof createOracle>;
