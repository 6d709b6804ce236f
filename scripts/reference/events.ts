import { eventTypes } from '../../src/events/types.ts';
import { tellStory } from './api/story.ts';
import { generatedFrom, table } from './markdown.ts';

export const eventMeanings: Readonly<Record<(typeof eventTypes)[number], string>> = {
  'checkout.created': 'A session was created.',
  'checkout.updated':
    'Its items or metadata changed; or more money arrived, or the status of an attempt became unknown, and no other event reports that.',
  'checkout.paid': 'The booked payments cover the amount. This happens once and is final.',
  'checkout.expired': 'The session ended unpaid: through the expire operation, or at its `expires_at`.',
  'payment_attempt.created': 'A payer started to pay.',
  'payment_attempt.requires_action': 'The payer has to act, for example confirm the payment.',
  'payment_attempt.processing': 'The rail is moving the money.',
  'payment_attempt.succeeded':
    'The money arrived. If it was less than the amount, `status_description` says so.',
  'payment_attempt.failed': 'The payment failed; `status_description` has the reason.',
  'payment_attempt.cancelled':
    'The attempt was waiting for the payer and was cancelled, for another attempt or because the session ended.',
  'refund.pending': 'A refund was created; the rail has to carry it out.',
  'refund.succeeded': 'The rail returned the money.',
  'refund.failed':
    'The money was not returned, or came back to you; `status_description` has the reason. It can be refunded again.',
  'reversal.open': 'A card holder disputes a payment. The session remains paid.',
  'reversal.lost': 'The money is gone: the dispute was lost, or a bank returned a transfer.',
  'reversal.won': 'The dispute was won; the money stays.',
  'payin.requires_payment_method': 'No attempt is in progress; the payer has to choose a method.',
  'payin.requires_action': 'An attempt is waiting for the payer.',
  'payin.processing': 'An attempt is in progress.',
  'payin.succeeded': 'The payments cover the amount.',
  'payin.cancelled': 'The session ended, and no attempt is in progress.',
  'webhook_endpoint.suspended':
    'An endpoint has been failing for a minute or more. Until it succeeds, it receives single deliveries as probes; the others wait.',
  'webhook_endpoint.resumed': 'A suspended endpoint succeeded again, and receives the waiting deliveries.',
  'webhook_endpoint.disabled': 'An endpoint answered 410. It receives nothing until you enable it.',
};

export function eventsReference(): string {
  const rows = eventTypes.map((type) => [`\`${type}\``, dataOf(type.split('.')[0]), eventMeanings[type]]);
  return `${generatedFrom('scripts/reference/events.ts')}
# Events

Every visible change writes its events in the same transaction. The service sends them to the \`webhook_url\` of the
session and to the webhook endpoints that select them, and \`GET /v3/event\` returns them: the same bytes everywhere.
Events about an endpoint go to the other endpoints.

${table(['Type', '`data` is', 'Meaning'], rows)}
## The body

\`\`\`json
${JSON.stringify(tellStory().events.get('checkout.created'), null, 2)}
\`\`\`

The service sends it without spaces and line breaks. The fields:

${table(
  ['Field', 'Meaning'],
  [
    ['`type`', 'Type of the event.'],
    ['`id`', 'Id of the event; the same on every retry.'],
    ['`created_at`', 'Time of the event.'],
    ['`data`', 'The whole session, attempt, refund, reversal, payin or endpoint right after the change.'],
    [
      '`version`',
      'Version of the session (or endpoint) after the change. Of two events, the one with the higher version is newer.',
    ],
    ['`sequence`', 'Number of the event among those of the session (or endpoint): 1, 2, 3 … without gaps.'],
  ],
)}
[Receiving webhooks](../guides/receiving-webhooks.md) explains how to receive and verify them.
`;
}

function dataOf(resource: string | undefined): string {
  if (resource === 'checkout') return 'the session';
  if (resource === 'webhook_endpoint') return 'the endpoint';
  if (resource === 'payment_attempt') return 'the attempt';
  return `the ${resource}`;
}
