/** Declares a command that works with receiving accounts, in the database or at a server. */
import { eitherCommand } from '../declare/access.ts';
import { receivingAccountsAtServer } from './at-server.ts';
import { receivingAccountsInDatabase } from './in-database.ts';
import type { ReceivingAccounts } from './receiving-accounts.ts';

export const receivingAccountsCommand = eitherCommand('manage', {
  onDatabase: (database): { readonly accounts: ReceivingAccounts } => ({
    accounts: receivingAccountsInDatabase(database),
  }),
  atServer: (client) => ({ accounts: receivingAccountsAtServer(client) }),
});
