import { accountKeys } from '../../accounts/accounts.ts';
import { accountsCommand } from '../../accounts/command.ts';
import { listOf } from '../../declare/json.ts';
import { printable } from '../../printable.ts';

export const command = accountsCommand({
  purpose: 'List the accounts, the newest first.',
  details: ['At a server it takes a key of live mode with the permission `accounts`.'],
  json: listOf(accountKeys, 'account'),
  examples: [['opentill accounts list', 'Every account with its number']],
  async run(_input, { accounts, output }) {
    for await (const account of accounts.list())
      output.record(account, `${account.id}  ${printable(account.name)}`);
  },
});
