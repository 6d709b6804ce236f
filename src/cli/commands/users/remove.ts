import { required } from '../../declare/parameter.ts';
import { idOf } from '../../declare/values.ts';
import { membersCommand } from '../../members/command.ts';
import { placeOptions } from '../../place.ts';

export const command = membersCommand({
  purpose: 'Take the role of a user on an account.',
  details: [
    'A user without a role on any account is deleted, and signed out at once, unless they operate the installation: `opentill users set-operator --off` takes that. The last owner stays. At a server it takes a key of live mode.',
  ],
  arguments: { user: required(idOf('usr', 'a user'), 'The user, `usr_…`.') },
  options: { account: placeOptions.account },
  examples: [['opentill users remove usr_01k9zq4tn30000x5r7m2c9w1he --account 2', 'No longer on account 2']],
  async run({ user, account }, { members, output }) {
    const { isOperator } = await members.remove(account, user);
    output.line(`${user} has no role on the account any more`);
    if (isOperator)
      output.line(
        `${user} is still an operator of the installation; opentill users set-operator ${user} --off takes that`,
      );
  },
});
