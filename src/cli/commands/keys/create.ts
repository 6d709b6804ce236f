import { usualPermissions } from '../../../accounts/api-key.ts';
import { apiKeyKeys } from '../../api-keys/api-keys.ts';
import { keysCommand } from '../../api-keys/command.ts';
import { objectOf } from '../../declare/json.ts';
import { withDefault } from '../../declare/parameter.ts';
import { keyName, permissions } from '../../declare/values.ts';
import { placeOptions } from '../../place.ts';

export const command = keysCommand({
  purpose: 'Create an API key; its secret is shown once.',
  options: {
    ...placeOptions,
    permissions: withDefault(permissions, usualPermissions.join(','), 'Permissions of the key.'),
    name: withDefault(keyName, '', 'Your name for the key.'),
  },
  json: objectOf({ ...apiKeyKeys, secret: 'The API secret, `sk_…`; it is shown only now.' }, 'api_key'),
  examples: [
    ['opentill keys create --name Till', 'A key for test mode that may do everything but manage'],
    ['opentill keys create --live --permissions read,webhooks', 'A key for live mode with two permissions'],
    [
      'opentill keys create --permissions manage --name Admin',
      'A key that creates and revokes others over the API',
    ],
  ],
  async run({ account, live, permissions, name }, { keys, output }) {
    const key = await keys.create({ account, live }, { permissions, name });
    output.record(key, [
      `API key         ${key.id}`,
      `API secret      ${key.secret}`,
      'The secret is not stored and cannot be shown again.',
    ]);
  },
});
