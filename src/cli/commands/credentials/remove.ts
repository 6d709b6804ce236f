import { accountOption, changeAccount, liveOption, modeOf } from '../../account.ts';
import { databaseCommand } from '../../declare/access.ts';
import { required } from '../../declare/parameter.ts';
import { nonEmpty } from '../../declare/values.ts';
import { Failure } from '../../failure.ts';
import { printable } from '../../printable.ts';

export const command = databaseCommand({
  purpose: 'Remove the credentials that an account has of its own at a rail.',
  details: [
    'The account can no longer be paid by the rail, unless the settings have credentials for it. Nobody is asked any more about payments and refunds that are under way.',
  ],
  arguments: { rail: required(nonEmpty('rail', 'the name of a rail'), 'Name of the rail: `stripe`.') },
  options: { account: accountOption, live: liveOption },
  examples: [['opentill credentials remove stripe --account 2', 'Account 2 no longer has keys of its own']],
  async run({ rail, account, live }, { output, ...database }) {
    const tenant = { account, mode: modeOf(live) };
    const unknown = `account ${account} has no credentials for ${printable(rail)}; opentill credentials list shows them`;
    await changeAccount(
      database,
      tenant,
      { type: 'remove_rail_credentials', rail },
      () => new Failure(unknown),
    );
    output.line(`the credentials for ${printable(rail)} are removed`);
  },
});
