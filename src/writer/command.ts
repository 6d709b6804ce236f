/** Commands the writer accepts, and their results. */
import type { Account, NewAccount } from '../accounts/account.ts';
import type { AccountCommand } from '../accounts/account-changes.ts';
import type { ApiKey } from '../accounts/api-key.ts';
import type { ApiKeyCommand, KeyCounts } from '../accounts/key-changes.ts';
import type { AccountSettings } from '../accounts/settings.ts';
import type { BankFile, BankFileId } from '../banking/bank-file.ts';
import type { Lookup } from '../banking/effects.ts';
import type { BankEntry, EntryContent, EntryId } from '../banking/entry.ts';
import type { CreditTransfer } from '../banking/payment-file.ts';
import type { CheckoutCommand } from '../checkout/commands.ts';
import type { Customer, CustomerCommand } from '../checkout/customer.ts';
import type { CheckoutId, CustomerId } from '../checkout/ids.ts';
import type { Refusal } from '../checkout/refusals.ts';
import type { Serializer } from '../checkout/serializer.ts';
import type { Checkout } from '../checkout/session.ts';
import type { Tenant, TenantTime } from '../checkout/tenant.ts';
import type { Cause } from '../events/event.ts';
import type { Condition } from '../lib/condition.ts';
import type { RealTime } from '../lib/time.ts';
import type { ReceivingAccount } from '../methods/bank/receiving-account.ts';
import type { ProviderEvent, WaitReason } from '../methods/provider-event.ts';
import type { AccountChange, Answer, Audit, IdempotencyKey, Writes } from '../store/store.ts';
import type { Link, User, UserId } from '../users/user.ts';
import type { UserCommand, UserDecision } from '../users/user-commands.ts';
import type { Delivery, DeliveryResult, OrderedDelivery } from '../webhooks/delivery.ts';
import type { Endpoint, EndpointCommand, EndpointId } from '../webhooks/endpoint.ts';
import type { Health } from '../webhooks/health.ts';

/** Who asks, and under which key the answer is kept for a repetition of the request. */
export type Origin = {
  readonly tenant: Tenant;
  /** Id of the API key, or `payer`, `time`, `rail`, `operator`. */
  readonly actor: string;
  readonly requestId: string;
  readonly idempotency: IdempotencyKey | null;
  /** Set where a rail has spoken: its changes of sessions say why it did. */
  readonly cause?: Cause;
};

export type ChangeCheckout = {
  readonly origin: Origin;
  readonly id: CheckoutId;
  readonly command: CheckoutCommand;
  /** For a new session: the one whose place it takes, which is expired with it or refuses it. */
  readonly replaces?: CheckoutId;
  /** On the tag of the refund that the command settles. */
  readonly condition?: Condition | undefined;
};

export type ChangeCustomer = {
  readonly origin: Origin;
  readonly id: CustomerId;
  readonly command: CustomerCommand;
  /** In the clock of the tenant. */
  readonly now: TenantTime;
};

export type ChangeEndpoint = {
  readonly origin: Origin;
  readonly id: EndpointId;
  readonly command: EndpointCommand;
  readonly now: TenantTime;
  /** On the version of the endpoint. */
  readonly condition?: Condition | undefined;
};

export type ChangeApiKey = {
  readonly origin: Origin;
  readonly id: string;
  readonly command: ApiKeyCommand;
  readonly now: TenantTime;
};

/** Changes a user of the dashboard; the tenant is the installation. */
export type ChangeUser = {
  readonly origin: Origin;
  readonly id: UserId;
  readonly command: UserCommand;
  /** On the tag of the member whom the command changes. */
  readonly condition?: Condition | undefined;
};

/** Makes an account, with its first owner; the tenant is the installation. */
export type MakeAccount = {
  readonly origin: Origin;
  readonly account: NewAccount;
  /** A user who becomes the owner; or an invitation under a new id, with its link. */
  readonly owner: { readonly user: UserId } | { readonly invited: UserId; readonly link: Link };
  readonly now: RealTime;
};

