import { apiCommand } from '../../declare/access.ts';
import { objectOf } from '../../declare/json.ts';
import { required } from '../../declare/parameter.ts';
import { type ProviderEvent, providerEventId, providerEventKeys } from '../../provider-event.ts';

export const command = apiCommand('write')({
  purpose: 'Have a provider event looked at again.',
  details: [
    'The rail is asked at once. If nothing comes of it, an event that waited for a person does so again. `opentill provider-events list` shows the ids.',
  ],
  arguments: { event: required(providerEventId, 'Id of the provider event, `pev_…`.') },
  json: objectOf(providerEventKeys, 'provider_event'),
  examples: [['opentill provider-events retry pev_01m7wxr4bk00035etm76at8fka', 'Once the cause is mended']],
  async run({ event: id }, { client, output }) {
    const path = `/provider_event/${encodeURIComponent(id)}/retry`;
    output.record(await client.send<ProviderEvent>('POST', path), `${id} is looked at again`);
  },
});
