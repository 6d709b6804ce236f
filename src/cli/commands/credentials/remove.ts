import { required } from '../../declare/parameter.ts';
import { nonEmpty } from '../../declare/values.ts';
import { placeOptions } from '../../place.ts';
import { printable } from '../../printable.ts';
import { credentialsCommand } from '../../rail-credentials/command.ts';

export const command = credentialsCommand({
  purpose: 'Remove the credentials that an account has of its own at a rail.',
  details: [
    'The account can no longer be paid by the rail, unless the settings have credentials for it. Nobody is asked any more about payments and refunds that are under way.',
  ],
  arguments: { rail: required(nonEmpty('rail', 'the name of a rail'), 'Name of the rail: `stripe`.') },
  options: placeOptions,
  examples: [['opentill credentials remove stripe --account 2', 'Account 2 no longer has keys of its own']],
  async run({ rail, account, live }, { credentials, output }) {
    await credentials.remove({ account, live }, rail);
    output.line(`the credentials for ${printable(rail)} are removed`);
  },
});
