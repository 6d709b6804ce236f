/** Carries out the steps of a history: what each of them means on this stage, at this moment. */
import { sameTenant, type Tenant } from '../../src/checkout/tenant.ts';
import { newId } from '../../src/lib/id.ts';
import type { EndpointCommand } from '../../src/webhooks/endpoint.ts';
import { createClients } from './clients.ts';
import { PROVIDER } from './provider.ts';
import * as requests from './requests.ts';
import { type Stage, TENANTS } from './stage.ts';
import { RECEIVERS, type Step } from './steps.ts';

type Of<D extends Step['do']> = Extract<Step, { readonly do: D }>;

const tenantOf = (number: number): Tenant => TENANTS[number] ?? { account: 1, mode: 'test' };

function pick<T>(all: Iterable<T>, number: number): T | undefined {
  const list = [...all];
  return list[number % list.length];
}

/** Carries out one step; nothing where no process runs, or what the step is about is not there. */
export function createActs(stage: Stage): (step: Step) => Promise<void> {
  const { oracle, provider, receivers, trouble, process } = stage;
  const { sessions, endpoints, webhooks } = oracle;
  const clients = createClients(stage);
  const { askAbout, askElse } = clients;
  let events = 0;
  let paths = 0;

  function sendProviderEvent(reference: string | undefined, number: number): void {
    const owner = [...sessions.values()].find(({ attempts }) =>
      attempts.some((each) => each.reference === reference),
    );
    if (reference === undefined || owner === undefined || !process().isAlive()) return;
    const { tenant } = owner;
    const now = oracle.nowOf(tenant);
    const event = {
      id: newId('pev', now),
      rail: PROVIDER,
      reference: `we_${number % 2 === 0 ? number : events++}`,
      receivedAt: now,
      state: 'waiting',
      dueAt: now,
      tries: 0,
      attemptReference: reference,
      paymentReference: null,
      body: '{}',
    } as const;
    const origin = { tenant, actor: 'rail', requestId: '', idempotency: null };
    const { worker, execute } = process();
    void execute({ subject: 'provider_event', origin, event }).then(worker.nudgeProviderEvents, () => {});
  }

  function addEndpoint({ tenant, receiver, events: selected }: Of<'add endpoint'>): void {
    askElse<'endpoint'>(tenantOf(tenant), 'POST /v3/webhook_endpoint', (now) => {
      // Each has a path of its own, by which the oracle knows it.
      const url = `https://r${receiver}.example/e${paths++}`;
      const settings = { url, events: [selected], description: '', enabled: true };
      const command = { type: 'create_endpoint', secret: 'whsec_c2VjcmV0', settings } as const;
      return { subject: 'endpoint', id: newId('whe', now), command, now };
    });
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
    const { receiver, event, subject } = due;
    const asRead = {
      eventType: '',
      url: null,
      state: 'delivered',
      attempts: 1,
      dueAt: null,
      triedAt: null,
      lastStatus: 200,
      lastError: null,
    } as const;
    const found = { id: due.id, event, subject, receiver, createdAt: 0, ...asRead };
    askElse<'resend'>(due.tenant, `POST /v3/webhook_delivery/${due.id}/resend`, (now) => ({
      subject: 'resend',
      deliveries: [found],
      now,
    }));
  }

  return async (step) => {
    if (!process().isAlive()) return;
    const session = 'session' in step ? pick(sessions.values(), step.session) : undefined;
    const reference = 'attempt' in step ? pick(provider.references(), step.attempt) : undefined;
    switch (step.do) {
      case 'create':
        return askAbout(requests.create(tenantOf(step.tenant), step));
      case 'update':
        return session && askAbout(requests.update(session, step));
      case 'expire':
        return session && askAbout(requests.expire(session, step));
      case 'start':
        return session && askAbout(requests.start(session, step));
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
        return reference === undefined ? undefined : provider.payer(reference, step.does);
      case 'provider event':
        return sendProviderEvent(reference, step.number);
      case 'add endpoint':
        return addEndpoint(step);
      case 'change endpoint':
        return changeEndpoint(step);
      case 'resend':
        return resend(step);
      case 'receiver':
        return receivers.setMood(step.receiver, step.mood);
      case 'provider':
        return provider.setMood(step.mood);
      case 'pass':
        return stage.pass(step.ms);
      case 'set clock':
        return stage.setClock(step.byMs);
      case 'advance':
        return clients.advance(tenantOf(0), step.seconds);
      case 'full disk':
        trouble.fullDisk = step.commits;
        return;
      case 'crash':
        if (step.when === 'now') await process().end();
        else trouble.crash = { after: step.after, when: step.when };
    }
  };
}
