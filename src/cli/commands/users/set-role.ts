import { roleNames } from '../../../users/roles.ts';
import { objectOf } from '../../declare/json.ts';
import { required } from '../../declare/parameter.ts';
import { choice, idOf } from '../../declare/values.ts';
import { membersCommand } from '../../members/command.ts';
import { lineOf, memberKeys } from '../../members/members.ts';
import { placeOptions } from '../../place.ts';

export const command = membersCommand({
  purpose: 'Change the role of a user on an account.',
  details: ['The last owner stays one. At a server it takes a key of live mode.'],
  arguments: {
    user: required(idOf('usr', 'a user'), 'The user, `usr_…`.'),
    role: required(choice('role', ...roleNames), 'The new role.'),
  },
  options: { account: placeOptions.account },
  json: objectOf(memberKeys, 'member'),
  examples: [
    ['opentill users set-role usr_01k9zq4tn30000x5r7m2c9w1he finance', 'On the first account, from now on'],
  ],
  async run({ user, role, account }, { members, output }) {
    const member = await members.setRole(account, user, role);
    output.record(member, lineOf(member));
  },
});
