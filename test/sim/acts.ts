/** Carries out the steps of a history: what each of them means on this stage, at this moment. */

import { tenantTime } from '../../src/accounts/account.ts';
import type { AttemptId } from '../../src/checkout/ids.ts';
import { sameTenant, type Tenant } from '../../src/checkout/tenant.ts';
import { newId } from '../../src/lib/id.ts';
import { BANK } from '../../src/methods/bank/receiving-account.ts';
import type { EndpointCommand } from '../../src/webhooks/endpoint.ts';
import { createBankActs } from './bank-acts.ts';
import { shownPages } from './cards.ts';
import { createClients } from './clients.ts';
import { isInFlight, paidOf, type Session } from './model.ts';
import { createNotices } from './notices.ts';
import { PROVIDER } from './provider.ts';
import * as requests from './requests.ts';
import type { Stage } from './stage.ts';
import { RECEIVERS, type Step, TENANTS } from './steps.ts';

type Of<D extends Step['do']> = Extract<Step, { readonly do: D }>;

const tenantOf = (number: number): Tenant => TENANTS[number] ?? { account: 1, mode: 'test' };

/** Sessions that a step is mostly about. */
const fitting: { readonly [D in Step['do']]?: (session: Session) => boolean } = {
  start: (session) => session.state === 'active' && !isInFlight(session),
  refund: (session) => paidOf(session) > 0,
};

function pick<T>(all: Iterable<T>, number: number): T | undefined {
  const list = [...all];
  return list[number % list.length];
}

/** Mostly one of those that fit, if there are any. */
function pickFitting<T>(all: Iterable<T>, number: number, fits: (each: T) => boolean): T | undefined {
  const list = [...all];
  const fitting = number % 5 === 0 ? [] : list.filter(fits);
  return pick(fitting.length > 0 ? fitting : list, number);
}

