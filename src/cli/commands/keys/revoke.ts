import { apiKeyKeys, revokeApiKey } from '../../api-key.ts';
import { databaseCommand } from '../../declare/access.ts';
import { objectOf } from '../../declare/json.ts';
import { required } from '../../declare/parameter.ts';
import { idOf } from '../../declare/values.ts';

export const command = databaseCommand({
  purpose: 'Revoke an API key immediately.',
  details: ['A revoked key stays revoked. Revoking it again changes nothing.'],
  arguments: { key: required(idOf('ak', 'an API key'), 'The API key, `ak_…`.') },
  json: objectOf(
    {
      ...apiKeyKeys,
      remaining_manage_keys:
        'Active keys with the permission `manage` that are left in its account and mode.',
    },
    'api_key',
  ),
  examples: [['opentill keys revoke ak_test_0123456789abcdef', 'The key is refused from now on']],
  async run({ key: id }, { output, ...database }) {
    output.record(await revokeApiKey(database, id), `${id} is revoked`);
  },
});
