/** Draws the steps of a history from its seed. */
import { type Random, randomFrom } from '../crash/random.ts';
import { DAY_MS } from './retention-oracle.ts';
import { RECEIVERS, type Step } from './steps.ts';

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

/** Pages close within a day, so most of them see less of it. */
const CARD_PASSES = [...PASSES, ...PASSES].filter((ms) => ms < 26 * 3_600_000).concat(26 * 3_600_000);

/** Jumps of the clock of the machine. Behind one that was set back, things wait for as long: so it is a day at most. */
const JUMPS = [-DAY_MS, -600_000, -20_000, 20_000, 600_000, DAY_MS];
const FAR_JUMPS = [7 * DAY_MS, 40 * DAY_MS];

/**
 * The theme of a history: due and pending work of the service, everything, mostly cards, cards with claims,
 * mostly the bank, or people who are erased.
 */
type Theme = 'service' | 'people' | 'everything' | 'cards' | 'claims' | 'bank';

/** Themes in turn, whatever seed comes first. */
const THEMES: readonly Theme[] = [
  'cards',
  'service',
  'everything',
  'bank',
  'claims',
  'service',
  'everything',
  'people',
];

const RAILS = {
  service: ['provider', 'provider', 'sandbox'],
  people: ['provider', 'provider', 'sandbox'],
  everything: ['provider', 'stripe', 'stripe', 'sandbox'],
  cards: ['stripe'],
  claims: ['stripe'],
  bank: ['bank', 'bank', 'bank', 'bank', 'provider'],
} as const;

/** Requests of updates: mostly items alone. */
const terms = [
  { price: null, methods: null },
  { price: null, methods: ['wire_transfer', 'card'] },
  { price: 100, methods: null },
  { price: 100, methods: ['card'] },
  { price: 700, methods: null },
  { price: 700, methods: null },
  { price: 1000, methods: null },
  { price: null, methods: ['wire_transfer'] },
] as const;

/** True if clocks also jump by weeks. */
const isFar = (theme: Theme): boolean => theme === 'people' || theme === 'bank';
const isOfCards = (theme: Theme): boolean => theme === 'cards' || theme === 'claims';
const isOfMoney = (theme: Theme): boolean => isOfCards(theme) || theme === 'bank';

type Name = Step['do'];
type Draw<D extends Name> = (random: Random, theme: Theme) => Extract<Step, { readonly do: D }>;

