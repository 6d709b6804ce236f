/** The ways of commands to their data: none, the database, the API of a server, or either of these two. */
import type { Permission } from '../../accounts/api-key.ts';
import { BadSetting, variableText } from '../../config/read.ts';
import { messageOf } from '../../lib/error-message.ts';
import { type Client, createClient } from '../client.ts';
import type { Database } from '../with-store.ts';
import { type Access, define } from './command.ts';
import { optional, optionName, required, withDefault } from './parameter.ts';
import { type ApiKey, apiKey, serverAddress } from './values.ts';

/** A command that needs neither a database nor a server, or opens them by itself. */
export const plainCommand = define({
  kind: 'none',
  options: {},
  permissions: [],
  variables: [],
  use: (_values, _env, work) => work({}),
});

const databaseVariables = ['DATABASE_URL', 'DATABASE_COMMITS'];

/** A command that works on the database of the settings, which has to exist: beside a server, or without one. */
export const databaseCommand = define<Record<never, never>, Database>({
  kind: 'database',
  options: {},
  permissions: [],
  variables: databaseVariables,
  use: async (_values, env, work) => {
    const { withStore } = await import('../with-store.ts');
    await withStore(env, work);
  },
});

const connection = {
  url: withDefault(
    serverAddress,
    {
      text: 'http://127.0.0.1:PORT',
      from: ({ PORT }) => `http://127.0.0.1:${Number(PORT) || 3000}`,
    },
    'Address of the server.',
    { variables: ['OPENTILL_URL', 'PUBLIC_URL'] },
  ),
  key: required(apiKey, 'An API key and its secret.', {
    variables: ['OPENTILL_API_KEY', 'BOOTSTRAP_API_KEY'],
  }),
} as const;

/** Names of the options that every command through the API has. */
export const connectionOptions: readonly string[] = Object.keys(connection).map(optionName);

/** The address of the server for whoever types none. */
export function addressFrom(env: NodeJS.ProcessEnv): string {
  const { variables, read } = connection.url;
  const text = variables.map((name) => env[name]?.trim() ?? '').find((each) => each !== '');
  return read(text === undefined ? [] : [text], env);
}

/** A command that talks to a running server, with an API key that has these permissions. */
export function apiCommand(...permissions: readonly Permission[]) {
  const access: Access<typeof connection, { readonly client: Client }> = {
    kind: 'api',
    options: connection,
    permissions,
    variables: ['PORT'],
    use: ({ url, key }, _env, work) => work({ client: createClient(url, key) }),
  };
  return define(access);
}

const server = {
  url: optional(serverAddress, 'Address of a server: work through its API, not on the database.'),
} as const;

/**
 * A command on the database of the settings or, with `--url`, through the API of a server with a key that has the
 * permission. It is given the same to work with on both ways.
 */
export function eitherCommand<C extends object>(
  permission: Permission,
  { onDatabase, atServer }: { onDatabase(database: Database): C; atServer(client: Client): C },
) {
  const access: Access<typeof server, C> = {
    kind: 'either',
    options: server,
    permissions: [permission],
    variables: [...databaseVariables, 'OPENTILL_API_KEY'],
    use: async ({ url }, env, work) => {
      if (url !== undefined) return work(atServer(createClient(url, apiKeyFrom(env))));
      const { withStore } = await import('../with-store.ts');
      await withStore(env, (database) => work(onDatabase(database)));
    },
  };
  return define(access);
}

/** Read only where a server is asked: a wrong one is no reason not to revoke a key in the database. */
function apiKeyFrom(env: NodeJS.ProcessEnv): ApiKey {
  try {
    return apiKey.parse(variableText('OPENTILL_API_KEY', env), env);
  } catch (error) {
    throw error instanceof BadSetting ? error : new BadSetting(`OPENTILL_API_KEY ${messageOf(error)}`);
  }
}
