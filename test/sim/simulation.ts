/** One simulation: steps done one after the other, faults looked for at each, then healing, and what has to hold then. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createAccount } from '../../src/accounts/account.ts';
import type { CheckoutId } from '../../src/checkout/ids.ts';
import { sameTenant, type Tenant, tenantName } from '../../src/checkout/tenant.ts';
import { success } from '../../src/http/envelope.ts';
import { newId } from '../../src/lib/id.ts';
import { StoreUnavailable } from '../../src/store/errors.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import type { EndpointCommand } from '../../src/webhooks/endpoint.ts';
import type { Command, Serialize, Subject, Value } from '../../src/writer/command.ts';
import { startAtRail } from '../../src/writer/rails.ts';
import { brokenRules, undelivered, unsettled, untold } from './end.ts';
import { asSession } from './model.ts';
import { createOracle, type Entry, type Request } from './oracle.ts';
import { type Process, serializer, startProcess, type Trouble } from './process.ts';
import { createProvider, PROVIDER } from './provider.ts';
import { createReceivers } from './receivers.ts';
import * as requests from './requests.ts';
import { createRetentionOracle } from './retention-oracle.ts';
import { RECEIVERS, type Step } from './steps.ts';
import type { World } from './world.ts';

/** Null if nothing is wrong; `trace` tells what was done, the same for the same steps. */
export type Run = { readonly fault: string | null; readonly trace: readonly string[] };

const TENANTS: readonly Tenant[] = [
  { account: 1, mode: 'test' },
  { account: 1, mode: 'live' },
  { account: 2, mode: 'test' },
];
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
  ...Array(6).fill(26 * 3_600_000),
];

const HARMLESS_JUMP_MS = 30_000;
const JUMP_LASTS_MS = 600_000;

export type Place = { readonly directory: string; readonly template: string };

/** A directory with an empty database of two accounts, to be copied for each simulation. */
export async function makePlace(under: string): Promise<Place> {
  const directory = mkdtempSync(join(under, 'opentill-sim-'));
  const template = join(directory, 'template.db');
  const store = openSqliteStore(template);
  await createAccount(store, 'one', 0);
  await createAccount(store, 'two', 0);
  await store.close();
  return { directory, template };
}

