/**
 * Inbound provider webhooks: stored verbatim and acknowledged, then matched by asking the provider. The path needs no
 * key: the signature authenticates the provider. It stays `/notices/…`, which operators have entered at their providers.
 * Each account and mode has a path of its own, which says whose secret is tried: one, whatever is in the body.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Mode, tenantName } from '../../checkout/tenant.ts';
import { clientOf } from '../../lib/client-address.ts';
import { newId } from '../../lib/id.ts';
import { createLru } from '../../lib/lru.ts';
import { eventPath } from '../../methods/credentials.ts';
import { BadSignature, type InboundEvent, type Rail, type Recipient } from '../../methods/method.ts';
import { ownOrigin } from '../../writer/command.ts';
import { type Limits, rateLimited } from '../admission.ts';
import type { Dependencies } from '../dependencies.ts';
import { RequestError } from '../errors.ts';

/** Far above the size of any provider event. */
const EVENT_LIMIT_BYTES = 262_144;

/** Clients remembered because an event of theirs was verified; providers send from a few dozen addresses. */
const MAX_PROVIDERS = 1_000;

/** `unsigned` counts what has no valid signature; events at an account's own address count as its requests. */
export function providerEventRoutes(
  app: FastifyInstance,
  { unsigned, tenants }: Limits,
  {
    rails,
    store,
    execute,
    worker,
    now,
    onBadSignature,
  }: Dependencies & { readonly onBadSignature: (rail: string) => void },
): void {
  const providers = createLru<string, true>({ most: MAX_PROVIDERS });

  /** Null for an address of no account: whoever sends there learns nothing of which accounts there are. */
  async function recipientOf({ account: number, mode }: Address): Promise<Recipient | null> {
    const account = /^\d{1,9}$/.test(number) ? await store.accounts.fetch(Number(number)) : null;
    return account !== null && isMode(mode) ? { account, mode } : null;
  }

  async function receive(rail: string, event: InboundEvent, body: Buffer): Promise<void> {
    const { reference, attemptReference, paymentReference, tenant } = event;
    const time = await now(tenant);
    await execute({
      subject: 'provider_event',
      origin: ownOrigin(tenant, 'rail'),
      now: time,
      rail,
      reference,
      action: {
        type: 'receive',
        id: newId('pev', time),
        attemptReference,
        paymentReference,
        body: body.toString('utf8'),
      },
    });
    worker.nudge('providerEvents', tenant);
  }

  /** The event, if its signature is good; a bad one counts against the address of its sender. */
  async function verified(rail: EventRail, request: FastifyRequest, body: Buffer): Promise<InboundEvent> {
    const address = addressOf(request);
    try {
      const recipient = address && (await recipientOf(address));
      if (recipient === null) throw new BadSignature('the address is that of no account');
      const event = rail.readEvent(body, request.headers, recipient);
      providers.set(senderOf(request), true);
      return event;
    } catch (error) {
      if (!(error instanceof BadSignature)) throw error;
      onBadSignature(rail.name);
      const waitMs = unsigned.take(request.ip);
      throw waitMs > 0 ? rateLimited(unsigned, waitMs) : new RequestError('bad_signature');
    }
  }

  void app.register(async (scoped) => {
    // Refused before the body is read, unless a provider has the same address: behind a proxy that TRUST_PROXY does not name,
    // all have.
    scoped.addHook('onRequest', (request, _reply, done) => {
      const waitMs = providers.get(senderOf(request)) ? 0 : unsigned.waitOf(request.ip);
      done(waitMs > 0 ? rateLimited(unsigned, waitMs) : undefined);
    });
    scoped.removeAllContentTypeParsers();
    scoped.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit: EVENT_LIMIT_BYTES },
      (_request, body, done) => done(null, body),
    );
    const config = { operation: 'PROVIDER_EVENT.RECEIVE' };
    for (const rail of rails.filter(hasEvents)) {
      for (const path of [eventPath(rail.name), `${eventPath(rail.name)}/:account/:mode`]) {
        scoped.post(path, { config }, async (request, reply) => {
          const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
          const event = await verified(rail, request, body);
          // An account knows its own secret, and could sign as much as it likes.
          const waitMs = addressOf(request) ? tenants.take(tenantName(event.tenant)) : 0;
          if (waitMs > 0) throw rateLimited(tenants, waitMs);
          await receive(rail.name, event, body);
          return reply.send({ received: true });
        });
      }
    }
  });
}

type EventRail = Rail & Required<Pick<Rail, 'readEvent'>>;
type Address = { readonly account: string; readonly mode: string };

const hasEvents = (rail: Rail): rail is EventRail => rail.readEvent !== undefined;
const isMode = (text: string): text is Mode => text === 'test' || text === 'live';

/** The account and mode in the path; undefined at the address of the settings. */
function addressOf({ params }: FastifyRequest): Address | undefined {
  const { account, mode } = Object(params);
  return account === undefined ? undefined : { account, mode };
}

/** A sender is known at the address where its signature was good: an account makes signatures of its own. */
function senderOf(request: FastifyRequest): string {
  const address = addressOf(request);
  return `${clientOf(request.ip)} ${address ? `${address.account} ${address.mode}` : ''}`;
}
