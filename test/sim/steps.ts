/** Steps of a simulation: data, so that a history can be told, repeated, and made shorter. */
import type { Aim, Mishap } from './card-line.ts';
import type { Mood as ProviderMood } from './provider.ts';
import type { Mood as ReceiverMood } from './receivers.ts';

/** Numbers name one of what is there when the step is done: the rest of a division by how many there are. */
export type Step = { readonly joined?: true } & (
  | {
      readonly do: 'create';
      readonly tenant: number;
      readonly amount: number;
      readonly expiresInS: number | null;
      readonly receiver: number | null;
      readonly excess: 'keep' | 'refund';
    }
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
      readonly rail: 'provider' | 'stripe' | 'sandbox';
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
  /** So many calls to Stripe go wrong. */
  | { readonly do: 'mishap'; readonly how: Mishap; readonly aim: Aim; readonly calls: number }
  /** What the next refund at Stripe comes out as, and what becomes of one that is pending. */
  | { readonly do: 'next refund'; readonly status: 'pending' | 'failed' }
  | { readonly do: 'refund ends'; readonly refund: number; readonly status: 'succeeded' | 'failed' }
  /** Stripe sends one of its events: any of them, at any time, any number of times. */
  | { readonly do: 'notice'; readonly event: number }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'set clock'; readonly byMs: number }
  | { readonly do: 'advance'; readonly seconds: number }
  | { readonly do: 'full disk'; readonly commits: number }
  /** The process ends, and the next one is of a newer version; then one of the older version may start. */
  | { readonly do: 'upgrade' }
  | { readonly do: 'older version'; readonly when: 'beside' | 'behind' }
  | { readonly do: 'crash'; readonly after: number; readonly when: 'now' | 'before' | 'behind' }
);
export type Version = 'any' | 'current' | 'stale';

export const RECEIVERS = 3;
