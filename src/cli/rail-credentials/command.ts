/** Declares a command that works with credentials at rails, in the database or at a server. */
import { eitherCommand } from '../declare/access.ts';
import { credentialsAtServer } from './at-server.ts';
import { credentialsInDatabase } from './in-database.ts';
import type { RailCredentials } from './rail-credentials.ts';

export const credentialsCommand = eitherCommand('manage', {
  onDatabase: (database): { readonly credentials: RailCredentials } => ({
    credentials: credentialsInDatabase(database, process.env),
  }),
  atServer: (client) => ({ credentials: credentialsAtServer(client) }),
});
