import { eventMeanings, eventTypes } from '../../src/events/types.ts';
import { tellStory } from './api/story.ts';
import { generatedFrom, table } from './markdown.ts';

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
