import { createAccount } from '../../../accounts/account.ts';
import { databaseCommand } from '../../declare/access.ts';
import { objectOf } from '../../declare/json.ts';
import { required } from '../../declare/parameter.ts';
import { accountName } from '../../declare/values.ts';

export const command = databaseCommand({
  purpose: 'Create another account, for another shop.',
  details: ['The secrets of its webhooks to the addresses that sessions name are shown once.'],
  arguments: { name: required(accountName, 'The name that payers see.') },
  json: objectOf({
    number: 'Number of the account.',
    name: 'The name that payers see.',
    webhook_secrets:
      'The secrets of webhooks to the addresses that sessions name, `test` and `live`; they are shown only now.',
  }),
  examples: [["opentill accounts create 'Your Other Shop'", 'An account without keys']],
  async run({ name }, { store, output }) {
    const { number, webhookSecrets: webhook_secrets } = await createAccount(store, name, Date.now());
    output.record({ number, name, webhook_secrets }, [
      `account ${number} is created; opentill keys create --account ${number} creates a key for it`,
      `Webhook secret of test mode  ${webhook_secrets.test}`,
      `Webhook secret of live mode  ${webhook_secrets.live}`,
      'They are shown only now; opentill accounts rotate-webhook-secret replaces one.',
    ]);
  },
});
