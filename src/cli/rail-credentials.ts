/** Credentials of an account at a rail, as commands show them. */

import type { Tenant } from '../checkout/tenant.ts';
import { readSetting } from '../config/read.ts';
import { createVault, type SealedCredentials, type Vault } from '../methods/credentials.ts';

export const railCredentialsKeys = {
  rail: 'Name of the rail.',
  hints: 'The last four characters of each secret; empty for a short one.',
  set_at: 'Time of the last change, in ISO 8601.',
  set_by: 'Id of the API key that made it, or `operator`.',
  encryption_key: '`current`, `previous`, or `unknown` if they cannot be read.',
} as const;

/** The vault of the settings, which are those of the server. */
export function vaultOf(env: NodeJS.ProcessEnv): Vault {
  return createVault(readSetting('CREDENTIALS_KEY', env), readSetting('CREDENTIALS_KEY_PREVIOUS', env));
}

export function recordOf(tenant: Tenant, rail: string, credentials: SealedCredentials, vault: Vault) {
  const { secrets, setAt, setBy } = credentials;
  return {
    rail,
    hints: Object.fromEntries(Object.entries(secrets).map(([field, { hint }]) => [field, hint])),
    set_at: new Date(setAt).toISOString(),
    set_by: setBy,
    encryption_key: vault.keyOf(credentials, { tenant, rail }),
  };
}

export function lineOf({ rail, hints, set_at, set_by, encryption_key }: ReturnType<typeof recordOf>): string {
  const shown = Object.entries(hints).map(([field, hint]) => `${field}=…${hint}`);
  const key = encryption_key === 'current' ? [] : [`key:${encryption_key}`];
  return [rail, ...shown, set_at, set_by, ...key].join('  ');
}
