/**
 * Public representation of what an account has: API keys, secrets that sign webhooks, receiving accounts, credentials at
 * rails, settings, its logo, its log of changes. The API answers with it, and commands print it with `--json`. Pure.
 */
import { timestamp } from '../checkout/representation.ts';
import type { Mode, TenantTime } from '../checkout/tenant.ts';
import { methodsOf, type ReceivingAccount } from '../methods/bank/receiving-account.ts';
import { serializeReceivingAccount } from '../methods/bank/receiving-account-schema.ts';
import { eventPath, type Place, type SealedCredentials, type Vault } from '../methods/credentials.ts';
import type { Account } from './account.ts';
import type { SecretFate } from './account-changes.ts';
import type { ApiKey } from './api-key.ts';
import type { AuditEntry } from './audit.ts';
import type { KeyCounts } from './key-changes.ts';
import { type Logo, logoBytes, logoFacts } from './logo.ts';
import { serializeSettings } from './settings-json.ts';

const timestampOrNull = (ms: number | null) => (ms === null ? null : timestamp(ms));

export function representAccount({
  number,
  createdAt,
  name,
}: Pick<Account, 'number' | 'createdAt' | 'name'>) {
  return { id: String(number), object: 'account', created_at: timestamp(createdAt), name };
}

/**
 * An account that was just made, with its first owner, and with what is shown only now: null in an answer that is kept for
 * a repetition. The owner has no link where it is a user who signs in already.
 */
export function representNewAccount(
  account: Account,
  owner: string,
  shown: { readonly ownerUrl: string | null; readonly webhookSecrets: Account['webhookSecrets'] } | null,
) {
  const { test, live } = shown?.webhookSecrets ?? { test: null, live: null };
  return {
    ...representAccount(account),
    owner,
    owner_url: shown?.ownerUrl ?? null,
    webhook_secrets: { test, live },
  };
}

/** The key without its secret, of which there is only a hash. `caller` is the key of the request, or `operator`. */
export function representApiKey({ id, createdAt, name, permissions, revokedAt }: ApiKey, caller: string) {
  return {
    id,
    object: 'api_key',
    created_at: timestamp(createdAt),
    name,
    permissions,
    status: revokedAt === null ? 'active' : 'revoked',
    revoked_at: timestampOrNull(revokedAt),
    is_caller: id === caller,
  };
}

/** A new key with its secret, which is shown only now: null in an answer that is kept for a repetition. */
export function representNewApiKey(key: ApiKey, secret: string | null, caller: string) {
  return { ...representApiKey(key, caller), secret };
}

/** `counts` are those after the revocation. */
export function representRevokedApiKey(key: ApiKey, counts: KeyCounts, caller: string) {
  return { ...representApiKey(key, caller), remaining_manage_keys: counts.managing };
}

/** A new secret, which only the answer to the request that makes it shows, and what becomes of those before it. */
export function representSecretFate({ secret, previousUntil, droppedUntil }: SecretFate) {
  return {
    object: 'webhook_secret',
    secret,
    previous_secret_expires_at: timestampOrNull(previousUntil),
    dropped_secret_expires_at: timestampOrNull(droppedUntil),
  };
}

/** The secret as anybody may see it: it is not shown again, and the one before only tells until when it signs too. */
export function representWebhookSecret(
  { previousWebhookSecrets }: Pick<Account, 'previousWebhookSecrets'>,
  { mode, now }: { readonly mode: Mode; readonly now: TenantTime },
) {
  const until = previousWebhookSecrets[mode]?.until ?? now;
  return {
    object: 'webhook_secret',
    previous_secret_expires_at: timestampOrNull(until > now ? until : null),
  };
}

/** The account with all of its fields, in one order, and the payment methods that it makes possible. */
export function representReceivingAccount(account: ReceivingAccount) {
  const { id, currency, holder, ...identifiers } = serializeReceivingAccount(account);
  const { name, country, ...address } = holder;
  return {
    id,
    object: 'receiving_account',
    currency,
    holder: { name, ...address, country },
    ...identifiers,
    methods: methodsOf(account),
  };
}

/** Credentials as they are told of. The secrets themselves are never shown again. */
export function representRailCredentials(
  place: Place,
  credentials: SealedCredentials,
  { vault, publicUrl }: { readonly vault: Vault; readonly publicUrl: string },
) {
  const { tenant, rail } = place;
  const { secrets, setAt, setBy } = credentials;
  return {
    id: rail,
    object: 'rail_credentials',
    hints: Object.fromEntries(Object.entries(secrets).map(([field, { hint }]) => [field, hint])),
    set_at: timestamp(setAt),
    set_by: setBy,
    encryption_key: vault.keyOf(credentials, place),
    events_url: `${publicUrl}${eventPath(rail, tenant)}`,
  };
}

/** The settings but for receiving accounts, which are resources of their own. */
export function representSettings({ name, settings }: Pick<Account, 'name' | 'settings'>, mode: Mode) {
  const { policy, business, branding, csv_mappings, compatibility, webhook_url_events } = serializeSettings(
    settings[mode],
  );
  return {
    object: 'account_settings',
    name,
    policy,
    business,
    branding,
    csv_mappings,
    compatibility,
    webhook_url_events,
  };
}

export function representLogo(logo: Logo) {
  const { type, width, height } = logoFacts(logo.name);
  return { object: 'logo', media_type: type, width, height, bytes: logoBytes(logo).length };
}

export function representAuditEntry({ id, at, actor, action, subject, version, requestId }: AuditEntry) {
  return {
    id,
    object: 'audit_entry',
    created_at: timestamp(at),
    actor,
    action,
    subject,
    version,
    request_id: requestId,
  };
}
