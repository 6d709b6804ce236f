/** The composition root: puts the service together, and picks its rails. */

import { isIP } from 'node:net';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import ipaddr from 'ipaddr.js';
import { pino } from 'pino';
import { tenantNow } from './accounts/account.ts';
import { createSerializer } from './checkout/serializer.ts';
import type { Tenant, TenantTime } from './checkout/tenant.ts';
import type { Config } from './config/settings.ts';
import { hostInUrl } from './config/values.ts';
import { createProvider, type Provider } from './dashboard/oidc.ts';
import { passkeysFor } from './dashboard/passkeys.ts';
import { dashboardRoutes } from './dashboard/routes.ts';
import { type Declared, onScreens } from './dashboard/screen.ts';
import { createLiveUpdates, feedTopic } from './events/live-updates.ts';
import { buildApp } from './http/app.ts';
import type { ConnectionOptions } from './http/connections.ts';
import { createMetrics } from './http/metrics.ts';
import { mayDo } from './http/operation.ts';
import { buildOperationsApp } from './http/operations-app.ts';
import { createRequestLog } from './http/request-log.ts';
import type { Phase } from './http/routes/operations.ts';
import { messageOf } from './lib/error-message.ts';
import { createSparing } from './lib/sparing.ts';
import { createSteadyClock, type Jump } from './lib/steady-clock.ts';
import type { RealTime } from './lib/time.ts';
import { bank } from './methods/bank/rail.ts';
import { createVault, unreadableOf, type Vault } from './methods/credentials.ts';
import type { PaidAccount, Rail } from './methods/method.ts';
import { sandbox } from './methods/sandbox/sandbox.ts';
import { STRIPE } from './methods/stripe/credentials.ts';
import { createStripeRail } from './methods/stripe/stripe.ts';
import { lastBackupOf } from './store/backup-result.ts';
import { openStore } from './store/open.ts';
import type { OpenOptions, Store } from './store/store.ts';
import { createPasswords } from './users/passwords.ts';
import { version } from './version.ts';
import { networkRules } from './webhooks/guard.ts';
import { createSender } from './webhooks/sender.ts';
import { createEngine } from './worker/engine.ts';
import { watchStatements } from './worker/statement-folder.ts';
import { createBacklog } from './writer/backlog.ts';
import type { RailAlert } from './writer/rails.ts';

/**
 * Connections that wait to be accepted, as many as Linux allows by default: beyond, it lets them try again after one,
 * three and seven seconds.
 */
const LISTEN_BACKLOG = 4096;

/** How far the clock may be behind what is stored before a start tells of it: clocks of several machines differ. */
const BEHIND_MS = 5 * 60_000;

export type Service = {
  readonly app: FastifyInstance;
  /** Liveness, readiness and metrics, where they have an address of their own. */
  readonly operations: FastifyInstance | null;
  readonly store: Store;
  /** Screens and actions of the dashboard, in the order in which they were declared. */
  readonly screens: readonly Declared[];
  /**
   * Starts to listen and to work; resolves with the address it listens on, such as `http://127.0.0.1:3000`. The service
   * is not ready before the end of `complete`, which runs once its ports are its own.
   */
  start(complete?: () => Promise<void>): Promise<string>;
  /** Lets what has begun come to an end, then closes everything. */
  stop(): Promise<void>;
};

