import { meaningOf, roleNames } from '../../../users/roles.ts';
import { objectOf } from '../../declare/json.ts';
import { flag, required, withDefault } from '../../declare/parameter.ts';
import { choice, emailAddress, userName } from '../../declare/values.ts';
import { linkVariables, membersCommand } from '../../members/command.ts';
import { linesOfLink, withLinkKeys } from '../../members/members.ts';
import { placeOptions } from '../../place.ts';

export const command = membersCommand({
  purpose: 'Invite somebody to an account; the link is shown once.',
  details: [
    `${roleNames.map((role) => `\`${role}\` may ${meaningOf(role)}`).join('; ')}.`,
    'Whoever signs in already, for another account, opens the link signed in and joins, behind a proof of who they are.',
    'The link leads to `PUBLIC_URL`: on the database, run it with the settings of the server. At a server it takes a key of live mode.',
  ],
  arguments: { role: required(choice('role', ...roleNames), 'Role on the account.') },
  options: {
    account: placeOptions.account,
    email: withDefault(
      emailAddress,
      '',
      'E-mail address by which they will sign in; they can choose another one.',
    ),
    name: withDefault(userName, '', 'Their name.'),
    operator: flag('Make them an operator of the installation as well; on the database alone.'),
  },
  variables: linkVariables,
  json: objectOf(withLinkKeys, 'member'),
  examples: [
    ['opentill users invite owner', 'Another owner of the first account'],
    [
      'opentill users invite support --email ada@example.com --account 2',
      'Somebody who helps payers of account 2',
    ],
    [
      'opentill users invite finance --url https://pay.example',
      'Somebody for the account of `OPENTILL_API_KEY`',
    ],
  ],
  async run({ role, account, email, name, operator }, { members, output }) {
    const isOperator = operator || undefined;
    const member = await members.invite(account, { role, name, email, isOperator });
    output.record(member, linesOfLink(member));
  },
});
