/** Changes of API keys on the command line, by the same rules as over the API. */
import { tenantNow } from '../accounts/account.ts';
import type { ApiKeyCommand } from '../accounts/key-changes.ts';
import { isRefusal } from '../checkout/refusals.ts';
import type { Tenant } from '../checkout/tenant.ts';
import { ownOrigin, type Value } from '../writer/command.ts';
import { Failure } from './failure.ts';
import type { Database } from './with-store.ts';

type Changed = { readonly isChanged: boolean } & Value<'api_key'>;

export async function changeApiKey(
  { store, execute }: Database,
  tenant: Tenant,
  id: string,
  command: ApiKeyCommand,
): Promise<Changed> {
  const now = tenantNow(await store.accounts.fetch(tenant.account), tenant.mode, Date.now());
  const origin = ownOrigin(tenant, 'operator');
  const { result } = await execute({ subject: 'api_key', origin, id, command, now });
  if (isRefusal(result)) throw new Failure(result.detail);
  if (result.kind === 'replay') throw new Error('a command without an idempotency key has no repetition');
  return { isChanged: result.kind === 'change', ...result.value };
}