/** Changes the account of the tenant, or what it has for the mode. */
export type ChangeAccount = {
  readonly origin: Origin;
  readonly command: AccountCommand;
  readonly now: TenantTime;
  /** On the tag of what the command changes. */
  readonly condition?: Condition | undefined;
};

export type AdvanceClock = {
  readonly origin: Origin;
  readonly now: TenantTime;
  readonly realNow: RealTime;
  readonly advanceMs: number;
};

/** Makes these deliveries again. */
export type ResendDeliveries = {
  readonly origin: Origin;
  readonly deliveries: readonly OrderedDelivery[];
  readonly now: TenantTime;
  /** Set where they were chosen by what they have in common, perhaps their endpoint; there may be none of them. */
  readonly many?: { readonly endpoint?: EndpointId };
};

/** Deliveries that are pending again, with what their representation needs. */
export type Resent = {
  readonly deliveries: readonly Delivery[];
  /** Health of their receivers, as far as these fail. */
  readonly health: ReadonlyMap<string, Health>;
  readonly endpoints: readonly Endpoint[];
};

/** Changes an entry of a bank statement, or adds one. */
export type ChangeBankEntry = {
  readonly origin: Origin;
  readonly now: TenantTime;
  /** Of a new entry, the id it is to have. */
  readonly id: EntryId;
  /** The key by which the same entry is recognized. */
  readonly reference: string;
  readonly action: EntryAction;
  readonly condition?: Condition | undefined;
};

export type EntryAction =
  | { readonly type: 'ingest'; readonly entry: EntryContent; readonly lookup: Lookup }
  | { readonly type: 'retry'; readonly lookup: Lookup }
  | {
      readonly type: 'assign';
      readonly parts: ReadonlyArray<{ readonly checkout: CheckoutId; readonly amount: number }>;
      /** Unassigned amount that the decision was made on, if it is only to count while that is so. */
      readonly left?: number;
    }
  | { readonly type: 'ignore'; readonly reason: string }
  | { readonly type: 'reopen'; readonly reason: string }
  | { readonly type: 'send_back'; readonly reason: string }
  /** For a booking in one sum: its parts are in this file as entries of their own. */
  | { readonly type: 'take_apart'; readonly entry: EntryContent; readonly file: BankFileId };

/** Changes what a provider sent by itself, or keeps it as it came. */
export type ChangeProviderEvent = {
  readonly origin: Origin;
  readonly now: TenantTime;
  /** With the reference, by which the same event is recognized. */
  readonly rail: string;
  readonly reference: string;
  readonly action: ProviderEventAction;
};

export type ProviderEventAction =
  | ({ readonly type: 'receive' } & Pick<
      ProviderEvent,
      'id' | 'attemptReference' | 'paymentReference' | 'body'
    >)
  /**
   * Its rail was asked. `tries` are those before this one: several processes may have asked, and one that found nothing
   * says no more than what another has written since. `reason` says why it came to nothing; null: the event is settled.
   */
  | { readonly type: 'follow_up'; readonly tries: number; readonly reason: WaitReason | null }
  /** Somebody wants its rail to be asked at once, and once more where that was given up. */
  | { readonly type: 'retry' };

/** Asks ahead of long work whether the request was answered before; a new one is refused as `not_found`. */
export type FindRepetition = { readonly origin: Origin };

/** Keeps the answer to a request whose work was done by other commands, for a repetition. */
export type KeepAnswer = { readonly origin: Origin };

/** Keeps a statement: first as one that is being ingested, then with what it has brought. */
export type KeepBankFile = {
  readonly origin: Origin;
  readonly now: TenantTime;
  readonly file: BankFile;
};

/** Makes a file of payments for a bank. */
export type MakePaymentFile = {
  readonly origin: Origin;
  readonly now: TenantTime;
  readonly id: BankFileId;
  /** The account that the money leaves. */
  readonly account: ReceivingAccount;
  /** YYYY-MM-DD. */
  readonly executeOn: string;
  readonly refunds: ReadonlyArray<CreditTransfer & { readonly checkout: CheckoutId }>;
  /** Money without a session that goes back; `reference` is the one of its entry. */
  readonly returns: ReadonlyArray<CreditTransfer & { readonly reference: string }>;
  /** The tag of the payments that the decision was made on, if the file is to be made of just these. */
  readonly version?: string | undefined;
  /** What is still to be sent, and why it is not in this file. */
  readonly leftOut: ReadonlyArray<{ readonly id: string; readonly reason: string }>;
};