export async function simulate(
  { directory, template }: Place,
  world: World,
  steps: readonly Step[],
): Promise<Run> {
  const path = join(directory, 'sim.db');
  for (const end of ['', '-wal', '-shm', '.lock']) rmSync(path + end, { force: true });
  copyFileSync(template, path);

  const trouble: Trouble = { crash: null, fullDisk: 0 };
  const provider = createProvider(world.stir);
  const oracle = createOracle(provider, () => node.realNow(), world.elapsed);
  const { faults, trace, sessions, endpoints, webhooks, fault } = oracle;
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
    webhooks.ended();
    return result;
  };
  const retention = createRetentionOracle(
    path,
    { deliveries: webhooks.deliveries, events: webhooks.events, kept: oracle.kept },
    oracle.clock,
    fault,
  );
  const begin = () =>
    startProcess({
      path,
      world,
      rails: [provider.rail],
      send,
      trouble,
      committed: oracle.committed,
      removed: retention.removed,
      fault,
    });
  let node: Process = begin();
  /** The clock that the process believes, and since when that of the machine shows what it does. */
  let believed = world.wall() - world.elapsed();
  let setAt = 0;
  /** Where a clock is being moved, its tenant is attended to when that is done. */
  const isMoved = steps.some((step) => step.do === 'advance');
  /** Behind a clock that was set back, a process that has just begun has everything wait for as long. */
  const goesBack = steps.some((step) => step.do === 'set clock' && step.byMs < 0);

  type Sent = { readonly again: (otherBody: boolean) => void };
  const sent: Sent[] = [];

  /** Executes a command for a client, and has its answer looked at. */
  function ask<S extends Subject>(
    request: Request,
    command: Command<S>,
    serialize: Serialize<Value<S>>,
    run: typeof node.execute = node.execute,
  ): Promise<boolean> {
    const { isAlive } = node;
    const entry: Entry = oracle.sent(request);
    return run(command, serialize).then(
      (executed) => {
        world.stir();
        if (!isAlive()) return false;
        oracle.answered(entry, executed);
        return executed.result.kind === 'change';
      },
      (error) => {
        if (!isAlive()) return false;
        if (!(error instanceof StoreUnavailable)) fault(`${request.operation} failed: ${error.stack}`);
        oracle.dropped(entry);
        return false;
      },
    );
  }

  function originOf(request: Request) {
    const { tenant, key, operation, hash } = request;
    return { tenant, actor: 'ak', requestId: key, idempotency: { key, operation, requestHash: hash } };
  }

  /** Sends a request about a session. A payer goes on to the page of the provider. */
  function askAbout({ tenant, operation, make }: requests.Asked): void {
    const key = `k${sent.length}`;
    const again = (otherBody: boolean) => {
      if (!node.isAlive()) return;
      const { store, execute } = node;
      const now = oracle.nowOf(tenant);
      const { id, command } = make(now);
      const hash = otherBody ? 'other' : 'body';
      const request = { tenant, operation, key, hash, checkout: { id, command } };
      const asked = { subject: 'checkout', origin: originOf(request), id, command } as const;
      const answered = ask(
        request,
        asked,
        (checkout) => success('SIM', serializer.checkout(checkout)),
        execute,
      );
      if (command.type !== 'start_attempt' || command.rail !== PROVIDER) return;
      void answered.then(async (isStarted) => {
        const checkout = isStarted ? await store.checkouts.fetch(tenant, id) : null;
        const attempt = checkout?.attempts.find((each) => each.id === command.attemptId);
        if (!checkout || !attempt) return;
        const dependencies = {
          store,
          execute,
          rails: [provider.rail],
          onAlert: () => {},
          onSilence: () => {},
        };
        await startAtRail(dependencies, checkout, attempt, '', now).catch(() => {});
      });
    };
    sent.push({ again });
    again(false);
  }

  function askElse<S extends Subject>(
    tenant: Tenant,
    operation: string,
    make: (now: number) => Omit<Command<S>, 'origin'>,
  ): void {
    const key = `k${sent.length}`;
    const again = (otherBody: boolean) => {
      if (!node.isAlive()) return;
      const request = { tenant, operation, key, hash: otherBody ? 'other' : 'body', checkout: null };
      const command = { ...make(oracle.nowOf(tenant)), origin: originOf(request) } as unknown as Command<S>;
      void ask(request, command, () => success('SIM', '{}'));
    };
    sent.push({ again });
    again(false);
  }

  function advance(tenant: Tenant, seconds: number): void {
    const { worker, execute } = node;
    const request = {
      tenant,
      operation: 'POST advance',
      key: `k${sent.length}`,
      hash: 'body',
      checkout: null,
      waits: true,
    } as const;
    sent.push({ again: () => {} });
    const move = () =>
      ask(
        request,
        {
          subject: 'clock',
          origin: originOf(request),
          now: oracle.nowOf(tenant),
          realNow: node.realNow(),
          advanceMs: seconds * 1000,
        },
        () => success('SIM', '{}'),
        execute,
      );
    void worker.advance(tenant, move).catch((error) => {
      if (!(error instanceof StoreUnavailable)) fault(`the clock could not be moved: ${error}`);
    });
  }

  const pick = <T>(all: Iterable<T>, number: number): T | undefined => {
    const list = [...all];
    return list[number % list.length];
  };

  let events = 0;
  let paths = 0;
  async function done(step: Step): Promise<void> {
    if (!node.isAlive()) return;
    const session = 'session' in step ? pick(sessions.values(), step.session) : undefined;
    const reference = 'attempt' in step ? pick(provider.references(), step.attempt) : undefined;
    switch (step.do) {
      case 'create':
        return askAbout(requests.create(TENANTS[step.tenant] ?? { account: 1, mode: 'test' }, step));
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
        return pick(sent, step.request)?.again(step.otherBody);
      case 'payer':
        return reference === undefined ? undefined : provider.payer(reference, step.does);
      case 'provider event': {
        const owner = [...sessions.values()].find(({ attempts }) =>
          attempts.some((each) => each.reference === reference),
        );
        if (reference === undefined || owner === undefined || !node.isAlive()) return;
        const { tenant } = owner;
        const now = oracle.nowOf(tenant);
        const event = {
          id: newId('pev', now),
          rail: PROVIDER,
          reference: `we_${step.number % 2 === 0 ? step.number : events++}`,
          receivedAt: now,
          state: 'waiting',
          dueAt: now,
          tries: 0,
          attemptReference: reference,
          paymentReference: null,
          body: '{}',
        } as const;
        const origin = { tenant, actor: 'rail', requestId: '', idempotency: null };
        const { worker } = node;
        void node
          .execute({ subject: 'provider_event', origin, event })
          .then(worker.nudgeProviderEvents, () => {});
        return;
      }
      case 'add endpoint': {
        const tenant = TENANTS[step.tenant] ?? { account: 1, mode: 'test' };
        return askElse<'endpoint'>(tenant, 'POST /v3/webhook_endpoint', (now) => {
          // Each has a path of its own, by which the oracle knows it.
          const url = `https://r${step.receiver}.example/e${paths++}`;
          const settings = { url, events: [step.events], description: '', enabled: true };
          const command = { type: 'create_endpoint', secret: 'whsec_c2VjcmV0', settings } as const;
          return { subject: 'endpoint', id: newId('whe', now), command, now };
        });
      }
      case 'change endpoint': {
        const endpoint = pick(endpoints.values(), step.endpoint);
        if (endpoint === undefined) return;
        const moved = { url: endpoint.url.replace(/r(\d)/, (_all, n) => `r${(Number(n) + 1) % RECEIVERS}`) };
        const settings = step.how === 'move' ? moved : { enabled: step.how === 'on' };
        const command: EndpointCommand =
          step.how === 'delete' ? { type: 'delete_endpoint' } : { type: 'update_endpoint', settings };
        const { id, tenant } = endpoint;
        const operation = `PUT /v3/webhook_endpoint/${id}`;
        return askElse<'endpoint'>(tenant, operation, (now) => ({ subject: 'endpoint', id, command, now }));
      }
      case 'resend': {
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
        return askElse<'resend'>(due.tenant, `POST /v3/webhook_delivery/${due.id}/resend`, (now) => ({
          subject: 'resend',
          deliveries: [found],
          now,
        }));
      }
      case 'receiver':
        return receivers.setMood(step.receiver, step.mood);
      case 'provider':
        return provider.setMood(step.mood);
      case 'pass':
        return pass(step.ms);
      case 'set clock':
        // A jump that is believed by now has come before this one.
        judgeClock();
        if (Math.abs(step.byMs) > HARMLESS_JUMP_MS) setAt = world.elapsed();
        return world.setWall(step.byMs);
      case 'advance':
        return node.isAlive() ? advance(TENANTS[0] as Tenant, step.seconds) : undefined;
      case 'full disk':
        trouble.fullDisk = step.commits;
        return;
      case 'crash':
        if (step.when === 'now') await node.end();
        else trouble.crash = { after: step.after, when: step.when };
    }
  }

  /** Time passes; what takes at most fifteen seconds does not take an hour because that is all we wait. */
  async function pass(ms: number): Promise<void> {
    const first = Math.min(ms, 16_000);
    await world.pass(first);
    oracle.look();
    if (ms > first) await world.pass(ms - first);
    oracle.look();
  }

  /** What must hold as soon as nothing happens any more. */
  async function settle(): Promise<void> {
    await world.settled();
    while (!node.isAlive()) {
      await node.end();
      oracle.lostAll();
      webhooks.forgetHanging();
      node = begin();
      believed = world.wall() - world.elapsed();
      trace.push('restart');
      await compare();
      await world.settled();
    }
    oracle.look();
    judgeClock();
    for (const { operation, key } of oracle.unanswered()) fault(`${operation} ${key} was never answered`);
    const asleep = webhooks.asleep(oracle.nowOf);
    if (trouble.fullDisk === 0 && !isMoved)
      for (const { id } of asleep) fault(`${id} could go out, and sleeps`);
  }

  /** Time goes on as it passes, and jumps with the clock of the machine only when that has lasted. */
  function judgeClock(): void {
    const shown = node.realNow() - world.elapsed();
    const hasJumped = Math.abs(shown - believed) > HARMLESS_JUMP_MS;
    if (hasJumped && world.elapsed() - setAt < JUMP_LASTS_MS)
      fault('a clock that has jumped is believed at once');
    believed = shown;
  }

  /** What is stored is what was committed. */
  async function compare(): Promise<void> {
    for (const session of sessions.values()) {
      const stored = await node.store.checkouts.fetch(session.tenant, session.id as CheckoutId);
      const is = stored && JSON.stringify(asSession(stored));
      if (is !== JSON.stringify(session))
        fault(`${session.id} is stored as\n${is}, and was\n${JSON.stringify(session)}`);
    }
  }

  async function heal(): Promise<void> {
    trouble.crash = null;
    trouble.fullDisk = 0;
    provider.setMood('ok');
    for (let receiver = 0; receiver < RECEIVERS; receiver++) receivers.setMood(receiver, 'ok');
    for (const [index, ms] of HEALING_MS.entries()) {
      if (faults.length > 0) return;
      if (index === 5) {
        for (const name of goesBack ? [] : untold(sessions.values(), provider))
          fault(`the provider was not told that ${name} was given up`);
        provider.closePages();
      }
      await pass(ms);
      await settle();
    }
    await compare();
    const about = { provider, nowOf: oracle.nowOf, goesBack };
    for (const text of unsettled(sessions.values(), about)) fault(text);
    for (const text of undelivered(webhooks.deliveries.values(), endpoints, offOnce)) fault(text);
    for (const tenant of TENANTS) {
      const { rows } = await node.store.events.list(tenant, {}, 0, 100_000);
      const is = rows.map(({ id, body }) => id + body).join();
      const due = webhooks.events.filter((each) => each.tenant === tenantName(tenant) && !each.isForgotten);
      if (is !== due.map(({ id, body }) => id + body).join()) fault('the feed is not what was committed');
    }
    if (!goesBack) retention.left();
  }

  /** Endpoints that were ever disabled. */
  const offOnce = new Set<string>();

  await world.settled();
  for (const step of steps) {
    trace.push(JSON.stringify(step));
    for (const { id, disabled } of endpoints.values()) if (disabled !== null) offOnce.add(id);
    if (!node.isAlive()) await settle();
    await done(step);
    if (!step.joined) await settle();
    if (faults.length > 0) break;
  }
  if (faults.length === 0) await settle();
  if (faults.length === 0) await heal();
  await node.end();
  if (faults.length === 0) for (const text of await brokenRules(path)) fault(text);
  return { fault: faults[0] ?? null, trace };
}
