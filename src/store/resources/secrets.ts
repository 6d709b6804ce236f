/** Secrets of the installation that its processes share, and nobody is shown. */
import { installation } from '../../users/user.ts';
import { raw, type Sql, sql } from '../sql.ts';
import { rowsOf, type Steps } from '../steps.ts';
import { columnsIn, type Row } from '../tables.ts';
import { one, owned, type Read } from './read.ts';

type Secret = Row<'installation_secret'>;

const named = (name: string): Sql =>
  sql`SELECT ${raw(columnsIn('installation_secret'))} FROM installation_secret
      WHERE ${owned(installation)} AND name = ${name}`;

export const secrets = {
  fetch: (name: string): Read<string | null> => one(named(name), ({ value }: Secret) => value),
};

/** Gives the secret of that name. The candidate becomes it where there is none; of several processes the first has its way. */
export function* keepSecret(name: string, candidate: string): Steps<string> {
  const { account, mode } = installation;
  yield sql`INSERT INTO installation_secret (account, live, name, value)
    VALUES (${account}, ${mode === 'live'}, ${name}, ${candidate}) ON CONFLICT DO NOTHING`;
  const [found] = yield* rowsOf<Secret>(named(name));
  if (found === undefined) throw new Error(`the secret ${name} was not kept`);
  return found.value;
}
