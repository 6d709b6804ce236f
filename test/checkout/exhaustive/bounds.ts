/** The bounds that are searched: each lets some of what there is grow far and keeps the rest small. */
import { type Bound, everyPolicy, everyRail, plain, type Rail } from './bound.ts';

const least: Bound = {
  name: '',
  amount: 1,
  money: 1,
  attempts: 2,
  payments: 0,
  refunds: 0,
  reversals: 0,
  rails: [plain],
  policies: ['keep exact'],
  expires: [false],
};

/** Rails in which each trait occurs, with and without others. */
const someRails: readonly Rail[] = everyRail.filter(({ name }) =>
  ['usual', 'none_told', 'long_standing_told'].includes(name),
);

/** Searched by `npm test`. */
export const few: readonly Bound[] = [
  { ...least, name: 'traits and times', payments: 1, rails: someRails, expires: [true] },
  {
    ...least,
    name: 'policies and amounts',
    amount: 3,
    money: 3,
    attempts: 1,
    payments: 2,
    policies: everyPolicy,
  },
  { ...least, name: 'money that goes back', payments: 2, refunds: 1, policies: ['refund exact'] },
  {
    ...least,
    name: 'money that is taken back',
    attempts: 1,
    payments: 1,
    refunds: 2,
    reversals: 1,
    money: 2,
  },
];

/** Sessions of one unit, as long as they get, and sessions of one attempt with more money; with every trait and policy. */
const whole = { payments: 3, refunds: 2, policies: ['keep exact', 'refund exact'] } as const;

/** Searched by `npm run test:all`. */
export const more: readonly Bound[] = [
  { ...least, name: 'every trait and time', payments: 1, rails: everyRail, expires: [true] },
  { ...least, name: 'every amount', payments: 3, amount: 3, money: 3 },
  {
    ...least,
    name: 'much money that is taken back',
    attempts: 1,
    payments: 2,
    refunds: 2,
    reversals: 1,
    money: 2,
  },
  ...few,
];

/** The same for each policy by itself, which nothing changes: so threads that share them all have work to the end. */
const byPolicy = (bound: Bound): readonly Bound[] =>
  bound.policies.map((policy) => ({ ...bound, name: `${bound.name}, ${policy}`, policies: [policy] }));

/** Searched by `npm run prove`: more than a million states. The largest come first, since threads share them. */
export const all: readonly Bound[] = [
  ...byPolicy({
    ...least,
    ...whole,
    name: 'all that goes back',
    attempts: 1,
    reversals: 1,
    amount: 2,
    money: 3,
    policies: ['keep exact', 'refund exact', 'keep half'],
  }),
  ...byPolicy({ ...least, ...whole, name: 'all parts at their most', reversals: 1 }),
  ...byPolicy({
    ...least,
    ...whole,
    name: 'every policy and amount',
    attempts: 1,
    amount: 3,
    money: 3,
    policies: everyPolicy,
  }),
  ...more,
];