const makers: { readonly [D in Name]: Draw<D> } = {
  create: (r, theme) => ({
    do: 'create',
    tenant: theme === 'bank' ? r.pick([0, 0, 1, 2]) : r.between(0, isOfCards(theme) ? 1 : 2),
    amount: r.pick(isOfMoney(theme) ? [50, 700, 1000, 1001] : [0, 1, 50, 700, 1000]),
    expiresInS: r.pick(isOfMoney(theme) ? [null, null, 90, 3600, 90_000] : [null, 60, 61, 90, 3600]),
    receiver: r.pick([null, 0, 1, 2]),
    excess: r.pick(['keep', 'refund']),
    ...(theme === 'bank'
      ? { transfer: { payer: r.between(0, 1), late: r.pick(['accept', 'accept', 'hold']) } }
      : {}),
    ...(theme === 'people' ? { person: r.between(0, 2) } : {}),
  }),
  erase: (r) => ({ do: 'erase', customer: r.between(0, 99) }),
  update: (r) => ({
    do: 'update',
    session: r.between(0, 99),
    ...r.pick(terms),
    note: r.pick([null, 0, 1, 2, 3]),
    version: r.pick(['any', 'any', 'current', 'stale']),
  }),
  expire: (r) => ({
    do: 'expire',
    session: r.between(0, 99),
    version: r.pick(['any', 'any', 'current', 'stale']),
  }),
  start: (r, theme) => ({
    do: 'start',
    session: r.between(0, 99),
    rail: r.pick(RAILS[theme]),
    off: r.pick(isOfCards(theme) ? [0, 0, 0, 0, 0, 0, 0, 1] : [0, 0, 0, 0, 1, -1]),
  }),
  cancel: (r) => ({ do: 'cancel', session: r.between(0, 99) }),
  report: (r) => ({
    do: 'report',
    session: r.between(0, 99),
    payment: r.between(0, 9),
    outcome: r.pick(['succeeded', 'succeeded', 'failed', 'processing']),
    amount: r.pick([null, null, 1, 350, 1100]),
  }),
  payer: (r) => ({
    do: 'payer',
    attempt: r.between(0, 99),
    does: r.pick(['pays', 'pays', 'pays slowly', 'fails']),
  }),
  'provider event': (r) => ({ do: 'provider event', attempt: r.between(0, 99), number: r.between(0, 9) }),
  refund: (r) => ({ do: 'refund', session: r.between(0, 99), share: r.pick([1, 0.5, 0.5, 0.3, 2]) }),
  foreign: (r) => ({ do: 'foreign', session: r.between(0, 99) }),
  repeat: (r) => ({ do: 'repeat', request: r.between(0, 99), otherBody: r.next() < 0.2 }),
  'add endpoint': (r) => ({
    do: 'add endpoint',
    tenant: r.between(0, 2),
    receiver: r.between(0, RECEIVERS - 1),
    events: r.pick(['*', 'checkout.*', 'payin.succeeded']),
  }),
  'change endpoint': (r) => ({
    do: 'change endpoint',
    endpoint: r.between(0, 99),
    how: r.pick(['off', 'on', 'on', 'move', 'delete']),
  }),
  resend: (r) => ({ do: 'resend', delivery: r.between(0, 999) }),
  receiver: (r) => ({
    do: 'receiver',
    receiver: r.between(0, RECEIVERS - 1),
    mood: r.pick(['ok', 'ok', 'ok', 'fails', 'fails', 'lost', 'hangs', 'hangs', 'busy', 'gone']),
  }),
  provider: (r) => ({ do: 'provider', mood: r.pick(['ok', 'ok', 'down', 'lost']) }),
  'come back': (r) => ({ do: 'come back', session: r.between(0, 99) }),
  mishap: (r) => ({
    do: 'mishap',
    how: r.pick([
      'down',
      'lost',
      'unheard',
      'unanswered',
      'late',
      'slow',
      'too many',
      'error',
      'error behind',
      'conflict',
    ]),
    aim: r.pick(['any', 'any', 'asking', 'page', 'refund']),
    calls: r.between(1, 5),
  }),
  'next refund': (r) => ({ do: 'next refund', status: r.pick(['pending', 'pending', 'failed']) }),
  'refund ends': (r) => ({
    do: 'refund ends',
    refund: r.between(0, 9),
    status: r.pick(['succeeded', 'failed']),
  }),
  notice: (r) => ({ do: 'notice', event: r.between(0, 99) }),
  transfer: (r) => ({
    do: 'transfer',
    session: r.between(0, 99),
    share: r.pick([1, 1, 1, 0.5, 0.5, 1.1]),
    names: r.pick(['own', 'own', 'own', 'own', 'two', 'unknown', 'none']),
    spelling: r.pick(['text', 'text', 'spelt', 'structured', 'end to end']),
    payer: r.between(0, 1),
    number: r.pick(['long', 'long', 'short', 'none']),
  }),
  dispute: (r) => ({
    do: 'dispute',
    payment: r.between(0, 99),
    share: r.pick([1, 1, 0.5]),
    status: r.pick(['needs_response', 'needs_response', 'warning_needs_response']),
  }),
  'dispute ends': (r) => ({
    do: 'dispute ends',
    dispute: r.between(0, 9),
    status: r.pick(['under_review', 'won', 'lost']),
  }),
  'refund at Stripe': (r) => ({
    do: 'refund at Stripe',
    payment: r.between(0, 99),
    share: r.pick([1, 0.5]),
  }),
  recall: (r) => ({ do: 'recall', number: r.between(0, 99) }),
  'carry out': (r) => ({ do: 'carry out', number: r.between(0, 99) }),
  'give back': (r) => ({ do: 'give back', number: r.between(0, 99) }),
  statement: (r) => ({
    do: 'statement',
    tenant: r.between(0, 2),
    which: r.pick(['new', 'new', 'new', 'all', 'today', 'some', 'again']),
    format: r.pick(['camt.053', 'camt.053', 'camt.054', 'csv']),
    number: r.between(0, 99),
    broken: r.next() < 0.2 ? { by: r.pick(['full disk', 'before', 'behind']), after: r.between(0, 3) } : null,
  }),
  assign: (r) => ({
    do: 'assign',
    entry: r.between(0, 99),
    session: r.between(0, 99),
    share: r.pick([1, 1, 0.5, 2]),
  }),
  decide: (r) => ({
    do: 'decide',
    entry: r.between(0, 99),
    how: r.pick(['ignore', 'reopen', 'send_back', 'send_back']),
  }),
  'payment file': (r) => ({ do: 'payment file', tenant: r.between(0, 2) }),
  pass: (r, theme) => ({ do: 'pass', ms: r.pick(isOfCards(theme) ? CARD_PASSES : PASSES) }),
  'set clock': (r, theme) => ({
    do: 'set clock',
    byMs: r.pick(isFar(theme) ? [...JUMPS, ...FAR_JUMPS] : JUMPS),
  }),
  advance: (r, theme) => ({
    do: 'advance',
    seconds: r.pick(isFar(theme) ? [1, 60, 900, 86_400, (40 * DAY_MS) / 1000] : [1, 30, 60, 900, 86_400]),
  }),
  'full disk': (r) => ({ do: 'full disk', commits: r.between(1, 3) }),
  flaws: (r) => ({ do: 'flaws', commits: r.between(1, 3) }),
  upgrade: () => ({ do: 'upgrade' }),
  'older version': (r) => ({ do: 'older version', when: r.pick(['beside', 'behind']) }),
  crash: (r) => ({
    do: 'crash',
    after: r.between(0, 4),
    when: r.pick(['now', 'before', 'behind', 'behind']),
  }),
};

