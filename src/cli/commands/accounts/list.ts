import { databaseCommand } from '../../declare/access.ts';
import { listOf } from '../../declare/json.ts';

export const command = databaseCommand({
  purpose: 'List the accounts.',
  json: listOf({ number: 'Number of the account.', name: 'The name that payers see.' }),
  examples: [['opentill accounts list', 'Every account with its number']],
  async run(_input, { store, output }) {
    for (const { number, name } of await store.accounts.list())
      output.record({ number, name }, `${number}  ${name}`);
  },
});
