/** Bounds of a search: how large sessions may grow in it, which rails and policies there are, and at which times. */
import type { Item } from '../../../src/checkout/items.ts';
import type { Checkout, Policy, RailTraits } from '../../../src/checkout/session.ts';
import { checkout, EXPIRES, frozen, MINUTE, NOW } from '../build.ts';

/** A search goes on from every session within these. What leads out of them is checked, and not gone on from. */
export type Bound = {
  readonly name: string;
  /** Amounts of a session reach from 0 to this. */
  readonly amount: number;
  /** Amounts of payments, refunds and reversals reach from 1 to this. */
  readonly money: number;
  readonly attempts: number;
  readonly payments: number;
  readonly refunds: number;
  readonly reversals: number;
  readonly rails: readonly Rail[];
  readonly policies: readonly PolicyName[];
  readonly expires: readonly boolean[];
};

/** A rail by its traits. An attempt that a report makes known has none, as on `plain`. */
export type Rail = { readonly name: string; readonly traits: RailTraits };

const HOUR = 60 * MINUTE;
const graces = { usual: {}, none: { graceMs: 0 }, long: { graceMs: HOUR } };

const on = { standing: { standing: true }, told: { toldOfCancel: true } } as const;

/** Every combination of traits; the grace is the usual one, none, or longer than the usual one. */
export const everyRail: readonly Rail[] = Object.entries(graces).flatMap(([grace, graceMs]) => [
  { name: grace, traits: graceMs },
  { name: `${grace}_standing`, traits: { ...graceMs, ...on.standing } },
  { name: `${grace}_told`, traits: { ...graceMs, ...on.told } },
  { name: `${grace}_standing_told`, traits: { ...graceMs, ...on.standing, ...on.told } },
]);
/** The rail without any trait. */
export const plain: Rail = { name: 'usual', traits: {} };

const tolerances = { exact: [0, 0], half: [5000, 3], all: [10_000, 3], capped: [10_000, 1] } as const;
type Tolerance = keyof typeof tolerances;
export type PolicyName = `${Policy['excess']} ${Tolerance}`;

export const everyPolicy: readonly PolicyName[] = (['keep', 'refund'] as const).flatMap((excess) =>
  (['exact', 'half', 'all', 'capped'] as const).map((tolerance): PolicyName => `${excess} ${tolerance}`),
);

/** Missing amounts that each tolerance allows, counted by hand. */
const missing: Readonly<Record<Tolerance, readonly number[]>> = {
  exact: [0, 0, 0, 0],
  half: [0, 0, 1, 1],
  all: [0, 0, 1, 2],
  capped: [0, 0, 1, 1],
};
/** The facts of a policy that each step asks for. */
type PolicyFacts = {
  readonly name: PolicyName;
  readonly missing: readonly number[];
  readonly returnsExcess: boolean;
};
const factsOfPolicies = new Map<Policy, PolicyFacts>();

function policyOf(name: PolicyName): Policy {
  const [excess, tolerance] = name.split(' ') as [Policy['excess'], Tolerance];
  const [share, atMost] = tolerances[tolerance];
  // Questions that only the matching of bank entries may ask; from the rules of a session they throw.
  const elsewhere = (): never => {
    throw new Error('a rule has asked the policy for what only the matching of bank entries uses');
  };
  const policy: Policy = Object.freeze({
    excess,
    underpaymentToleranceBasisPoints: share,
    underpaymentToleranceAtMost: atMost,
    get late() {
      return elsewhere();
    },
    get unreferenced() {
      return elsewhere();
    },
    get graceMinutes() {
      return elsewhere();
    },
  });
  factsOfPolicies.set(policy, { name, missing: missing[tolerance], returnsExcess: excess === 'refund' });
  return policy;
}

function factsOf(policy: Policy): PolicyFacts {
  const facts = factsOfPolicies.get(policy);
  if (facts === undefined) throw new Error('the policy of a session has been replaced');
  return facts;
}

export function policyNameOf({ policy }: Pick<Checkout, 'policy'>): PolicyName {
  return factsOf(policy).name;
}

/** True if an excess goes back by itself. */
export function returnsExcess({ policy }: Pick<Checkout, 'policy'>): boolean {
  return factsOf(policy).returnsExcess;
}

/** Least sum that pays the session: the amount, or what its policy is content with. */
export function enoughFor({ amount, policy }: Pick<Checkout, 'amount' | 'policy'>): number {
  return amount - (factsOf(policy).missing[amount] ?? 0);
}

export function itemsOf(amount: number): readonly Item[] {
  return itemLists[amount] ?? [];
}
const itemLists: ReadonlyArray<readonly Item[]> = frozen(
  [0, 1, 2, 3].map((unitPrice) => [{ name: 'Widget', quantity: 1, unitPrice }]),
);

/** Methods of every session from which a search goes on. */
export const methodsOfAll: readonly string[] = checkout().methods;

/** The sessions that a search begins with: of each amount, with each policy, with an expiry and without one. */
export function firstSessions(bound: Bound): Checkout[] {
  const amounts = Array.from({ length: bound.amount + 1 }, (_, amount) => amount);
  return bound.policies.flatMap((name) => {
    const policy = policyOf(name);
    return bound.expires.flatMap((expires) =>
      amounts.map((amount) => {
        const expiresAt = expires ? EXPIRES : null;
        const items = itemsOf(amount);
        return Object.freeze({
          ...checkout({ amount, items, expiresAt, description: '1 x Widget', version: 1, eventCount: 1 }),
          methods: methodsOfAll,
          policy,
        });
      }),
    );
  });
}

/** The grace of an attempt: that of its rail, or a quarter of an hour. */
export function graceOf(traits: RailTraits): number {
  return traits.graceMs ?? 15 * MINUTE;
}

const BEFORE = [NOW] as const;
/** Later than the end of every grace. */
const AFTERWARDS = EXPIRES + 2 * HOUR;
const BOTH_SIDES = [NOW, AFTERWARDS] as const;

/**
 * The times that can make a difference to a session: its expiry, the end of the grace of each attempt that is in flight,
 * the last moment before each, and long afterwards. They may come in any order, as the clocks of several machines do.
 */
export function timesOf({ expiresAt, lifecycle, attempts }: Checkout): readonly number[] {
  if (expiresAt === null) return BEFORE;
  if (lifecycle.state !== 'active') return BOTH_SIDES;
  const times = new Set([expiresAt - 1, expiresAt]);
  for (const { traits, status } of attempts) {
    if (status !== 'processing' && status !== 'unknown') continue;
    const end = expiresAt + graceOf(traits);
    times.add(end - 1).add(end);
  }
  return [...times.add(AFTERWARDS)];
}
