import { newAccountKeys } from '../../accounts/accounts.ts';
import { accountsCommand } from '../../accounts/command.ts';
import { objectOf } from '../../declare/json.ts';
import { required } from '../../declare/parameter.ts';
import { accountName } from '../../declare/values.ts';
import { linkVariables } from '../../members/command.ts';

export const command = accountsCommand({
  purpose: 'Create another account, for another shop.',
  details: [
    'It prints a link for the owner, which leads to `PUBLIC_URL`, and the secrets of webhooks to the addresses that sessions name. All of them are shown once.',
    'At a server it takes a key of live mode with the permission `accounts`.',
  ],
  arguments: { name: required(accountName, 'The name that payers see.') },
  variables: linkVariables,
  json: objectOf(newAccountKeys, 'account'),
  examples: [
    ["opentill accounts create 'Your Other Shop'", 'An account without keys'],
    ["opentill accounts create 'Your Other Shop' --url https://pay.example", 'The same at a server'],
  ],
  async run({ name }, { accounts, output }) {
    const account = await accounts.create(name);
    const { id, owner_url: url, webhook_secrets: secrets } = account;
    output.record(account, [
      `account ${id} is created; opentill keys create --account ${id} creates a key for it`,
      `Link for its owner           ${url}`,
      `Webhook secret of test mode  ${secrets.test}`,
      `Webhook secret of live mode  ${secrets.live}`,
      'They are shown only now. The link is good for one use, and for three days; opentill accounts rotate-webhook-secret replaces a secret.',
    ]);
  },
});
