import { databaseCommand } from '../../declare/access.ts';
import { objectOf } from '../../declare/json.ts';
import { flag, required } from '../../declare/parameter.ts';
import { idOf } from '../../declare/values.ts';
import { changeUser } from '../../members/in-database.ts';
import { operatorKeys, shownOperator } from '../../members/operators.ts';

export const command = databaseCommand({
  purpose: 'Make a user an operator of the installation, or an operator none.',
  details: [
    'Operators create and rename accounts in the dashboard, and see the log of the installation. On accounts they have their roles and no more. Nobody becomes one over the API.',
    'A link that they have not used ends when they become one; `opentill users reset` makes a new one.',
    'There may be no operator: this command makes the next one. A user who has no role on any account is deleted with `--off`.',
  ],
  arguments: { user: required(idOf('usr', 'a user'), 'The user, `usr_…`.') },
  options: { off: flag('They are an operator no longer.') },
  json: objectOf(operatorKeys),
  examples: [
    ['opentill users set-operator usr_01k9zq4tn30000x5r7m2c9w1he', 'An operator from now on'],
    ['opentill users set-operator usr_01k9zq4tn30000x5r7m2c9w1he --off', 'An operator no longer'],
  ],
  async run({ user: id, off }, { output, ...database }) {
    const user = await changeUser(database, id, { type: 'set_operator', isOperator: !off, now: Date.now() });
    const told = off ? `${user.id} is no operator` : `${user.id} is an operator of the installation`;
    output.record(shownOperator(user), told);
  },
});
