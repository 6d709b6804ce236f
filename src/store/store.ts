/**
 * The database as the service needs it. Small enough to be written once for each database; one suite of tests
 * (test/store) holds every adapter to it.
 *
 * Writing goes through `commit`: the store loads what each unit of work needs, lets the unit decide on it, and writes
 * what it returns, a whole batch in one transaction. Everything of a change commits together or not at all.
 */

import type { Account, NewAccount } from '../accounts/account.ts';
import type { ApiKey } from '../accounts/api-key.ts';
import type { Customer } from '../checkout/customer.ts';
import type { AttemptId, CheckoutId, RefundId } from '../checkout/ids.ts';
import type { Serializer } from '../checkout/serializer.ts';
import type { Checkout } from '../checkout/session.ts';
import type { Tenant, TenantTime } from '../checkout/tenant.ts';
import type { EventRow, FeedEvent, SubjectId } from '../events/event.ts';
import type { Round } from '../lib/rounds.ts';
import type { RealTime } from '../lib/time.ts';
import type {
  Claim,
  ClaimedDelivery,
  DeliveryClaim,
  DeliveryResult,
  DeliveryRow,
  Resend,
} from '../webhooks/delivery.ts';
import type { Endpoint, EndpointId } from '../webhooks/endpoint.ts';
import type { CheckoutChange } from './columns.ts';
import type { Page, PageRequest, SerializedPage } from './page.ts';
import type { AskedResources, LoadedResources, ResourceNeeds, ResourceWrites } from './resources/all.ts';
import type { Answer, IdempotencyKey, NewAnswer, StoredAnswer } from './resources/answers.ts';
import type { Audit, AuditFilter } from './resources/audit.ts';
import type { BankEntryFilter } from './resources/bank-entries.ts';
import type { CheckoutFilter } from './resources/checkout-filters.ts';
import type { ClockMove } from './resources/clocks.ts';
import type { CustomerFilter } from './resources/customers.ts';
import type { DeliveryFilter } from './resources/deliveries.ts';
import type { AccountChange } from './resources/directory.ts';
import type { EndpointChange } from './resources/endpoints.ts';
import type { MovementFilter } from './resources/movements.ts';
import type { RefundFilter } from './resources/refunds.ts';
import type { Removable } from './resources/removable.ts';
import type { NewRequest, RequestFilter } from './resources/requests.ts';
import type { DueCheckout, DueTenants, Gauges, WorkKind } from './resources/work.ts';

/** The rows that a unit of work has to see before it decides, by the keys of what is loaded. Absent: none. */
export type Needs = ResourceNeeds & {
  readonly tenant: Tenant;
  readonly checkouts?: readonly CheckoutId[];
  /** All endpoints of the tenant. */
  readonly endpoints?: true;
  /** Endpoints that may change. */
  readonly lockedEndpoints?: readonly EndpointId[];
  /** Sessions and endpoints whose deliveries may change: the subjects of ordering keys. */
  readonly deliverySubjects?: readonly SubjectId[];
};

/** The needed rows that exist. */
export type Loaded = LoadedResources & {
  readonly checkouts: ReadonlyMap<string, Checkout>;
  /** Oldest first; empty where they are not needed. */
  readonly endpoints: readonly Endpoint[];
};

/** Writes of a unit: rows of resources as they are, and what databases write in their own ways. */
export type Writes = ResourceWrites & {
  readonly checkout?: CheckoutChange;
  /** Forget this customer: the record, and its traces in sessions and events. */
  readonly erasedCustomer?: Customer;
  readonly events?: readonly EventRow[];
  readonly deliveries?: readonly DeliveryRow[];
  readonly answer?: NewAnswer;
  /** Results of deliveries; they end their leases, and let those behind them go. */
  readonly deliveryResults?: readonly DeliveryResult[];
  /** Deliveries that have ended, to be made again. */
  readonly resends?: readonly Resend[];
  /** Receivers whose deferred deliveries are due now. */
  readonly dueNow?: ReadonlyArray<{ readonly receiver: string; readonly at: TenantTime }>;
  readonly clockMove?: ClockMove;
  readonly account?: AccountChange;
  readonly newAccount?: Account;
  /** Lines for the logs of accounts that a change of the installation is about. */
  readonly accountAudits?: ReadonlyArray<{ readonly account: number; readonly audit: Audit }>;
};

export type Unit = {
  readonly needs: Needs;
  /** Called inside the transaction, once for each try; each element writes at most one session. */
  readonly decide: (loaded: Loaded) => readonly Writes[];
};

/** Filters of lists: each is a line where the list is read. */
export type {
  AccountChange,
  Answer,
  Audit,
  AuditFilter,
  BankEntryFilter,
  CheckoutFilter,
  CustomerFilter,
  DeliveryFilter,
  EndpointChange,
  IdempotencyKey,
  MovementFilter,
  NewRequest,
  RefundFilter,
  RequestFilter,
  StoredAnswer,
};

/** `position` is how far the feed was looked through: where to go on, perhaps behind events that were not wanted. */
export type FeedPage<E = FeedEvent> = Page<E> & { readonly position: number };

