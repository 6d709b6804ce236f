import { listOf } from '../../declare/json.ts';
import { membersCommand } from '../../members/command.ts';
import { lineOf, memberKeys } from '../../members/members.ts';
import { placeOptions } from '../../place.ts';

export const command = membersCommand({
  purpose: 'List the users who have a role on an account.',
  details: ['Those who were invited last come first.'],
  options: { account: placeOptions.account },
  json: listOf(memberKeys, 'member'),
  examples: [
    ['opentill users list', 'Those of the first account'],
    ['opentill users list --account 2', 'Those of account 2'],
    ['opentill users list --url https://pay.example', 'Those of the account of `OPENTILL_API_KEY`'],
  ],
  async run({ account }, { members, output }) {
    let isEmpty = true;
    for await (const member of members.list(account)) {
      output.record(member, lineOf(member));
      isEmpty = false;
    }
    if (isEmpty) output.remark('there are no users; opentill users invite owner invites one');
  },
});
