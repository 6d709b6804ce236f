/** What the commands on whole databases are given. */
import { parseArgs } from 'node:util';
import { type DatabaseUrl, databaseUrl, readConfig } from '../../config.ts';
import { parsed, UsageError } from '../usage-error.ts';

/** The words of a command, and the database that `--database` or DATABASE_URL names. */
export function wordsAndDatabase(args: readonly string[]): {
  readonly words: readonly string[];
  readonly database: DatabaseUrl;
} {
  const { values, positionals } = parsed(() =>
    parseArgs({ args: [...args], options: { database: { type: 'string' } }, allowPositionals: true }),
  );
  return {
    words: positionals,
    database:
      values.database === undefined
        ? readConfig(process.env).DATABASE_URL
        : databaseOf('--database', values.database),
  };
}

export function databaseOf(option: string, text: string): DatabaseUrl {
  try {
    return databaseUrl(text.trim());
  } catch (error) {
    throw new UsageError(`${option} ${(error as Error).message}`);
  }
}

/** For a command that takes one file. */
export function fileAndDatabase(command: string, args: readonly string[]) {
  const { words, database } = wordsAndDatabase(args);
  const [file, ...others] = words;
  if (file === undefined || file === '' || others.length > 0) {
    throw new UsageError(`${command} takes the name of one file`);
  }
  return { file, database };
}