/** An event as bytes: the JSON that receivers get. */
export type SerializedEvent = Pick<FeedEvent, 'position' | 'type'> & { readonly json: Uint8Array };

export type { DueTenants, WorkKind };

/** A tenant, and the time that its clock shows, or showed at a time. */
export type TenantClock = { readonly tenant: Tenant; readonly now: TenantTime };

/** Batches as a database takes them. */
export type Batching = {
  /** Commits that may be under way at once. */
  readonly atOnce: number;
  /**
   * True if those must concern different sessions, customers and idempotency keys. Otherwise each sees what those that
   * were begun before it have written.
   */
  readonly apart: boolean;
  /** True if the units of a batch may belong to several tenants. */
  readonly mixed: boolean;
};

/** Sessions. `fetch` takes an id, as it does for every resource, and gives null where the tenant has no such thing. */
export type Checkouts = {
  fetch(tenant: Tenant, id: CheckoutId): Promise<Checkout | null>;
  fetchByAttempt(tenant: Tenant, attempt: AttemptId): Promise<Checkout | null>;
  fetchByRefund(tenant: Tenant, refund: RefundId): Promise<Checkout | null>;
  list(tenant: Tenant, filter: CheckoutFilter, page: PageRequest): Promise<Page<Checkout>>;
  /** The same as bytes, which a thread makes where that takes long. */
  listSerialized(
    tenant: Tenant,
    filter: CheckoutFilter,
    page: PageRequest,
    form: Pick<Serializer, 'checkout' | 'checkoutUrl'> & Form,
  ): Promise<SerializedPage<CheckoutId>>;
};

/** Form of what is serialized: `hundredths` is true where amounts count those, and not minor units. */
export type Form = { readonly hundredths: boolean };

/** A refund is a part of its session, and is listed with it. */
export type ListedRefund = { readonly id: RefundId; readonly checkout: Checkout };

export type Refunds = {
  list(tenant: Tenant, filter: RefundFilter, page: PageRequest): Promise<Page<ListedRefund>>;
};

/** The feed of a tenant, and the events in it. */
export type Events = {
  /**
   * Oldest first, from the position behind `after`; a reader that goes on from the page's `position` never misses one.
   * Whatever was committed before the call is in the feed. With `types` only a bounded stretch of it is looked at: a page
   * may have fewer than `limit`, or none, although the feed goes on, which is what `hasMore` says; `position` has moved
   * then. Rejects with CursorExpired if the feed no longer has what comes behind `after`; 0 is before whatever there is.
   */
  list(
    tenant: Tenant,
    filter: { types?: readonly string[] },
    after: number,
    limit: number,
  ): Promise<FeedPage>;
  /** The same as bytes, and no more than a page has: on SQLite long events are read in a thread. */
  listSerialized(
    tenant: Tenant,
    filter: { types?: readonly string[] },
    after: number,
    limit: number,
    form: Form,
  ): Promise<FeedPage<SerializedEvent>>;
  /** The position of the newest event, 0 where there was none. Whatever was committed before the call is counted. */
  end(tenant: Tenant): Promise<number>;
};

export type Endpoints = {
  /** All of them, oldest first. */
  list(tenant: Tenant): Promise<readonly Endpoint[]>;
};

export type Accounts = {
  fetch(number: number): Promise<Account | null>;
  list(): Promise<readonly Account[]>;
  create(account: NewAccount, nowMs: RealTime): Promise<Account>;
  /** Null if there is an account already, perhaps of a process that started at the same time. */
  createFirst(account: NewAccount, nowMs: RealTime): Promise<Account | null>;
  /** Grows within a second of any change of keys or accounts, here or in another process, and is of this process alone. */
  version(): number;
  /**
   * True if the account, and each key that it had, is as it was at that version: what was read of them then still holds.
   * False as well while nobody knows.
   */
  isUnchanged(number: number, since: number): boolean;
};

export type ApiKeys = {
  /** False if the id or the secret exists already. */
  add(key: ApiKey): Promise<boolean>;
};

/** Secrets of the installation that its processes share. */
export type Secrets = {
  /** The secret of that name; where there is none yet, the candidate becomes it, unless another process is first. */
  keep(name: string, candidate: string): Promise<string>;
};

/** Work that is due, and claims of it. */
export type Work = {
  /** Tenants in which work is due, by its kind; there may be more of them than have any. */
  listTenants(realNow: RealTime): Promise<DueTenants>;
  /** Takes sessions that are due, for `leaseMs` or until they are given back; nobody else gets them meanwhile. */
  claimCheckouts(tenant: Tenant, claim: Claim): Promise<readonly DueCheckout[]>;
  /** Gives claimed sessions back before their lease is over. */
  releaseCheckouts(tenant: Tenant, ids: readonly CheckoutId[]): Promise<void>;
  /**
   * Takes deliveries that are due, for `leaseMs` or until their result is written; nobody else gets them meanwhile. Each
   * receiver has its turn and its bound; one that is suspended gets a single one, when it is to be probed.
   */
  claimDeliveries(tenant: Tenant, claim: DeliveryClaim): Promise<readonly ClaimedDelivery[]>;
  /** Deliveries made since then that wait behind none of their ordering key, and are not due; none where locks hold. */
  listStranded(since: RealTime, realNow: RealTime): Promise<readonly Stranded[]>;
};

