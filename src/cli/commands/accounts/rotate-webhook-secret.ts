import { MAX_OVERLAP_SECONDS } from '../../../webhooks/secrets.ts';
import { settingsCommand } from '../../account-settings/command.ts';
import { objectOf } from '../../declare/json.ts';
import { placeOptions } from '../../place.ts';
import { linesOfSecrets, overlapOption, secretKeys } from '../../secrets.ts';

export const command = settingsCommand({
  purpose: 'Replace the secret of webhooks to the addresses that sessions name.',
  details: ['Webhook endpoints have secrets of their own: see `opentill webhooks rotate-secret`.'],
  options: { ...placeOptions, overlap: overlapOption },
  json: objectOf(secretKeys, 'webhook_secret'),
  examples: [
    ['opentill accounts rotate-webhook-secret --live --overlap 7d', 'Both secrets sign for a week'],
    [
      'opentill accounts rotate-webhook-secret --url https://pay.example',
      'That of the account and mode of `OPENTILL_API_KEY`',
    ],
  ],
  check: ({ overlap }) => (overlap > MAX_OVERLAP_SECONDS ? ['--overlap is at most 7d'] : []),
  async run({ account, live, overlap }, { settings, output }) {
    const fate = await settings.rotateSecret({ account, live }, overlap);
    output.record(fate, linesOfSecrets(fate));
  },
});
