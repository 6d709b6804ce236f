/** Credentials of an account at a rail, as commands show them. */

import type { representRailCredentials } from '../accounts/representation.ts';
import { readSetting } from '../config/read.ts';
import { createVault, type Vault } from '../methods/credentials.ts';

export const railCredentialsKeys = {
  id: 'Name of the rail.',
  hints: 'The last four characters of each secret; empty for a short one.',
  set_at: 'Time of the last change, in ISO 8601.',
  set_by: 'Id of the API key that made it, or `operator`.',
  encryption_key: '`current`, `previous`, or `unknown` if they cannot be read.',
  events_url: 'Address for the webhooks of the provider.',
} as const;

/** The vault of the settings, which are those of the server. */
export function vaultOf(env: NodeJS.ProcessEnv): Vault {
  return createVault(readSetting('CREDENTIALS_KEY', env), readSetting('CREDENTIALS_KEY_PREVIOUS', env));
}

/** The settings that the representation of credentials needs, which are those of the server. */
export function surroundingsOf(env: NodeJS.ProcessEnv) {
  return { vault: vaultOf(env), publicUrl: readSetting('PUBLIC_URL', env) };
}

export function lineOf(shown: ReturnType<typeof representRailCredentials>): string {
  const { id, hints, set_at, set_by, encryption_key } = shown;
  const ends = Object.entries(hints).map(([field, hint]) => `${field}=…${hint}`);
  const key = encryption_key === 'current' ? [] : [`key:${encryption_key}`];
  return [id, ...ends, set_at, set_by, ...key].join('  ');
}