export async function createService(
  config: Config,
  {
    logger = pino({ level: config.LOG_LEVEL }, pino.destination(2)) as FastifyBaseLogger,
    realNow = createSteadyClock({ onJump: logJump(logger) }),
    rails: given,
    documentWaitMs = 5_000,
    connections = {},
    storeOptions = {},
    leaseNow: leaseClock,
    statementLookMs: lookEveryMs,
    requestLogMs,
    ...limits
  }: {
    logger?: FastifyBaseLogger;
    realNow?: () => RealTime;
    /** Replaces the clock of leases, for processes that all go by another one. */
    leaseNow?: () => RealTime;
    /** Replaces the rails that the settings configure. */
    rails?: readonly Rail[];
    documentWaitMs?: number;
    connections?: ConnectionOptions;
    maxBatch?: number;
    /** Pause between two looks at what is due. */
    pollMs?: number;
    /** Pause between two looks at the folder of statements. */
    statementLookMs?: number;
    /** Pause behind which the log of requests is written; null keeps none. */
    requestLogMs?: number | null;
    storeOptions?: Pick<OpenOptions, 'onLost' | 'copyLogAtBytes'>;
  } = {},
): Promise<Service> {
  const live = createLiveUpdates();
  const store = await openStore(config, {
    ...storeOptions,
    serve: true,
    onTrouble: (text) => logger.error(text),
    onRemoteChange: (changed) => live.publish(typeof changed === 'string' ? changed : feedTopic(changed)),
  });
  const vault = createVault(config.CREDENTIALS_KEY, config.CREDENTIALS_KEY_PREVIOUS);
  const { DATABASE_URL: database } = config;
  const metrics = createMetrics(
    store,
    // PostgreSQL has its own tools for backups, and knows when they ran.
    database.kind === 'sqlite' ? () => lastBackupOf(database.path) : undefined,
  );
  const serializer = createSerializer(config.CHECKOUT_URL);
  const onAlert: RailAlert = (rail, text, about) => {
    metrics.railAlert(rail);
    logger.warn({ rail, ...about }, text);
  };
  const onSilence: RailAlert = (rail, text, about) => {
    metrics.railSilence(rail);
    logger.info({ rail, ...about }, text);
  };
  const rails = given ?? [stripeRail(config, vault, store.accounts.fetch, onAlert), bank, sandbox];
  await tellIfBehind(store, realNow(), logger);
  await tellOfUnreadable(store, vault, logger);
  let phase: Phase = 'starting';

  const backlog = createBacklog();
  const rules = networkRules(config.WEBHOOK_ALLOW, servesThisMachineOnly(config));
  const sender = createSender({ rules, version });
  const retention = { deliveryDays: config.WEBHOOK_LOG_DAYS, eventDays: config.EVENT_RETENTION_DAYS };
  const { execute, worker } = createEngine({
    store,
    serializer,
    rails,
    onAlert,
    onSilence,
    send: sender.send,
    realNow,
    leaseNow: leaseClock ?? (() => store.leaseTime(realNow())),
    deliverySlots: config.WEBHOOK_CONCURRENCY,
    ...retention,
    onSent: metrics.sent,
    onDamaged({ tenant, id, receiver }) {
      metrics.damaged();
      logger.error(
        { ...tenant, delivery: id, receiver },
        'a webhook is not sent: its event is damaged; run opentill db check',
      );
    },
    onError: (error) => logger.error(error, 'background work failed'),
    onCommitted: ({ tenant, checkouts, events }) => {
      for (const id of checkouts) live.publish(id);
      if (events) live.publish(feedTopic(tenant));
    },
    backlog,
    ...limits,
  });

  const toldOf = createSparing(60_000, () => performance.now());
  const requestLog = createRequestLog({
    store,
    realNow,
    onLeftOut: metrics.notLogged,
    onError(error) {
      const why = messageOf(error);
      const others = toldOf(why);
      if (others !== null) logger.warn({ why, left_out: others }, 'the log of requests has gaps');
    },
    ...(requestLogMs === undefined ? {} : { everyMs: requestLogMs }),
  });

  async function now({ account, mode }: Tenant): Promise<TenantTime> {
    return tenantNow(mode === 'live' ? null : await store.accounts.fetch(account), mode, realNow());
  }

  const statements =
    config.STATEMENT_DIR === ''
      ? null
      : watchStatements({
          directory: config.STATEMENT_DIR,
          store,
          execute,
          now,
          realNow,
          log: logger,
          ...(lookEveryMs === undefined ? {} : { lookEveryMs }),
        });

  // An operator who sets no limit for addresses has none here.
  const passwords = createPasswords(
    config.ADDRESS_RATE_LIMIT === 0 ? { ofOne: Number.POSITIVE_INFINITY } : {},
  );
  const screens: Declared[] = [];
  const currentPhase = () => phase;
  const operations =
    config.OPERATIONS_PORT === null
      ? null
      : buildOperationsApp({
          logger,
          store,
          metrics,
          phase: currentPhase,
          publicUrl: config.PUBLIC_URL,
          connections,
        });
  const app = await buildApp({
    publicUrl: config.PUBLIC_URL,
    checkoutUrl: config.CHECKOUT_URL,
    store,
    execute,
    backlog,
    serializer,
    rails,
    onAlert,
    onSilence,
    worker,
    retention,
    live,
    documentWaitMs,
    networkRules: rules,
    vault,
    now,
    realNow,
    logger,
    metrics,
    requestLog,
    trustProxy: config.TRUST_PROXY,
    rates: { ofKey: config.RATE_LIMIT, ofAddress: config.ADDRESS_RATE_LIMIT },
    addressConnections: config.ADDRESS_CONNECTION_LIMIT,
    phase: currentPhase,
    servesOperations: operations === null,
    connections,
    further: (scope, ask, addresses) => {
      onScreens(scope, (screen) => screens.push(screen));
      return dashboardRoutes(scope, {
        publicUrl: config.PUBLIC_URL,
        basePath: new URL(config.PUBLIC_URL).pathname.replace(/\/$/, ''),
        store,
        execute,
        isPlain: isPlain(config.PUBLIC_URL),
        passwords,
        passkeys: passkeysFor({ publicUrl: config.PUBLIC_URL, store, realNow }),
        provider: providerOf(config, realNow),
        realNow,
        ask,
        mayDo: (rights, operation) => mayDo(app.operations, rights, operation),
        addresses,
      });
    },
  });

  return {
    app,
    screens,
    operations,
    store,
    async start(complete = async () => {}) {
      await operations?.listen({ host: config.OPERATIONS_HOST, port: config.OPERATIONS_PORT ?? 0 });
      await app.listen({ host: config.HOST, port: config.PORT, backlog: LISTEN_BACKLOG });
      worker.start();
      statements?.start();
      await complete();
      // It may have been told to stop meanwhile.
      if (phase === 'starting') phase = 'serving';
      const address = app.server.address();
      const port = typeof address === 'object' && address ? address.port : config.PORT;
      return `http://${hostInUrl(config.HOST)}:${port}`;
    },
    async stop() {
      phase = 'stopping';
      await app.close();
      await statements?.stop();
      await worker.stop();
      await requestLog.stop();
      // Until now it has told that the service stops.
      await operations?.close();
      sender.close();
      await store.close();
    },
  };
}

