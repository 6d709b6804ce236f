import { apiCommand } from '../../declare/access.ts';
import { objectOf } from '../../declare/json.ts';
import { required } from '../../declare/parameter.ts';
import { linesOfSecrets, overlapOption } from '../../secrets.ts';
import {
  type Endpoint,
  endpointId,
  newEndpointKeys,
  pathOf,
  type WithSecret,
} from '../../webhooks/endpoint.ts';

export const command = apiCommand('webhooks')({
  purpose: 'Replace the secret of a webhook endpoint.',
  arguments: { endpoint: required(endpointId, 'Id of the webhook endpoint, `whe_…`.') },
  options: { overlap: overlapOption },
  json: objectOf(newEndpointKeys, 'webhook_endpoint'),
  examples: [
    [
      'opentill webhooks rotate-secret whe_01k9zq4tn30000x5r7m2c9w1he --overlap 2h',
      'Both secrets sign for two hours',
    ],
  ],
  async run({ endpoint: id, overlap }, { client, output }) {
    const path = pathOf(id);
    const before = await client.get<Endpoint>(path);
    const after = await client.send<WithSecret>('POST', `${path}/rotate_secret`, {
      overlap_seconds: overlap,
    });
    const dropped_secret_expires_at = before.previous_secret_expires_at;
    output.record(after, linesOfSecrets({ ...after, dropped_secret_expires_at }));
  },
});
