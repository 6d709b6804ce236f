/** Declares a command that works with members of an account, in the database or at a server. */
import { readSetting } from '../../config/read.ts';
import { eitherCommand } from '../declare/access.ts';
import { membersAtServer } from './at-server.ts';
import { membersInDatabase } from './in-database.ts';
import type { Members } from './members.ts';

export const membersCommand = eitherCommand('manage', {
  onDatabase: (database): { readonly members: Members } => ({
    members: membersInDatabase(database, () => readSetting('PUBLIC_URL', process.env)),
  }),
  atServer: (client) => ({ members: membersAtServer(client) }),
});

/** For commands that print a link. */
export const linkVariables = ['PUBLIC_URL'];