/** Stripe's rail. Without keys it carries no payment, and says which settings are missing. */
function stripeRail(
  config: Config,
  vault: Vault,
  accountOf: (number: number) => Promise<PaidAccount | null>,
  onAlert: RailAlert,
): Rail {
  const keys = (secretKey: string, webhookSecret: string) =>
    secretKey === '' && webhookSecret === '' ? null : { secretKey, webhookSecret };
  return createStripeRail({
    test: keys(config.STRIPE_TEST_SECRET_KEY, config.STRIPE_TEST_WEBHOOK_SECRET),
    live: keys(config.STRIPE_LIVE_SECRET_KEY, config.STRIPE_LIVE_WEBHOOK_SECRET),
    accountNumber: config.STRIPE_ACCOUNT,
    own: { vault, accountOf },
    apiUrl: config.STRIPE_API_URL,
    onAlert: (text, about) => onAlert(STRIPE, text, about),
  });
}

/** The provider of OpenID Connect that the settings name, or null. */
function providerOf(config: Config, realNow: () => RealTime): Provider | null {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = config;
  const callback = `${config.PUBLIC_URL}/dashboard/oidc/callback`;
  return issuer === '' ? null : createProvider({ issuer, clientId, clientSecret, callback, realNow });
}

function logJump(logger: FastifyBaseLogger) {
  return ({ byMs, isBelieved }: Jump): void => {
    const seconds = Math.round(byMs / 1000);
    if (isBelieved)
      logger.warn({ seconds }, 'the clock of the machine is trusted again: it has stayed as it was set');
    else logger.error({ seconds }, 'the clock of the machine has jumped: it is not trusted for ten minutes');
  };
}

/**
 * Tells of a clock that was set back before the start. Time goes by it all the same: the stored time may be the wrong
 * one, of a clock that was ahead and has been corrected.
 */
async function tellIfBehind(store: Store, now: RealTime, logger: FastifyBaseLogger): Promise<void> {
  // A database that cannot answer now is told of by those who need it.
  const newest = await store.newestTime().catch(() => null);
  if (newest === null || newest - now <= BEHIND_MS) return;
  logger.error(
    { seconds: Math.round((newest - now) / 1000), newest: new Date(newest).toISOString() },
    'the clock of the machine is behind the newest event: work that was due by then waits until the clock catches up',
  );
}

/** Tells of credentials that the settings have no key for. Their accounts alone cannot be paid by that rail. */
async function tellOfUnreadable(store: Store, vault: Vault, logger: FastifyBaseLogger): Promise<void> {
  // A database that cannot answer now is told of by those who need it.
  const accounts = await store.accounts.list().catch(() => []);
  for (const { account, mode, rail } of accounts.flatMap((each) => unreadableOf(each, vault)))
    logger.error(
      { account, mode, rail },
      'the credentials of the account cannot be read: they were encrypted under another CREDENTIALS_KEY',
    );
}

/** False behind a proxy, where HOST is a loopback address as well: only PUBLIC_URL tells. */
export function servesThisMachineOnly({ HOST, PUBLIC_URL }: Pick<Config, 'HOST' | 'PUBLIC_URL'>): boolean {
  return isLoopback(HOST) && isLoopback(new URL(PUBLIC_URL).hostname.replace(/^\[(.*)\]$/, '$1'));
}

/** True for an address over HTTP that is not of this machine. */
function isPlain(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !isLoopback(hostname.replace(/^\[(.*)\]$/, '$1'));
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || (isIP(host) !== 0 && ipaddr.parse(host).range() === 'loopback');
}
