import { apiCommand } from '../../declare/access.ts';
import { objectOf } from '../../declare/json.ts';
import { flag, optional, required } from '../../declare/parameter.ts';
import { nonEmpty } from '../../declare/values.ts';
import {
  type Endpoint,
  endpointId,
  endpointKeys,
  endpointOptions,
  lineOf,
  pathOf,
} from '../../webhooks/endpoint.ts';

export const command = apiCommand('webhooks')({
  purpose: 'Change a webhook endpoint.',
  arguments: {
    endpoint: required(endpointId, 'Id of the webhook endpoint, `whe_…`.'),
    address: optional(nonEmpty('address', 'an address'), 'New address of the endpoint.'),
  },
  options: {
    ...endpointOptions,
    enable: flag('Enable it; a suspended endpoint is probed immediately.'),
  },
  json: objectOf(endpointKeys, 'webhook_endpoint'),
  examples: [
    ['opentill webhooks update whe_01k9zq4tn30000x5r7m2c9w1he --enable', 'Enable it again'],
    [
      "opentill webhooks update whe_01k9zq4tn30000x5r7m2c9w1he https://shop.example/new --events 'payin.*'",
      'Another address, other events',
    ],
  ],
  check: ({ address, events, description, enable, disable }) => [
    ...(enable && disable ? ['--enable and --disable exclude each other'] : []),
    ...(address === undefined && events === undefined && description === undefined && !enable && !disable
      ? [
          'webhooks update needs something to change: <address>, --events, --description, --enable or --disable',
        ]
      : []),
  ],
  async run({ endpoint: id, address, events, description, enable, disable }, { client, output }) {
    const endpoint = await client.send<Endpoint>('PUT', pathOf(id), {
      ...(address === undefined ? {} : { url: address }),
      ...(events === undefined ? {} : { events }),
      ...(description === undefined ? {} : { description }),
      ...(enable ? { status: 'enabled' } : disable ? { status: 'disabled' } : {}),
    });
    output.record(endpoint, lineOf(endpoint));
  },
});
