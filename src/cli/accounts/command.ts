/** Declares a command that works with the accounts of the installation, in the database or at a server. */
import { readSetting } from '../../config/read.ts';
import { eitherCommand } from '../declare/access.ts';
import type { Accounts } from './accounts.ts';
import { accountsAtServer } from './at-server.ts';
import { accountsInDatabase } from './in-database.ts';

export const accountsCommand = eitherCommand('accounts', {
  onDatabase: (database): { readonly accounts: Accounts } => ({
    accounts: accountsInDatabase(database, () => readSetting('PUBLIC_URL', process.env)),
  }),
  atServer: (client) => ({ accounts: accountsAtServer(client) }),
});
