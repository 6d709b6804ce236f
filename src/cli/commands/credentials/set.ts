import { objectOf } from '../../declare/json.ts';
import { required, withDefault } from '../../declare/parameter.ts';
import { choice, file } from '../../declare/values.ts';
import { placeOptions } from '../../place.ts';
import { credentialsCommand } from '../../rail-credentials/command.ts';
import { lineOf, railCredentialsKeys, rails } from '../../rail-credentials/rail-credentials.ts';

export const command = credentialsCommand({
  purpose: 'Set the credentials that an account has of its own at a rail.',
  details: [
    'The file is JSON with `secret_key` and `webhook_secret`. Secrets are not taken as arguments, which others on the machine may see. For credentials that exist, only the given secrets change.',
    'They are encrypted under `CREDENTIALS_KEY`: on the database, run it with the settings of the server.',
  ],
  arguments: { rail: required(choice('rail', ...rails), 'Name of the rail.') },
  options: {
    file: withDefault(file('credentials.json'), '-', 'The file to read; `-` is standard input.'),
    ...placeOptions,
  },
  json: objectOf(railCredentialsKeys, 'rail_credentials'),
  examples: [
    ['opentill credentials set stripe --account 2', 'Cards of account 2 in test mode, from standard input'],
    ['opentill credentials set stripe --account 2 --live --file stripe.json', 'Cards in live mode'],
    [
      'opentill credentials set stripe --file stripe.json --url https://pay.example',
      'Cards of the account and mode of `OPENTILL_API_KEY`',
    ],
  ],
  async run({ rail, file, account, live }, { credentials, output }) {
    const shown = await credentials.set({ account, live }, rail, file);
    output.record(shown, lineOf(shown));
  },
});
