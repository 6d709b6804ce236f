import { objectOf } from '../../declare/json.ts';
import { required } from '../../declare/parameter.ts';
import { idOf } from '../../declare/values.ts';
import { linkVariables, membersCommand } from '../../members/command.ts';
import { linesOfLink, withLinkKeys } from '../../members/members.ts';

export const command = membersCommand({
  purpose: 'Make a new link for a user who cannot sign in; it is shown once.',
  details: [
    'Whoever opens it chooses a new password, has no second factor, no passkeys and no account of a provider afterwards, and is signed out everywhere else. Until then the password stays as it is.',
    'On the database it works for any user. At a server it takes a key of live mode, and the user must have no role on another account and be no operator.',
  ],
  arguments: { user: required(idOf('usr', 'a user'), 'The user, `usr_…`.') },
  variables: linkVariables,
  json: objectOf(withLinkKeys, 'member'),
  examples: [['opentill users reset usr_01k9zq4tn30000x5r7m2c9w1he', 'A link that is good for three days']],
  async run({ user }, { members, output }) {
    const member = await members.reset(user);
    output.record(member, linesOfLink(member));
  },
});
