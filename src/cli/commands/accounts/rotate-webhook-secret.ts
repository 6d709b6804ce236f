import { tenantNow } from '../../../accounts/account.ts';
import { MAX_OVERLAP_SECONDS, newWebhookSecret, retired } from '../../../webhooks/secrets.ts';
import { accountOf, liveOption, modeOf } from '../../account.ts';
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
  json: objectOf(secretKeys),
  examples: [
    ['opentill accounts rotate-webhook-secret 1 --live --overlap 7d', 'Both secrets sign for a week'],
  ],
  check: ({ overlap }) => (overlap > MAX_OVERLAP_SECONDS ? ['--overlap is at most 7d'] : []),
  async run({ account: number, live, overlap }, { store, output }) {
    const account = await accountOf(store, number);
    const mode = modeOf(live);
    const now = tenantNow(account, mode, Date.now());
    const dropped = account.previousWebhookSecrets[mode];
    const previous = retired(account.webhookSecrets[mode], now, overlap * 1000);
    const secret = newWebhookSecret();
    await store.accounts.replaceWebhookSecret({ account: number, mode }, secret, previous);
    const fate = {
      secret,
      previous_secret_expires_at: previous === null ? null : new Date(previous.until).toISOString(),
      dropped_secret_expires_at:
        dropped !== null && dropped.until > now ? new Date(dropped.until).toISOString() : null,
    };
    output.record(fate, linesOfSecrets(fate));
  },
});
