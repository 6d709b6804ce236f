import { apiKeyKeys } from '../../api-keys/api-keys.ts';
import { keysCommand } from '../../api-keys/command.ts';
import { objectOf } from '../../declare/json.ts';
import { required } from '../../declare/parameter.ts';
import { idOf } from '../../declare/values.ts';

export const command = keysCommand({
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
  async run({ key: id }, { keys, output }) {
    output.record(await keys.revoke(id), `${id} is revoked`);
  },
});
