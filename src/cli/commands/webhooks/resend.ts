import { apiCommand } from '../../declare/access.ts';
import { objectOf } from '../../declare/json.ts';
import { required } from '../../declare/parameter.ts';
import { idOf } from '../../declare/values.ts';
import { type Delivery, deliveryKeys } from '../../webhooks/delivery.ts';

export const command = apiCommand('webhooks')({
  purpose: 'Resend one webhook delivery, even if it has arrived.',
  details: ['`opentill webhooks deliveries` shows the ids; `opentill webhooks resend-failed` resends many.'],
  arguments: { delivery: required(idOf('whd', 'a delivery'), 'Id of the delivery, `whd_…`.') },
  json: objectOf(deliveryKeys, 'webhook_delivery'),
  examples: [['opentill webhooks resend whd_01m7wxr4bk00035etm76at8fka', 'The receiver gets it again']],
  async run({ delivery: id }, { client, output }) {
    const path = `/webhook_delivery/${encodeURIComponent(id)}`;
    await client.send('POST', `${path}/resend`);
    const delivery = await client.get<Delivery>(path);
    const isBehind = delivery.status === 'pending' && delivery.next_attempt_at === null;
    output.record(
      delivery,
      `${id} ${isBehind ? 'waits behind an earlier one of its session' : 'is sent again'}`,
    );
  },
});
