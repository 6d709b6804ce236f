import { apiCommand } from '../../declare/access.ts';
import { objectOf } from '../../declare/json.ts';
import { required } from '../../declare/parameter.ts';
import { nonEmpty } from '../../declare/values.ts';
import { endpointOptions, lineOf, newEndpointKeys, type WithSecret } from '../../webhooks/endpoint.ts';

export const command = apiCommand('webhooks')({
  purpose: 'Add a webhook endpoint; its secret is shown once.',
  arguments: { address: required(nonEmpty('address', 'an address'), 'Address that receives the events.') },
  options: endpointOptions,
  json: objectOf(newEndpointKeys, 'webhook_endpoint'),
  examples: [
    ['opentill webhooks add https://shop.example/hooks', 'All events'],
    [
      "opentill webhooks add https://shop.example/paid --events 'checkout.paid,refund.*' --description Books",
      'Some events',
    ],
  ],
  async run({ address, events, description, disable }, { client, output }) {
    const endpoint = await client.send<WithSecret>('POST', '/webhook_endpoint', {
      url: address,
      ...(events === undefined ? {} : { events }),
      ...(description === undefined ? {} : { description }),
      ...(disable ? { status: 'disabled' } : {}),
    });
    output.record(endpoint, [
      lineOf(endpoint),
      `Webhook secret  ${endpoint.secret}`,
      'It is shown only now.',
    ]);
  },
});
