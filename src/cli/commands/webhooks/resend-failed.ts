import type { Client } from '../../client.ts';
import { apiCommand } from '../../declare/access.ts';
import { objectOf } from '../../declare/json.ts';
import { optional, required } from '../../declare/parameter.ts';
import { moment } from '../../declare/values.ts';
import { type Endpoint, endpointId } from '../../webhooks/endpoint.ts';

type Resent = { readonly resent: number; readonly has_more: boolean; readonly next_cursor: string | null };

export const command = apiCommand('webhooks')({
  purpose: 'Resend all failed deliveries that were created since a time.',
  details: ['Deliveries to disabled endpoints are left out.'],
  options: {
    since: required(moment, 'A time such as 2030-01-31T12:00:00Z, or an age such as 2h or 3d.'),
    endpoint: optional(endpointId, 'Only deliveries to this endpoint.'),
  },
  json: objectOf({
    resent: 'Number of deliveries that are sent again.',
    has_left_out: 'True if some are left out because their endpoint is disabled.',
  }),
  examples: [
    ['opentill webhooks resend-failed --since 2h', 'Failed deliveries of the last two hours'],
    [
      'opentill webhooks resend-failed --since 2030-01-31T12:00:00Z --endpoint whe_01k9zq4tn30000x5r7m2c9w1he',
      'To one endpoint',
    ],
  ],
  async run({ since: sinceMs, endpoint }, { client, output }) {
    const since = new Date(sinceMs).toISOString();
    let resent = 0;
    for (let after: string | null | undefined; after !== null; ) {
      const page: Resent = await client.send<Resent>('POST', '/webhook_delivery/resend', {
        since,
        ...(endpoint === undefined ? {} : { endpoint }),
        ...(after === undefined ? {} : { after }),
      });
      resent += page.resent;
      after = page.has_more ? page.next_cursor : null;
    }
    const has_left_out = endpoint === undefined && (await hasFailedToDisabled(client, since));
    output.record(
      { resent, has_left_out },
      `${resent} sent again${has_left_out ? '; deliveries to disabled endpoints are left out' : ''}`,
    );
  },
});

/** True if a delivery to a disabled endpoint has failed since. */
async function hasFailedToDisabled(client: Client, since: string): Promise<boolean> {
  const query = { status: 'failed', 'created_at[gte]': since, limit: '1' };
  for await (const page of client.pages<Endpoint>('/webhook_endpoint')) {
    for (const { id, status } of page) {
      if (status !== 'disabled') continue;
      const { data } = await client.page('/webhook_delivery', { ...query, endpoint: id });
      if (data.length > 0) return true;
    }
  }
  return false;
}
