import { apiCommand } from '../../declare/access.ts';
import { listOf } from '../../declare/json.ts';
import { optional, withDefault } from '../../declare/parameter.ts';
import { choice, receiver as receiverValue, wholeNumber } from '../../declare/values.ts';
import { type Delivery, deliveryKeys, lineOf, receiverOfDelivery } from '../../webhooks/delivery.ts';
import { pathOf } from '../../webhooks/endpoint.ts';

export const command = apiCommand('webhooks')({
  purpose: 'List webhook deliveries, newest first.',
  details: [
    'Without a receiver, it lists deliveries to all of them. A removed endpoint still has its deliveries. An origin such as https://shop.example selects deliveries to addresses that sessions name.',
  ],
  arguments: { receiver: optional(receiverValue, 'Id of an endpoint, `whe_…`, or an origin.') },
  options: {
    status: optional(choice('status', 'pending', 'delivered', 'failed'), 'Only deliveries with this status.'),
    limit: withDefault(wholeNumber(1, 10_000), '20', 'Maximum number.'),
  },
  json: listOf(deliveryKeys, 'webhook_delivery'),
  examples: [
    ['opentill webhooks deliveries --status failed', 'Failed deliveries to all receivers'],
    ['opentill webhooks deliveries https://shop.example --limit 5', 'The last five to a host'],
  ],
  async run({ receiver, status, limit }, { client, output }) {
    const endpoint = receiver?.startsWith('whe_') ? receiver : undefined;
    const origin = endpoint === undefined ? receiver : undefined;
    const query = {
      // There may be few of a host among many.
      limit: origin === undefined ? String(Math.min(limit, 100)) : '100',
      ...(status === undefined ? {} : { status }),
      ...(endpoint === undefined ? {} : { endpoint }),
    };
    let left = limit;
    for await (const page of client.pages<Delivery>('/webhook_delivery', query)) {
      const wanted = page.filter((each) => origin === undefined || receiverOfDelivery(each) === origin);
      for (const each of wanted.slice(0, left)) output.record(each, lineOf(each, receiver === undefined));
      left -= wanted.length;
      if (left <= 0) return;
    }
    if (left < limit) return;
    // An endpoint that never existed is an error, not one without deliveries.
    if (endpoint !== undefined && status === undefined) await client.get(pathOf(endpoint));
    output.remark('there are no such deliveries');
  },
});
