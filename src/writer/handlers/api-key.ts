/** Commands about an API key. */
import { decideApiKey } from '../../accounts/key-changes.ts';
import { isRefusal, type Refusal } from '../../checkout/refusals.ts';
import type { Loaded, Needs } from '../../store/store.ts';
import { auditOf, type ChangeApiKey, type Decided, type Value } from '../command.ts';

export function apiKeyNeeds({ origin: { tenant }, id }: ChangeApiKey): Needs {
  return { tenant, apiKeys: [id], keyCounts: ['all'] };
}

export function decideOnApiKey(
  { origin, id, command, now }: ChangeApiKey,
  loaded: Loaded,
): Decided<Value<'api_key'>> | Refusal {
  const counts = loaded.keyCounts.get('all');
  if (counts === undefined) throw new Error('the API keys were not counted');
  const decision = decideApiKey(loaded.apiKeys.get(id) ?? null, counts, command);
  if (isRefusal(decision)) return decision;
  const { kind, ...value } = decision;
  if (kind === 'unchanged') return { value, writes: [] };
  const audit = auditOf(origin, id, 0, now, command.type);
  const { key } = value;
  return { value, writes: [kind === 'created' ? { newApiKey: key, audit } : { revokedApiKey: key, audit }] };
}
