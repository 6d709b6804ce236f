/** Declares a command that works with API keys, in the database or at a server. */
import { eitherCommand } from '../declare/access.ts';
import type { ApiKeys } from './api-keys.ts';
import { keysAtServer } from './at-server.ts';
import { keysInDatabase } from './in-database.ts';

export const keysCommand = eitherCommand('manage', {
  onDatabase: (database): { readonly keys: ApiKeys } => ({ keys: keysInDatabase(database) }),
  atServer: (client) => ({ keys: keysAtServer(client) }),
});
