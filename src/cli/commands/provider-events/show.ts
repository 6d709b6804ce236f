import { apiCommand } from '../../declare/access.ts';
import { objectOf } from '../../declare/json.ts';
import { required } from '../../declare/parameter.ts';
import { linesOf, type ProviderEvent, providerEventId, providerEventKeys } from '../../provider-event.ts';

export const command = apiCommand('read')({
  purpose: 'Show a provider event that has led to no session.',
  details: [
    'Each field is a line, with the name that it has in the API. The content of the event is not shown.',
  ],
  arguments: { event: required(providerEventId, 'Id of the provider event, `pev_…`.') },
  json: objectOf(providerEventKeys, 'provider_event'),
  examples: [['opentill provider-events show pev_01m7wxr4bk00035etm76at8fka', 'Why it waits, and for what']],
  async run({ event: id }, { client, output }) {
    const event = await client.get<ProviderEvent>(`/provider_event/${encodeURIComponent(id)}`);
    output.record(event, linesOf(event));
  },
});