/** Some of those of a tenant, each with what it was answered last. */
export type Stranded = TenantClock & {
  readonly deliveries: readonly Pick<
    DeliveryResult,
    'id' | 'receiver' | 'subject' | 'httpStatus' | 'error'
  >[];
};

/**
 * The log of requests, which is beside everything that is decided: it is in no commit of others, tells nothing of the health of
 * the database, and nobody waits for it.
 */
export type RequestLog = {
  /** Writes entries, of one tenant alone where batches are; all of them, or none if it rejects. */
  add(entries: readonly NewRequest[]): Promise<void>;
  /** Tenants that have entries from before a time. */
  listTenants(createdBefore: RealTime): Promise<readonly Tenant[]>;
  /** Removes entries from before a time, and the oldest of too many; a bounded number at a time, which it says. */
  trim(tenant: Tenant, createdBefore: RealTime): Promise<number>;
  /** The same for a time alone: it waits for no turn among lists. */
  purge(tenant: Tenant, createdBefore: RealTime): Promise<number>;
};

/** Removes what is kept for a time only, a bounded number at a time; says how many it removed, or would. */
export type Retention = {
  /**
   * Tenants that have any created before a time, with what their clocks showed then: by that they are purged.
   * There may be more of them than have.
   */
  listTenants(what: 'deliveries' | 'events', createdBefore: RealTime): Promise<readonly TenantClock[]>;
  /** Numbers of what `ages` would remove, in real time: of deliveries, and of events where they are not kept for ever. */
  count(
    tenant: Tenant,
    ages: { readonly deliveries: RealTime; readonly events: RealTime | null },
  ): Promise<Removable>;
  /** Stored answers created before this; where each tenant has a part of its own, in this round. */
  purgeAnswers(createdBefore: RealTime, round: Round): Promise<number>;
  /** Deliveries that have ended and were created before this, with their attempts. */
  purgeDeliveries(tenant: Tenant, createdBefore: TenantTime): Promise<number>;
  /** Events from the front of the feed that were created before this and have no delivery. */
  purgeEvents(tenant: Tenant, createdBefore: TenantTime): Promise<number>;
};

export type FeedTroubles = {
  /** Number of times that a feed has gone on by itself behind an end that was lost. */
  readonly repairs: number;
  /** Feeds that could not go on when they were looked at last. */
  readonly stuck: number;
};

export type OpenOptions = {
  /** Takes part in serving the database, on SQLite with the sole right to; the command line works beside servers. */
  readonly serve?: boolean;
  /** Brings the schema up to date, or makes it. */
  readonly migrates?: boolean;
  /** Gets a line for the operator when a server must not, or can hardly, use the database any more. */
  readonly onTrouble?: (text: string) => void;
  /**
   * To end the process: only a start can tell what is on the disk. Until then the store refuses everything, and must not
   * be closed, which would copy what may be wrong.
   */
  readonly onLost?: () => void;
  /**
   * Hears of sessions that other processes have changed, and of tenants in which they have made events. Some
   * may be left out: these are hints to look sooner.
   */
  readonly onRemoteChange?: (changed: CheckoutId | Tenant) => void;
  /** Bytes of SQLite's log at which it is copied into the database file; for tests that want it begun anew often. */
  readonly copyLogAtBytes?: number;
};

/** The store. Operations that only read stand in `resources/`. Lists are newest first where nothing else is said. */
export type Store = AskedResources & {
  /**
   * Commits a batch in one transaction, units in order, each seeing what those before it wrote; resolves when it is on
   * the disk, and nothing tells of it before. Rejects if the batch as a whole could not be committed; nothing of it is
   * written then, unless that can no longer be known, and the store serves nobody any more.
   */
  commit(units: readonly Unit[]): Promise<void>;
  readonly batching: Batching;

  readonly checkouts: Checkouts;
  readonly refunds: Refunds;
  readonly events: Events;
  readonly endpoints: Endpoints;
  readonly accounts: Accounts;
  readonly apiKeys: ApiKeys;
  readonly secrets: Secrets;
  readonly work: Work;
  readonly retention: Retention;
  readonly requestLog: RequestLog;

  /** Rejects if the database cannot be written. */
  checkHealth(): Promise<void>;
  /** The share of accounts that can be served: less than 1 while machines of a distributed database do not answer. */
  servedShare(): number;
  gauges(): Promise<Gauges>;
  /** Troubles of feeds as this process has met them. */
  feedTroubles(): FeedTroubles;
  /**
   * Time by which processes hold leases and judge those of others, whatever their own clocks say: that of the database,
   * where there are several. `own` is the time of this process.
   */
  leaseTime(own: RealTime): RealTime;
  /** A real time that has been, as the newest of all events tells it; null if there are none. */
  newestTime(): Promise<RealTime | null>;
  close(): Promise<void>;
};
