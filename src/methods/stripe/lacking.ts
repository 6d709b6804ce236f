/**
 * All that a key lacks, once Stripe has refused it a call. Stripe names the permission of that call alone: whoever grants
 * it would be told of the next one later. It is asked for in the background, so that nobody waits for it.
 */
import type { Tenant } from '../../checkout/tenant.ts';
import { createLately } from './lately.ts';
import { type PermissionOptions, permissionsOf } from './permissions.ts';

/** Alert that is about a key, and no payment. */
export type KeyAlert = (text: string, about: { readonly [name: string]: string }) => void;

/** `call` is the kind of the call that was refused. */
export type FindLacking = (tenant: Tenant, key: string, call: string) => void;

export function createFindLacking(options: PermissionOptions, onAlert: KeyAlert): FindLacking {
  /** One key at a time: another one is asked for at its next refusal. */
  let isAsking = false;
  const asked = createLately();
  const told = createLately();

  async function find({ account, mode }: Tenant, key: string, call: string): Promise<void> {
    const { lacked, unanswered } = await permissionsOf(key, options);
    if (unanswered.length === 0) asked.add([account, mode, key, call]);
    if (lacked.length === 0 || !told.isNews([account, mode, key, ...lacked])) return;
    const text = `the key of account ${account} in ${mode} mode lacks at Stripe: ${lacked.join(', ')}`;
    onAlert(text, { account: String(account), mode });
  }

  return (tenant, key, call) => {
    if (isAsking || asked.has([tenant.account, tenant.mode, key, call])) return;
    isAsking = true;
    void find(tenant, key, call).finally(() => {
      isAsking = false;
    });
  };
}