/** Carries out one step; nothing where no process runs, or what the step is about is not there. */
export function createActs(stage: Stage): (step: Step) => Promise<void> {
  const { oracle, provider, cards, bank, uploads, receivers, trouble, process } = stage;
  const { sessions, endpoints, webhooks } = oracle;
  const clients = createClients(stage);
  const { askAbout, askElse } = clients;
  const notices = createNotices(stage);
  const bankActs = createBankActs(stage, clients);
  let events = 0;
  let paths = 0;

  function sendProviderEvent(reference: string | undefined, number: number): void {
    const owner = [...sessions.values()].find(({ attempts }) =>
      attempts.some((each) => each.reference === reference),
    );
    if (reference === undefined || owner === undefined || !process().isAlive()) return;
    notices.sendEvent(owner.tenant, {
      rail: PROVIDER,
      reference: `we_${number % 2 === 0 ? number : events++}`,
      attemptReference: reference,
      paymentReference: null,
      body: '{}',
    });
  }

  function visit({ attempt, does }: Of<'payer'>): void {
    const isOpen = (name: string) =>
      cards.truth.statusOf(name) === 'processing' || cards.truth.statusOf(name) === 'requires_action';
    const reference = pickFitting(
      [...provider.references(), ...shownPages(oracle.stored.values())],
      attempt,
      isOpen,
    );
    if (reference === undefined) return;
    provider.payer(reference, does);
    cards.payer(reference, does);
  }

  const planFor =
    ({ id, tenant }: Session, rail: Of<'start'>['rail']) =>
    (attemptId: AttemptId, now: number) => {
      const checkout = oracle.stored.get(id);
      if (!checkout) return null;
      return rail === BANK
        ? bankActs.plan(checkout, attemptId, now)
        : cards.plan(checkout, attemptId, tenantTime(now, 0), oracle.aheadOf(tenant));
    };

  function addEndpoint({ tenant, receiver, events: selected }: Of<'add endpoint'>): void {
    askElse<'endpoint'>(tenantOf(tenant), 'POST /v3/webhook_endpoint', (now) => {
      // Each has a path of its own, by which the oracle knows it.
      const url = `https://r${receiver}.example/e${paths++}`;
      const settings = { url, events: [selected], description: '', enabled: true };
      const command = { type: 'create_endpoint', secret: 'whsec_c2VjcmV0', settings } as const;
      return { subject: 'endpoint', id: newId('whe', now), command, now };
    });
  }

  const personOf = ({ person }: Of<'create'>) =>
    person === undefined ? {} : oracle.people.detailsOf(person);

  function erase({ customer: number }: Of<'erase'>): void {
    const found = pick(oracle.people.known.values(), number);
    if (found === undefined) return;
    const { id } = found.customer;
    const command = { type: 'erase_customer' } as const;
    askElse<'customer'>(found.tenant, `DELETE /v3/customer/${id}`, (now) => ({
      subject: 'customer',
      id,
      now,
      command,
    }));
  }

  function changeEndpoint(step: Of<'change endpoint'>): void {
    const endpoint = pick(endpoints.values(), step.endpoint);
    if (endpoint === undefined) return;
    const moved = { url: endpoint.url.replace(/r(\d)/, (_all, n) => `r${(Number(n) + 1) % RECEIVERS}`) };
    const settings = step.how === 'move' ? moved : { enabled: step.how === 'on' };
    const command: EndpointCommand =
      step.how === 'delete' ? { type: 'delete_endpoint' } : { type: 'update_endpoint', settings };
    const { id, tenant } = endpoint;
    const operation = `PUT /v3/webhook_endpoint/${id}`;
    askElse<'endpoint'>(tenant, operation, (now) => ({ subject: 'endpoint', id, command, now }));
  }

  function resend(step: Of<'resend'>): void {
    const due = pick(webhooks.deliveries.values(), step.delivery);
    if (!due?.isOver || due.isForgotten) return;
    const { id, receiver, subject } = due;
    askElse<'resend'>(due.tenant, `POST /v3/webhook_delivery/${id}/resend`, (now) => ({
      subject: 'resend',
      deliveries: [{ id, receiver, subject }],
      now,
    }));
  }

  /** Something goes wrong while a file is being read. */
  function breakAt({ by, after }: NonNullable<Of<'statement'>['broken']>): void {
    if (by === 'full disk') trouble.fullDisk = { after, commits: 1 };
    else trouble.crash = { after, when: by };
  }

  return async (step) => {
    if (!process().isAlive()) return;
    const fits = fitting[step.do] ?? (() => true);
    const session = 'session' in step ? pickFitting(sessions.values(), step.session, fits) : undefined;

    switch (step.do) {
      case 'create':
        return askAbout(requests.create(tenantOf(step.tenant), step, personOf(step)));
      case 'erase':
        return erase(step);
      case 'update':
        return session && askAbout(requests.update(session, step));
      case 'expire':
        return session && askAbout(requests.expire(session, step));
      case 'start':
        return session && askAbout(requests.start(session, step, planFor(session, step.rail)));
      case 'cancel':
        return session && askAbout(requests.cancel(session));
      case 'report':
        return session && askAbout(requests.report(session, step));
      case 'refund':
        return session && askAbout(requests.refund(session, step));
      case 'foreign': {
        const stranger = TENANTS.find((each) => session && !sameTenant(each, session.tenant));
        return session && stranger && askAbout(requests.foreign(stranger, session));
      }
      case 'repeat':
        return pick(clients.sent, step.request)?.again(step.otherBody);
      case 'payer':
        return visit(step);
      case 'come back':
        return session && clients.comeBack(session);
      case 'provider event':
        return sendProviderEvent(pick(provider.references(), step.attempt), step.number);
      case 'add endpoint':
        return addEndpoint(step);
      case 'change endpoint':
        return changeEndpoint(step);
      case 'resend':
        return resend(step);
      case 'receiver':
        return receivers.setMood(step.receiver, step.mood);
      case 'mishap':
        return cards.line.plan(step.how, step.aim, step.calls);
      case 'next refund':
        return cards.nextRefund(step.status);
      case 'refund ends':
        return cards.settleRefund(step.refund, step.status);
      case 'notice':
        return notices.sendSigned(cards.event(step.event));
      case 'dispute':
        return cards.claims.dispute(step.payment, step.share, step.status);
      case 'dispute ends':
        return cards.claims.end(step.dispute, step.status);
      case 'refund at Stripe':
        return cards.claims.refund(step.payment, step.share);
      case 'transfer':
        return bankActs.transfer(step);
      case 'recall':
        return bank.recall(step.number);
      case 'carry out':
        return bank.carryOut(step.number);
      case 'give back':
        return bank.giveBack(step.number);
      case 'statement':
        if (step.broken) breakAt(step.broken);
        uploads.retry();
        return uploads.tell(bankActs.tenantFor(step.tenant, bank.of), step.which, step.format, step.number);
      case 'assign':
        return bankActs.assign(step);
      case 'decide':
        return bankActs.decide(step);
      case 'payment file':
        return void bankActs.makePaymentFile(bankActs.tenantFor(step.tenant, bankActs.owedIn));
      case 'provider':
        return provider.setMood(step.mood);
      case 'pass':
        return stage.pass(step.ms);
      case 'set clock':
        return stage.setClock(step.byMs);
      case 'advance':
        return clients.advance(tenantOf(0), step.seconds);
      case 'full disk':
        trouble.fullDisk = { after: 0, commits: step.commits };
        return;
      case 'flaws':
        trouble.flaws = step.commits;
        return;
      case 'upgrade':
        return stage.upgrade();
      case 'older version':
        return stage.startOlder(step.when);
      case 'crash':
        if (step.when === 'now') await process().end();
        else trouble.crash = { after: step.after, when: step.when };
    }
  };
}
