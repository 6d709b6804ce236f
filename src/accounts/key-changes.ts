/** Rules of changing API keys, for the API and the command line alike. Pure. */
import { type Refusal, refuse } from '../checkout/refusals.ts';
import type { RealTime } from '../lib/time.ts';
import type { ApiKey } from './api-key.ts';

export type ApiKeyCommand =
  | { readonly type: 'create_api_key'; readonly key: ApiKey }
  | { readonly type: 'revoke_api_key'; readonly at: RealTime };

/** Number of keys of an account and mode that are not revoked, and of those among them that may manage. */
export type KeyCounts = { readonly active: number; readonly managing: number };

export type ApiKeyDecision = {
  readonly kind: 'created' | 'revoked' | 'unchanged';
  readonly key: ApiKey;
  /** Counts after the change. */
  readonly counts: KeyCounts;
};

/** Maximum number of active keys of an account and mode: each is one more that can leak. */
export const MAX_API_KEYS = 100;

export const NO_SUCH_KEY = 'There is no such API key.';

/** `known` is the key to revoke, if the account and mode have it. */
export function decideApiKey(
  known: ApiKey | null,
  counts: KeyCounts,
  command: ApiKeyCommand,
): ApiKeyDecision | Refusal {
  if (command.type === 'create_api_key') {
    const { tenant, permissions } = command.key;
    if (tenant.mode === 'test' && permissions.includes('accounts')) return ofLiveMode;
    if (counts.active >= MAX_API_KEYS) {
      return refuse('too_many_api_keys', `There are ${MAX_API_KEYS} active API keys already.`);
    }
    return { kind: 'created', key: command.key, counts: countedWith(counts, command.key, 1) };
  }
  if (known === null) return refuse('not_found', NO_SUCH_KEY);
  if (known.revokedAt !== null) return { kind: 'unchanged', key: known, counts };
  const key = { ...known, revokedAt: command.at };
  return { kind: 'revoked', key, counts: countedWith(counts, known, -1) };
}

const ofLiveMode = refuse('field_invalid', 'The permission accounts is for keys of live mode.', [
  { pointer: '/permissions', detail: 'have accounts, which is for keys of live mode' },
]);

/** The counts with one key more or less. */
export function countedWith({ active, managing }: KeyCounts, { permissions }: ApiKey, by: 1 | -1): KeyCounts {
  return { active: active + by, managing: managing + (permissions.includes('manage') ? by : 0) };
}
