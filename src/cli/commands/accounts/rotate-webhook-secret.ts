import { secretFate } from '../../../accounts/account-changes.ts';
import { representSecretFate } from '../../../accounts/representation.ts';
import { MAX_OVERLAP_SECONDS, newWebhookSecret } from '../../../webhooks/secrets.ts';
import { changeAccount, liveOption, modeOf } from '../../account.ts';
import { databaseCommand } from '../../declare/access.ts';
import { objectOf } from '../../declare/json.ts';
import { required } from '../../declare/parameter.ts';
import { accountNumber } from '../../declare/values.ts';
import { linesOfSecrets, overlapOption, secretKeys } from '../../secrets.ts';

export const command = databaseCommand({
  purpose: 'Replace the secret of webhooks to the addresses that sessions name.',
  details: ['Webhook endpoints have secrets of their own: see `opentill webhooks rotate-secret`.'],
  arguments: { account: required(accountNumber, 'Number of the account.') },
  options: { live: liveOption, overlap: overlapOption },
  json: objectOf(secretKeys, 'webhook_secret'),
  examples: [
    ['opentill accounts rotate-webhook-secret 1 --live --overlap 7d', 'Both secrets sign for a week'],
  ],
  check: ({ overlap }) => (overlap > MAX_OVERLAP_SECONDS ? ['--overlap is at most 7d'] : []),
  async run({ account, live, overlap }, { output, ...database }) {
    const tenant = { account, mode: modeOf(live) };
    const { before, after, now } = await changeAccount(database, tenant, {
      type: 'rotate_webhook_secret',
      secret: newWebhookSecret(),
      overlapMs: overlap * 1000,
    });
    const fate = representSecretFate(secretFate(before, after, { mode: tenant.mode, now }));
    output.record(fate, linesOfSecrets(fate));
  },
});