/** Records results of deliveries. */
export type RecordDeliveries = {
  readonly origin: Origin;
  readonly results: readonly DeliveryResult[];
};

/** The commands by their subject, each with the value of its result: what its subject is afterwards. */
export type Commands = {
  readonly checkout: { readonly command: ChangeCheckout; readonly value: Checkout };
  readonly customer: { readonly command: ChangeCustomer; readonly value: Customer };
  readonly endpoint: {
    readonly command: ChangeEndpoint;
    readonly value: { readonly endpoint: Endpoint; readonly health: Health | null };
  };
  readonly api_key: {
    readonly command: ChangeApiKey;
    readonly value: { readonly key: ApiKey; readonly counts: KeyCounts };
  };
  readonly user: {
    readonly command: ChangeUser;
    readonly value: Pick<UserDecision, 'kind' | 'user'>;
  };
  readonly account: { readonly command: ChangeAccount; readonly value: AccountChange };
  readonly new_account: {
    readonly command: MakeAccount;
    readonly value: { readonly account: Account; readonly owner: User };
  };
  /** What the clock shows afterwards. */
  readonly clock: { readonly command: AdvanceClock; readonly value: number };
  readonly resend: { readonly command: ResendDeliveries; readonly value: Resent };
  readonly bank_entry: { readonly command: ChangeBankEntry; readonly value: BankEntry };
  readonly provider_event: { readonly command: ChangeProviderEvent; readonly value: ProviderEvent };
  readonly repetition: { readonly command: FindRepetition; readonly value: never };
  readonly answer: { readonly command: KeepAnswer; readonly value: null };
  readonly bank_file: { readonly command: KeepBankFile; readonly value: BankFile };
  readonly payment_file: { readonly command: MakePaymentFile; readonly value: BankFile };
  readonly deliveries: { readonly command: RecordDeliveries; readonly value: null };
};
export type Subject = keyof Commands;
export type Command<S extends Subject> = { readonly subject: S } & Commands[S]['command'];
export type Value<S extends Subject> = Commands[S]['value'];

/**
 * The result of a command: a change was written, there was nothing to change, the request was answered before, or the
 * rules refuse it.
 */
export type Result<T> =
  | { readonly kind: 'change' | 'unchanged'; readonly value: T }
  | { readonly kind: 'replay' }
  | Refusal;

/** Makes the bytes of an answer; called inside the commit, which keeps them for a repetition of the request. */
export type Serialize<T> = (value: T) => Answer;

/** News of a commit for those who wait for it: open pages, readers of the feed and the worker. */
export type Committed = {
  readonly tenant: Tenant;
  /** Ids of the sessions that changed. */
  readonly checkouts: readonly CheckoutId[];
  /** Set if the feed of events goes on. */
  readonly events: boolean;
  /** Set if deliveries may go out now. */
  readonly deliveries: boolean;
};

/** Context of decisions, beside what was loaded: how sessions are written, and the settings of the account and mode. */
export type Context = { readonly serializer: Serializer; readonly settings: AccountSettings };

/** A decision on what was loaded; without writes nothing changes. */
export type Decided<T> = { readonly value: T; readonly writes: readonly Writes[] };

/** The origin of what no request asks for: as time passes, because a rail has answered, or on the command line. */
export function ownOrigin(tenant: Tenant, actor: 'time' | 'rail' | 'operator', requestId = ''): Origin {
  return { tenant, actor, requestId, idempotency: null };
}

export function auditOf(
  origin: Origin,
  subject: string,
  version: number,
  at: TenantTime,
  action: string,
): Audit {
  return { subject, version, at, actor: origin.actor, action, requestId: origin.requestId };
}