/** Weights by which steps are drawn. */
const serviceLots: Readonly<Record<Name, number>> = {
  create: 10,
  erase: 0,
  update: 7,
  expire: 5,
  start: 12,
  cancel: 3,
  report: 8,
  payer: 10,
  'provider event': 6,
  refund: 6,
  foreign: 1,
  repeat: 10,
  'add endpoint': 4,
  'change endpoint': 3,
  resend: 3,
  receiver: 6,
  provider: 4,
  'come back': 0,
  mishap: 0,
  'next refund': 0,
  'refund ends': 0,
  notice: 0,
  dispute: 0,
  'dispute ends': 0,
  'refund at Stripe': 0,
  transfer: 0,
  recall: 0,
  'carry out': 0,
  'give back': 0,
  statement: 0,
  assign: 0,
  decide: 0,
  'payment file': 0,
  pass: 24,
  'set clock': 1,
  advance: 3,
  'full disk': 2,
  flaws: 2,
  upgrade: 0,
  'older version': 0,
  crash: 5,
};

const cardLots: Readonly<Record<Name, number>> = {
  create: 10,
  erase: 0,
  update: 3,
  expire: 2,
  start: 18,
  cancel: 4,
  report: 2,
  payer: 22,
  'provider event': 0,
  refund: 14,
  foreign: 0,
  repeat: 6,
  'add endpoint': 1,
  'change endpoint': 0,
  resend: 0,
  receiver: 1,
  provider: 0,
  'come back': 10,
  mishap: 14,
  'next refund': 3,
  'refund ends': 5,
  notice: 12,
  dispute: 0,
  'dispute ends': 0,
  'refund at Stripe': 0,
  transfer: 0,
  recall: 0,
  'carry out': 0,
  'give back': 0,
  statement: 0,
  assign: 0,
  decide: 0,
  'payment file': 0,
  pass: 30,
  'set clock': 1,
  advance: 3,
  'full disk': 2,
  flaws: 2,
  upgrade: 2,
  'older version': 2,
  crash: 6,
};

const lots: Readonly<Record<Theme, Readonly<Record<Name, number>>>> = {
  service: serviceLots,
  people: { ...serviceLots, erase: 8 },
  everything: {
    ...serviceLots,
    'come back': 4,
    mishap: 8,
    'next refund': 3,
    'refund ends': 3,
    notice: 6,
    upgrade: 2,
    'older version': 2,
  },
  cards: cardLots,
  claims: { ...cardLots, dispute: 8, 'dispute ends': 8, 'refund at Stripe': 8, 'refund ends': 8 },
  bank: {
    ...serviceLots,
    create: 8,
    update: 2,
    expire: 3,
    start: 14,
    report: 2,
    payer: 2,
    'provider event': 1,
    refund: 8,
    foreign: 0,
    repeat: 5,
    'add endpoint': 1,
    'change endpoint': 0,
    resend: 0,
    receiver: 1,
    provider: 1,
    transfer: 22,
    recall: 3,
    'carry out': 5,
    'give back': 2,
    statement: 26,
    assign: 7,
    decide: 5,
    'payment file': 6,
    pass: 20,
    'set clock': 1,
    advance: 2,
    'full disk': 2,
    crash: 7,
  },
};

/** The way of most payments, of which a history about cards or the bank takes the next step as often as any other. */
const JOURNEYS: { readonly [T in Theme]?: readonly Name[] } = {
  cards: ['create', 'start', 'payer', 'come back', 'refund', 'payer', 'notice', 'refund'],
  claims: [
    ...(['create', 'start', 'payer', 'come back', 'dispute', 'notice', 'refund', 'dispute ends'] as const),
    ...(['create', 'start', 'payer', 'come back', 'refund at Stripe', 'notice', 'refund ends'] as const),
  ],
  bank: ['create', 'start', 'transfer', 'statement', 'refund', 'payment file', 'carry out', 'statement'],
};

/** The steps of a seed. */
export function stepsOf(seed: number): Step[] {
  const random = randomFrom(seed);
  const theme = THEMES[seed % THEMES.length] ?? 'everything';
  let way = 0;
  return Array.from({ length: random.between(40, 70) }, () => {
    const journey = JOURNEYS[theme];
    const next = journey && random.next() < 0.5 ? journey[way++ % journey.length] : undefined;
    const step = makers[next ?? drawn(lots[theme], random)](random, theme);
    return random.next() < 0.3 ? { ...step, joined: true } : step;
  });
}

function drawn(weights: Readonly<Record<Name, number>>, random: Random): Name {
  const all = Object.entries(weights) as [Name, number][];
  let behind = random.next() * all.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [name, weight] of all) {
    behind -= weight;
    if (behind < 0) return name;
  }
  throw new Error('the lots do not add up');
}
