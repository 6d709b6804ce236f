/** Declares a command that works with the settings of an account, in the database or at a server. */
import { eitherCommand } from '../declare/access.ts';
import type { Settings } from './account-settings.ts';
import { settingsAtServer } from './at-server.ts';
import { settingsInDatabase } from './in-database.ts';

export const settingsCommand = eitherCommand('manage', {
  onDatabase: (database): { readonly settings: Settings } => ({ settings: settingsInDatabase(database) }),
  atServer: (client) => ({ settings: settingsAtServer(client) }),
});
