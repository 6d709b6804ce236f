/** The database of commands for whole databases. */
import { DEFAULT_DATABASE_URL } from '../config/settings.ts';
import { withDefault } from './declare/parameter.ts';
import { database } from './declare/values.ts';

export const databaseOption = withDefault(
  database,
  DEFAULT_DATABASE_URL,
  'The database: `sqlite:<path>` or `postgres://…`.',
  { variables: ['DATABASE_URL'] },
);
