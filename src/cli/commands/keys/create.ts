import { newApiKey, usualPermissions } from '../../../accounts/api-key.ts';
import { accountOf, accountOption, liveOption, modeOf } from '../../account.ts';
import { changeApiKey } from '../../api-key.ts';
import { databaseCommand } from '../../declare/access.ts';
import { objectOf } from '../../declare/json.ts';
import { withDefault } from '../../declare/parameter.ts';
import { keyName, permissions } from '../../declare/values.ts';

export const command = databaseCommand({
  purpose: 'Create an API key; its secret is shown once.',
  options: {
    account: accountOption,
    live: liveOption,
    permissions: withDefault(permissions, usualPermissions.join(','), 'Permissions of the key.'),
    name: withDefault(keyName, '', 'Your name for the key.'),
  },
  json: objectOf({
    id: 'The API key, `ak_…`.',
    secret: 'The API secret, `sk_…`; it is shown only now.',
    webhook_secret: 'The secret of webhooks to the addresses that sessions name.',
    account: 'Number of the account.',
    mode: '`test` or `live`.',
    permissions: 'Permissions of the key.',
    name: 'Its name.',
  }),
  examples: [
    ['opentill keys create --name Till', 'A key for test mode that may do everything but manage'],
    ['opentill keys create --live --permissions read,webhooks', 'A key for live mode with two permissions'],
    [
      'opentill keys create --permissions manage --name Admin',
      'A key that creates and revokes others over the API',
    ],
  ],
  async run({ account: number, live, permissions: named, name }, { store, execute, output }) {
    const account = await accountOf(store, number);
    const mode = modeOf(live);
    const tenant = { account: number, mode };
    const { key, secret } = newApiKey({ tenant, permissions: named, name, nowMs: Date.now() });
    const { id, permissions } = key;
    await changeApiKey({ store, execute }, tenant, id, { type: 'create_api_key', key });
    const webhook_secret = account.webhookSecrets[mode];
    output.record({ id, secret, webhook_secret, account: number, mode, permissions, name }, [
      `API key         ${id}`,
      `API secret      ${secret}`,
      `Webhook secret  ${webhook_secret}`,
      'The API secret is not stored and cannot be shown again.',
    ]);
  },
});
