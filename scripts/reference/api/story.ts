/**
 * The lives of three sessions, made by the rules and the serializer with fixed ids and times: the examples of the
 * reference are what the service would say of it.
 */
import type { CheckoutCommand, CreateCheckout, Report } from '../../../src/checkout/commands.ts';
import { decide } from '../../../src/checkout/decide.ts';
import { createSerializer } from '../../../src/checkout/serializer.ts';
import { type Checkout, defaultPolicy } from '../../../src/checkout/session.ts';
import { eventBody } from '../../../src/events/envelope.ts';
import type { JsonObject } from './schemas.ts';

const START = Date.UTC(2030, 0, 31, 12);
const ID = '01k9zq4tn30000x5r7m2c9w1h';
const serializer = createSerializer('https://pay.example.com');

type Step = CheckoutCommand extends infer C ? (C extends { now: number } ? Omit<C, 'now'> : never) : never;

export type Story = {
  /** The first event of each type, by its type. */
  readonly events: ReadonlyMap<string, JsonObject>;
  readonly checkout: JsonObject;
};

const create = {
  type: 'create',
  id: `chk_${ID}e`,
  token: `1t${ID}e6hqk2v9w4d8r7m3xc5n1tbyzpe`,
  tenant: { account: 1, mode: 'test' },
  currency: 'EUR',
  amount: null,
  items: [{ name: 'Widget', quantity: 2, unitPrice: 1250 }],
  description: '',
  referenceId: 'order-1001',
  metadata: { order_id: 'A-1001', customer_notes: 'Please wrap it.' },
  payer: {
    customer: `cus_${ID}e`,
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    country: 'GB',
    phone: null,
    billingDetails: null,
    shippingDetails: null,
  },
  successUrl: 'https://shop.example.com/thanks',
  cancelUrl: 'https://shop.example.com/cart',
  webhookUrl: 'https://shop.example.com/webhooks/opentill',
  methods: ['card', 'local_bank_transfer_eur'],
  expiresAt: START + 86_400_000,
  policy: defaultPolicy,
} as const satisfies Omit<CreateCheckout, 'now'>;

const attempt = (letter: string, expectedAmount: number) =>
  ({
    type: 'start_attempt',
    attemptId: `pat_${ID}${letter}`,
    rail: 'sandbox',
    reference: `sandbox-000${letter}`,
    method: 'card',
    expectedAmount,
    status: 'requires_action',
    syncAt: null,
    traits: {},
    details: {},
  }) as const;

const report = (letter: string, status: Report['status'], reason = '', payment: Report['payment'] = null) =>
  ({
    type: 'report',
    rail: 'sandbox',
    reference: `sandbox-000${letter}`,
    status,
    reason,
    syncAt: null,
    details: null,
    payment,
    unknownAttempt: { id: `pat_${ID}${letter}`, method: null },
    refundId: `rfd_${ID}z`,
  }) as const;

const refund = (letter: string, status: 'succeeded' | 'failed', failure = '') => {
  const id = `rfd_${ID}${letter}` as const;
  const given = { attempt: null, amount: 1250, currency: null, reason: 'The parcel was lost.', remarks: '' };
  return [
    { type: 'create_refund', id, furtherIds: [], ...given, metadata: { ticket: 'T-77' }, webhookUrl: '' },
    {
      type: 'report_refund',
      refund: id,
      status,
      reference: `sandbox-refund-${letter}`,
      failure,
      syncAt: null,
    },
  ] as const;
};

const reversal = (reference: string, status: 'open' | 'lost' | 'won') =>
  ({
    type: 'report_reversal',
    kind: 'dispute',
    rail: 'sandbox',
    reference,
    amount: 1250,
    reason: 'fraudulent',
    status,
    attempt: `pat_${ID}e`,
  }) as const;

const paid: readonly Step[] = [
  create,
  {
    type: 'update',
    items: [
      { name: 'Widget', quantity: 2, unitPrice: 1250 },
      { name: 'Gadget', quantity: 1, unitPrice: 700 },
    ],
    methods: null,
    metadata: { customer_notes: null },
    ifVersion: null,
  },
  attempt('e', 3200),
  report('e', 'processing'),
  report('e', 'succeeded', '', { reference: 'sandbox-payment-1', amount: null }),
];
const takenBack: readonly Step[] = [
  ...refund('e', 'failed', 'The card is closed.'),
  ...refund('f', 'succeeded'),
  reversal('dp_0001', 'open'),
  reversal('dp_0001', 'won'),
  reversal('dp_0002', 'open'),
  reversal('dp_0002', 'lost'),
];
const declined: readonly Step[] = [
  create,
  attempt('e', 2500),
  report('e', 'failed', 'The card was declined.'),
  attempt('f', 2500),
  { type: 'note_attempt', attempt: `pat_${ID}f`, metadata: { fraud_score: 12 } },
  { type: 'cancel_attempt' },
];
const unpaid: readonly Step[] = [create, { type: 'expire', ifVersion: null }];

export function tellStory(): Story {
  const events = new Map<string, JsonObject>();
  const sold = follow(paid, { session: null, now: START, sequence: 0 }, events);
  follow(takenBack, sold, events);
  for (const other of [declined, unpaid]) follow(other, { session: null, now: START, sequence: 0 }, events);
  if (sold.session === null) throw new Error('the story has no session');
  return { events, checkout: JSON.parse(serializer.checkout(sold.session)) };
}

type Chapter = { readonly session: Checkout | null; readonly now: number; readonly sequence: number };

/** Every step is a minute after the one before. */
function follow(steps: readonly Step[], start: Chapter, events: Map<string, JsonObject>): Chapter {
  let { session, now, sequence } = start;
  for (const step of steps) {
    const decision = decide(session, { ...step, now });
    if (decision.kind !== 'change') throw new Error(`${step.type} of the example does nothing`);
    session = decision.checkout;
    for (const event of decision.events) {
      sequence += 1;
      if (events.has(event.type)) continue;
      const data = serializer.eventData(session, event);
      const body = eventBody(event.type, `evt_${ID}e`, now, data, session.version, sequence);
      events.set(event.type, JSON.parse(body));
    }
    now += 60_000;
  }
  return { session, now, sequence };
}
