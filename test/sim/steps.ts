/** Steps of a simulation: data, so that a history can be told, repeated, and made shorter. */
import { type Random, randomFrom } from '../crash/random.ts';
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
      readonly note: number | null;
      readonly version: Version;
    }
  | { readonly do: 'expire'; readonly session: number; readonly version: Version }
  | {
      readonly do: 'start';
      readonly session: number;
      readonly rail: 'provider' | 'sandbox';
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
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'set clock'; readonly byMs: number }
  | { readonly do: 'advance'; readonly seconds: number }
  | { readonly do: 'full disk'; readonly commits: number }
  | { readonly do: 'crash'; readonly after: number; readonly when: 'now' | 'before' | 'behind' }
);
export type Version = 'any' | 'current' | 'stale';

export const RECEIVERS = 3;

/** Times around which things happen: retries, questions to rails, deadlines and their grace, and forgetting. */
const PASSES = [
  1,
  250,
  1_000,
  5_000,
  10_000,
  31_000,
  60_000,
  61_000,
  120_000,
  300_000,
  900_000,
  901_000,
  3_600_000,
  26 * 3_600_000,
  5 * 26 * 3_600_000,
];

const weighted: ReadonlyArray<readonly [number, (random: Random) => Step]> = [
  [
    10,
    (r) => ({
      do: 'create',
      tenant: r.between(0, 2),
      amount: r.pick([0, 1, 50, 700, 1000]),
      expiresInS: r.pick([null, 60, 61, 90, 3600]),
      receiver: r.pick([null, 0, 1, 2]),
      excess: r.pick(['keep', 'refund']),
    }),
  ],
  [
    7,
    (r) => ({
      do: 'update',
      session: r.between(0, 99),
      price: r.pick([null, 100, 700, 1000]),
      note: r.pick([null, 0, 1, 2, 3]),
      version: r.pick(['any', 'any', 'current', 'stale']),
    }),
  ],
  [
    5,
    (r) => ({ do: 'expire', session: r.between(0, 99), version: r.pick(['any', 'any', 'current', 'stale']) }),
  ],
  [
    12,
    (r) => ({
      do: 'start',
      session: r.between(0, 99),
      rail: r.pick(['provider', 'provider', 'sandbox']),
      off: r.pick([0, 0, 0, 0, 1, -1]),
    }),
  ],
  [3, (r) => ({ do: 'cancel', session: r.between(0, 99) })],
  [
    8,
    (r) => ({
      do: 'report',
      session: r.between(0, 99),
      payment: r.between(0, 9),
      outcome: r.pick(['succeeded', 'succeeded', 'failed', 'processing']),
      amount: r.pick([null, null, 1, 350, 1100]),
    }),
  ],
  [
    10,
    (r) => ({
      do: 'payer',
      attempt: r.between(0, 99),
      does: r.pick(['pays', 'pays', 'pays slowly', 'fails']),
    }),
  ],
  [6, (r) => ({ do: 'provider event', attempt: r.between(0, 99), number: r.between(0, 9) })],
  [6, (r) => ({ do: 'refund', session: r.between(0, 99), share: r.pick([1, 0.5, 0.5, 0.3, 2]) })],
  [1, (r) => ({ do: 'foreign', session: r.between(0, 99) })],
  [10, (r) => ({ do: 'repeat', request: r.between(0, 99), otherBody: r.next() < 0.2 })],
  [
    4,
    (r) => ({
      do: 'add endpoint',
      tenant: r.between(0, 2),
      receiver: r.between(0, RECEIVERS - 1),
      events: r.pick(['*', 'checkout.*', 'payin.succeeded']),
    }),
  ],
  [
    3,
    (r) => ({
      do: 'change endpoint',
      endpoint: r.between(0, 99),
      how: r.pick(['off', 'on', 'on', 'move', 'delete']),
    }),
  ],
  [3, (r) => ({ do: 'resend', delivery: r.between(0, 999) })],
  [
    6,
    (r) => ({
      do: 'receiver',
      receiver: r.between(0, RECEIVERS - 1),
      mood: r.pick(['ok', 'ok', 'ok', 'fails', 'fails', 'lost', 'hangs', 'hangs', 'busy', 'gone']),
    }),
  ],
  [4, (r) => ({ do: 'provider', mood: r.pick(['ok', 'ok', 'down', 'lost']) })],
  [24, (r) => ({ do: 'pass', ms: r.pick(PASSES) })],
  [
    1,
    (r) => ({ do: 'set clock', byMs: r.pick([-86_400_000, -600_000, -20_000, 20_000, 600_000, 86_400_000]) }),
  ],
  [3, (r) => ({ do: 'advance', seconds: r.pick([1, 30, 60, 900, 86_400]) })],
  [2, (r) => ({ do: 'full disk', commits: r.between(1, 3) })],
  [5, (r) => ({ do: 'crash', after: r.between(0, 4), when: r.pick(['now', 'before', 'behind', 'behind']) })],
];
const total = weighted.reduce((sum, [weight]) => sum + weight, 0);

/** The steps of a seed. */
export function stepsOf(seed: number): Step[] {
  const random = randomFrom(seed);
  return Array.from({ length: random.between(40, 70) }, () => {
    const make = drawn(random.next() * total);
    const step = make(random);
    return random.next() < 0.3 ? { ...step, joined: true } : step;
  });
}

function drawn(at: number): (random: Random) => Step {
  let behind = at;
  for (const [weight, make] of weighted) {
    behind -= weight;
    if (behind < 0) return make;
  }
  throw new Error('the lots do not add up');
}
