import { apiCommand } from '../../declare/access.ts';
import { required } from '../../declare/parameter.ts';
import { endpointId, pathOf } from '../../webhooks/endpoint.ts';

export const command = apiCommand('webhooks')({
  purpose: 'Remove a webhook endpoint.',
  arguments: { endpoint: required(endpointId, 'Id of the webhook endpoint, `whe_…`.') },
  examples: [['opentill webhooks remove whe_01k9zq4tn30000x5r7m2c9w1he', 'It gets no more events']],
  async run({ endpoint }, { client, output }) {
    await client.send('DELETE', pathOf(endpoint));
    output.line(`${endpoint} is removed`);
  },
});
