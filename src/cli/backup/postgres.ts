/** PostgreSQL brings its own tools to copy a database, and they do it best: these say which. */
import { UnusableDatabase } from '../../store/errors.ts';
import { nameOf } from '../../store/postgres/unusable.ts';

export function useDump(url: string, file: string): UnusableDatabase {
  return insteadUse(`pg_dump --format=custom --file=${file} postgres://${nameOf(url)}`);
}

export function useRestore(url: string, file: string): UnusableDatabase {
  const options = '--no-owner --exit-on-error --single-transaction';
  return insteadUse(`pg_restore ${options} --dbname=postgres://${nameOf(url)} ${file}`);
}

function insteadUse(command: string): UnusableDatabase {
  return new UnusableDatabase(
    `PostgreSQL has its own tools for this: ${command} (see the guide on PostgreSQL)`,
  );
}
