import { decide } from '../../src/checkout/decide.ts';
import { createSerializer } from '../../src/checkout/serializer.ts';
import { defaultPolicy } from '../../src/checkout/session.ts';
import { eventBody } from '../../src/events/envelope.ts';
import { eventTypes } from '../../src/events/types.ts';
import { generatedFrom, table } from './markdown.ts';

const meanings: Readonly<Record<(typeof eventTypes)[number], string>> = {
  'checkout.created': 'A session was created.',
  'checkout.updated':
    'Its items or metadata changed; or more money arrived, or the state of an attempt became unknown, without another event that says so.',
  'checkout.paid': 'The booked payments cover the amount, for the first time and for good.',
  'checkout.expired': 'The session ended unpaid: by the expire operation, or because its time was over.',
  'payment_attempt.created': 'A payer started to pay.',
  'payment_attempt.requires_action': 'The payer has to do something, such as confirm the payment.',
  'payment_attempt.processing': 'The rail is moving the money.',
  'payment_attempt.succeeded': 'The money has arrived. `status_description` says so if it was not all of it.',
  'payment_attempt.failed': 'The payment did not come about; `status_description` says why.',
  'payment_attempt.cancelled':
    'The attempt waited for the payer and was given up, for another attempt or because the session ended.',
  'refund.pending': 'A refund was asked for; the rail is to carry it out.',
  'refund.succeeded': 'The rail has given the money back.',
  'refund.failed':
    'The money was not given back, or came back to you; `status_description` says why. It can be refunded again.',
  'reversal.open': 'A card holder disputes a payment. The money may be gone; the session stays paid.',
  'reversal.lost': 'The money is gone: the dispute was lost, or a bank has returned a transfer.',
  'reversal.won': 'The dispute was won, and the money stays.',
  'payin.requires_payment_method': 'Nothing is under way; the payer has to choose how to pay.',
  'payin.requires_action': 'An attempt waits for the payer.',
  'payin.processing': 'An attempt is under way.',
  'payin.succeeded': 'The amount is covered.',
  'payin.cancelled': 'The session ended, and nothing is under way.',
  'webhook_endpoint.suspended':
    'An endpoint has been failing for a minute or more: until it answers again it only gets single deliveries as probes, and the others wait.',
  'webhook_endpoint.resumed': 'It answers again, and gets what has been waiting.',
  'webhook_endpoint.disabled': 'It has answered 410, and gets nothing until it is switched on again.',
};

export function eventsReference(): string {
  const rows = eventTypes.map((type) => [`\`${type}\``, dataOf(type.split('.')[0]), meanings[type]]);
  return `${generatedFrom('scripts/reference/events.ts')}
# Events

Every change that somebody can see writes its events in the same transaction. They are sent to the \`webhook_url\` of the
session and to the endpoints that want them, and can be read from \`GET /v3/event\`: the same bytes everywhere. Events
about an endpoint go to the other endpoints.

${table(['Type', '`data` is', 'Meaning'], rows)}
## The body

\`\`\`json
${JSON.stringify(JSON.parse(exampleBody()), null, 2)}
\`\`\`

It is sent without spaces and line breaks. The fields:

${table(
  ['Field', 'Meaning'],
  [
    ['`type`', 'What happened.'],
    ['`id`', 'Id of the event; the same on every retry.'],
    ['`created_at`', 'When it happened.'],
    ['`data`', 'The whole session, attempt, payin or endpoint as it was right after the change.'],
    [
      '`version`',
      'Version of the session (or endpoint) after the change. Of two events the one with the higher version is newer.',
    ],
    ['`sequence`', 'Counts the events of the session (or endpoint): 1, 2, 3 … without a gap.'],
  ],
)}
[Webhooks](../guides/webhooks.md) says how to receive and verify them.
`;
}

function dataOf(resource: string | undefined): string {
  if (resource === 'checkout') return 'the session';
  if (resource === 'webhook_endpoint') return 'the endpoint';
  if (resource === 'payment_attempt') return 'the attempt';
  return `the ${resource}`;
}

/** A real event of a session with fixed ids and times, made by the rules and the serializer. */
function exampleBody(): string {
  const now = Date.UTC(2030, 0, 31, 12);
  const id = '01k9zq4tn30000x5r7m2c9w1he';
  const decision = decide(null, {
    type: 'create',
    now,
    id: `chk_${id}`,
    token: `1t${id}6hqk2v9w4d8r7m3xc5n1tbyzpe`,
    tenant: { account: 1, mode: 'test' },
    currency: 'EUR',
    amount: null,
    items: [{ name: 'Widget', quantity: 2, unitPrice: 1250 }],
    description: '',
    referenceId: 'order-1001',
    metadata: { order_id: 'A-1001' },
    payer: {
      customer: `cus_${id}`,
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
    expiresAt: now + 86_400_000,
    policy: defaultPolicy,
  });
  const [event] = decision.kind === 'change' ? decision.events : [];
  if (decision.kind !== 'change' || !event) throw new Error('the session of the example was not created');
  const data = createSerializer('https://pay.example.com').eventData(decision.checkout, event);
  return eventBody(event.type, `evt_${id}`, now, data, 1, 1);
}
