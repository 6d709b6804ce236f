import { parseArgs } from 'node:util';
import { allPermissions, createApiKey, type Permission } from '../accounts/api-key.ts';
import type { Store } from '../store/store.ts';
import { actionOf, parsed, takesNothing, UsageError } from './usage-error.ts';
import { withStore } from './with-store.ts';

/** `keys create|list|revoke`: works on the database, beside a server that runs. */
export async function keys(args: readonly string[]): Promise<void> {
  const [action, ...rest] = args;
  const run = actionOf('keys', { create, list, revoke }, action);
  await withStore((store) => run(store, rest));
}

async function create(store: Store, args: readonly string[]): Promise<void> {
  const { values } = parsed(() =>
    parseArgs({
      args: [...args],
      options: {
        account: { type: 'string', default: '1' },
        live: { type: 'boolean', default: false },
        permissions: { type: 'string', default: allPermissions.join(',') },
        name: { type: 'string', default: '' },
      },
    }),
  );
  const account = await store.accounts.fetch(Number(values.account));
  if (!account)
    throw new UsageError(
      `there is no account ${values.account}; opentill accounts list shows which there are`,
    );
  const permissions = values.permissions.split(',').map((each) => each.trim());
  const unknown = permissions.filter((each) => !allPermissions.includes(each as Permission));
  if (unknown.length > 0)
    throw new UsageError(`unknown permission ${unknown.join(', ')}; there are ${allPermissions.join(', ')}`);
  const mode = values.live ? 'live' : 'test';
  const { id, secret } = await createApiKey(store, {
    tenant: { account: account.number, mode },
    permissions: permissions as Permission[],
    name: values.name,
    nowMs: Date.now(),
  });
  console.log(`API key         ${id}`);
  console.log(`API secret      ${secret}`);
  console.log(`Webhook secret  ${account.webhookSecrets[mode]}`);
  console.log('The API secret is not kept and cannot be shown again.');
}

async function list(store: Store, args: readonly string[]): Promise<void> {
  takesNothing('keys list', args);
  for (const key of await store.apiKeys.list()) {
    const state = key.revokedAt === null ? 'active' : `revoked ${new Date(key.revokedAt).toISOString()}`;
    const columns = [
      key.id,
      `account ${key.tenant.account}`,
      key.permissions.join(','),
      key.name || '-',
      state,
    ];
    console.log(columns.join('  '));
  }
}

async function revoke(store: Store, args: readonly string[]): Promise<void> {
  const [id] = args;
  if (id === undefined) throw new UsageError('keys revoke takes the id of the key, ak_…');
  if (!(await store.apiKeys.revoke(id, Date.now()))) throw new UsageError(`there is no active key ${id}`);
  console.log(`${id} is revoked`);
}
