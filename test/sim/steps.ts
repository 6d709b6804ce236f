/** Steps of a simulation: data, so that a history can be told, repeated, and made shorter. */
import type { Tenant } from '../../src/checkout/tenant.ts';
import type { BankNumber, Spelling } from './bank.ts';
import type { Format } from './bank-files.ts';
import type { DisputeBeginning, DisputeEnd } from './card-claims.ts';
import type { Aim, Mishap } from './card-line.ts';
import type { Mood as ProviderMood } from './provider.ts';
import type { Mood as ReceiverMood } from './receivers.ts';
import type { Which } from './uploads.ts';

/** Numbers name one of what is there when the step is done: the rest of a division by how many there are. */
export type Step = { readonly joined?: true } & (
  | {
      readonly do: 'create';
      readonly tenant: number;
      readonly amount: number;
      readonly expiresInS: number | null;
      readonly receiver: number | null;
      readonly excess: 'keep' | 'refund';
      /** The payer, if one is named. */
      readonly person?: number;
      /** The payer of a transfer, and the policy for money that comes late. */
      readonly transfer?: { readonly payer: number; readonly late: 'accept' | 'hold' };
    }
  /** A customer's personal data are erased. */
  | { readonly do: 'erase'; readonly customer: number }
  | {
      readonly do: 'update';
      readonly session: number;
      readonly price: number | null;
      readonly methods: readonly string[] | null;
      readonly note: number | null;
      readonly version: Version;
    }
  | { readonly do: 'expire'; readonly session: number; readonly version: Version }
  | {
      readonly do: 'start';
      readonly session: number;
      readonly rail: 'provider' | 'stripe' | 'sandbox' | 'bank';
      readonly off: number;
    }
  | { readonly do: 'cancel'; readonly session: number }
  | {
      readonly do: 'report';
      readonly session: number;
      readonly payment: number;
      readonly outcome: 'succeeded' | 'failed' | 'processing';
      readonly amount: number | null;
    }
  | { readonly do: 'payer'; readonly attempt: number; readonly does: 'pays' | 'pays slowly' | 'fails' }
  | { readonly do: 'provider event'; readonly attempt: number; readonly number: number }
  | { readonly do: 'refund'; readonly session: number; readonly share: number }
  | { readonly do: 'foreign'; readonly session: number }
  /** A request is sent again, with its key; perhaps another body. */
  | { readonly do: 'repeat'; readonly request: number; readonly otherBody: boolean }
  | {
      readonly do: 'add endpoint';
      readonly tenant: number;
      readonly receiver: number;
      readonly events: string;
    }
  | {
      readonly do: 'change endpoint';
      readonly endpoint: number;
      readonly how: 'off' | 'on' | 'move' | 'delete';
    }
  | { readonly do: 'resend'; readonly delivery: number }
  | { readonly do: 'receiver'; readonly receiver: number; readonly mood: ReceiverMood }
  | { readonly do: 'provider'; readonly mood: ProviderMood }
  /** A payer comes back from the page of a provider. */
  | { readonly do: 'come back'; readonly session: number }
  /** Lets so many calls to Stripe go wrong. */
  | { readonly do: 'mishap'; readonly how: Mishap; readonly aim: Aim; readonly calls: number }
  /** The outcome of the next refund at Stripe, and the end of a pending one, or of one made there that fails late. */
  | { readonly do: 'next refund'; readonly status: 'pending' | 'failed' }
  | { readonly do: 'refund ends'; readonly refund: number; readonly status: 'succeeded' | 'failed' }
  /** Stripe sends one of its events: any of them, at any time, any number of times. */
  | { readonly do: 'notice'; readonly event: number }
  /** A card holder disputes a payment, or the bank asks first, and how that ends; or somebody refunds it at Stripe. */
  | {
      readonly do: 'dispute';
      readonly payment: number;
      readonly share: number;
      readonly status: DisputeBeginning;
    }
  | { readonly do: 'dispute ends'; readonly dispute: number; readonly status: DisputeEnd }
  | { readonly do: 'refund at Stripe'; readonly payment: number; readonly share: number }
  /** A payer transfers money, and names the reference of one attempt, of two, an unknown one, or none. */
  | {
      readonly do: 'transfer';
      readonly session: number;
      readonly share: number;
      readonly names: 'own' | 'two' | 'unknown' | 'none';
      readonly spelling: Spelling;
      readonly payer: number;
      readonly number: BankNumber;
    }
  /** A transfer is taken back; a payment of a payment file is carried out, or its money comes back. */
  | { readonly do: 'recall'; readonly number: number }
  | { readonly do: 'carry out'; readonly number: number }
  | { readonly do: 'give back'; readonly number: number }
  /** A file of the bank is handed in. */
  | {
      readonly do: 'statement';
      readonly tenant: number;
      readonly which: Which;
      readonly format: Format;
      readonly number: number;
      /** A failure in the middle of it, behind so many commits. */
      readonly broken: { readonly by: 'full disk' | 'before' | 'behind'; readonly after: number } | null;
    }
  /** A person decides on an entry of the inbox, or makes a payment file. */
  | { readonly do: 'assign'; readonly entry: number; readonly session: number; readonly share: number }
  | { readonly do: 'decide'; readonly entry: number; readonly how: 'ignore' | 'reopen' | 'send_back' }
  | { readonly do: 'payment file'; readonly tenant: number }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'set clock'; readonly byMs: number }
  | { readonly do: 'advance'; readonly seconds: number }
  | { readonly do: 'full disk'; readonly commits: number }
  | { readonly do: 'flaws'; readonly commits: number }
  /** The process ends, and the next one is of a newer version; then one of the older version may start. */
  | { readonly do: 'upgrade' }
  | { readonly do: 'older version'; readonly when: 'beside' | 'behind' }
  | { readonly do: 'crash'; readonly after: number; readonly when: 'now' | 'before' | 'behind' }
);
export type Version = 'any' | 'current' | 'stale';

export const TENANTS: readonly [Tenant, ...Tenant[]] = [
  { account: 1, mode: 'test' },
  { account: 1, mode: 'live' },
  { account: 2, mode: 'test' },
];
export const RECEIVERS = 3;
