/** Authentication: an API key in HTTP Basic (key as user name, secret as password) or its secret as a bearer token. */
import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type ApiKey, hashSecret } from '../accounts/api-key.ts';
import { type Compatibility, defaultSettings } from '../accounts/settings.ts';
import type { Tenant } from '../checkout/tenant.ts';
import { createBeside } from '../lib/beside.ts';
import { createLru } from '../lib/lru.ts';
import type { Store } from '../store/store.ts';
import type { Rights } from '../users/roles.ts';
import { RequestError } from './errors.ts';

/** The end of a request that never leaves the process. */
export type InProcess = {
  /** Takes the body of an answer that is there as bytes, in place of what is written. */
  take(bytes: readonly Uint8Array[]): void;
};

export type Principal = Rights & {
  /** Id of the API key, or of the user who is signed in. */
  readonly keyId: string;
  readonly tenant: Tenant;
  /** Compatibility of the account and mode: how the border reads and answers. */
  readonly compatibility: Compatibility;
  /** Set where the service asks itself, on behalf of the user. */
  readonly inProcess?: InProcess;
};

/** A request, as far as its caller is concerned. */
export type Credentials = { readonly headers: Pick<IncomingMessage['headers'], 'authorization'> };

/** A caller, and the version of the directory before they were looked up: what has changed behind it may be unknown to them. */
type Remembered = { readonly principal: Principal; readonly since: number };

/** Limit of remembered headers: one for each key in use, as long as it is spelt in one way. */
const MAX_REMEMBERED = 10_000;

const challenge = { 'www-authenticate': 'Basic realm="opentill", charset="UTF-8", Bearer realm="opentill"' };

export type Authenticator = ReturnType<typeof createAuthenticator>;

/** `ownAsker` gives whoever a request is made for that the service makes to itself. */
export function createAuthenticator(
  store: Store,
  {
    most = MAX_REMEMBERED,
    ownAsker,
  }: { readonly most?: number; readonly ownAsker?: (authorization: string) => Principal | undefined } = {},
) {
  // Keyed by the hash of the whole header: no secret stays in memory, and the time of a look-up reveals nothing. A key that
  // comes in ever new spellings pushes out only what is used less often.
  const remembered = createLru<string, Remembered>({ most });
  // Hashes of headers by their requests: those that wait for a turn are asked about twice.
  const hashes = createBeside<Credentials, string>('hash of the header');

  function hashOf(request: Credentials, header: string): string {
    const known = hashes.get(request);
    if (known !== undefined) return known;
    const made = hash('sha256', header, 'base64');
    hashes.set(request, made);
    return made;
  }

  /** The caller if the header was verified before, and neither the account nor its keys have changed since; else undefined. */
  function recall(request: Credentials): Principal | undefined {
    const { authorization } = request.headers;
    if (authorization === undefined) return undefined;
    const known = remembered.get(hashOf(request, authorization));
    if (known === undefined) return undefined;
    const { principal, since } = known;
    return store.accounts.isUnchanged(principal.tenant.account, since) ? principal : undefined;
  }

  /** The caller, or a RequestError that says whether credentials are missing or wrong. */
  async function verify(header: string | undefined): Promise<Principal> {
    if (header === undefined || header === '') throw new RequestError('no_credentials', [], challenge);
    const asker = ownAsker?.(header);
    if (asker !== undefined) return asker;
    const since = store.accounts.version();
    const key = await keyOf(store, header);
    if (key === null || key.revokedAt !== null) throw new RequestError('wrong_credentials', [], challenge);
    const { id: keyId, tenant, permissions } = key;
    const account = await store.accounts.fetch(tenant.account);
    const { compatibility } = account?.settings[tenant.mode] ?? defaultSettings;
    const principal: Principal = { keyId, tenant, permissions, operations: [], compatibility };
    remembered.set(hash('sha256', header, 'base64'), { principal, since });
    return principal;
  }

  return { recall, verify };
}

async function keyOf(store: Store, header: string): Promise<ApiKey | null> {
  const [, scheme = '', credentials = ''] = /^(\w+) +(\S+)$/.exec(header) ?? [];
  if (scheme.toLowerCase() === 'bearer') return store.apiKeys.fetchBySecretHash(hashSecret(credentials));
  if (scheme.toLowerCase() !== 'basic') return null;
  const text = Buffer.from(credentials, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  const id = colon < 0 ? text : text.slice(0, colon);
  // No id has a NUL character, and PostgreSQL refuses a query with one.
  const key = id.includes('\0') ? null : await store.apiKeys.fetch(id);
  // An unknown key is compared too, so that the time does not reveal whether it exists.
  const given = Buffer.from(hashSecret(colon < 0 ? '' : text.slice(colon + 1)));
  const matches = timingSafeEqual(given, Buffer.from(key?.secretHash ?? hashSecret('')));
  return key !== null && matches ? key : null;
}
