import { listOf } from '../../declare/json.ts';
import { placeOptions } from '../../place.ts';
import { credentialsCommand } from '../../rail-credentials/command.ts';
import { lineOf, railCredentialsKeys } from '../../rail-credentials/rail-credentials.ts';

export const command = credentialsCommand({
  purpose: 'List the credentials that an account has of its own at rails.',
  details: [
    'The secrets are never shown. On the database it reads `CREDENTIALS_KEY` and `PUBLIC_URL`, as the server does.',
  ],
  options: placeOptions,
  json: listOf(railCredentialsKeys, 'rail_credentials'),
  examples: [
    ['opentill credentials list --account 2 --live', 'Those of account 2 in live mode'],
    [
      'opentill credentials list --url https://pay.example',
      'Those of the account and mode of `OPENTILL_API_KEY`',
    ],
  ],
  async run({ account, live }, { credentials, output }) {
    const all = await credentials.list({ account, live });
    for (const shown of all) output.record(shown, lineOf(shown));
    if (all.length === 0)
      output.remark('the account has no credentials of its own; opentill credentials set sets them');
  },
});
