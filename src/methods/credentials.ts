/**
 * Credentials that an account has of its own at a rail, such as its keys at a provider of card payments. Each secret is
 * stored sealed, with AES-256-GCM under a key from the settings, and opened only for who asks the rail.
 */
import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';
import type { Problem } from '../checkout/refusals.ts';
import type { Mode, Tenant } from '../checkout/tenant.ts';
import { isObject } from '../lib/json-values.ts';
import type { RealTime } from '../lib/time.ts';

/** Secrets by the names of their fields on the wire. */
export type Secrets = Readonly<Record<string, string>>;

/** A secret as it is stored: nothing in here opens it but the key. */
export type SealedSecret = {
  /** Names the key, so that a rotation knows which one it was. */
  readonly keyId: string;
  /** Nonce, ciphertext and tag, one after the other, in base64. */
  readonly box: string;
  /** Last characters of the secret, by which a person tells it from another. */
  readonly hint: string;
};

export type SealedSecrets = Readonly<Record<string, SealedSecret>>;

export type SealedCredentials = {
  readonly secrets: SealedSecrets;
  /** Time of the last change. */
  readonly setAt: RealTime;
  /** Id of the API key that made it, or `operator`. */
  readonly setBy: string;
};

/** Sealed credentials by the name of their rail. */
export type CredentialsByRail = Readonly<Record<string, SealedCredentials>>;

/** Sealed credentials from their stored form; null stands for none. */
export function credentialsFrom(stored: string | null): CredentialsByRail {
  return stored === null ? {} : JSON.parse(stored);
}

/** The credentials that a rail needs, and its rules for them. */
export type CredentialsForm = {
  /** Names of the secrets, all of which are needed. */
  readonly fields: readonly string[];
  /** Throws an Error with the rest of the sentence "<field> …", which never repeats the value. */
  readonly check: (field: string, value: string, mode: Mode) => void;
};

/** Reads the secrets that are given, with all of their mistakes at once; null and an empty text are absent. */
export function readSecrets(
  { fields, check }: CredentialsForm,
  mode: Mode,
  given: unknown,
): { readonly secrets: Secrets; readonly problems: readonly Problem[] } {
  const values = isObject(given) ? given : {};
  const texts = fields.flatMap((field) => {
    const { [field]: value } = values;
    const text = typeof value === 'string' ? value.trim() : '';
    return text === '' ? [] : [[field, text] as const];
  });
  const problems = texts.flatMap(([field, text]) => {
    const detail = mistakeIn(() => check(field, text, mode));
    return detail === null ? [] : [{ pointer: `/${field}`, detail }];
  });
  return { secrets: Object.fromEntries(texts), problems };
}

function mistakeIn(check: () => void): string | null {
  try {
    check();
    return null;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return error.message;
  }
}

/** Where credentials belong. They cannot be opened anywhere else. */
export type Place = { readonly tenant: Tenant; readonly rail: string };

/** Path of the address for events about an account and mode; without a tenant, about the account of the settings. */
export function eventPath(rail: string, tenant?: Tenant): string {
  return tenant === undefined ? `/notices/${rail}` : `/notices/${rail}/${tenant.account}/${tenant.mode}`;
}

/** The key under which credentials are sealed: the one of the settings, the one before it, or one that is not there. */
export type SealedUnder = 'current' | 'previous' | 'unknown';

export type Vault = {
  /** False without a key. */
  readonly canSeal: boolean;
  /** Throws without a key. */
  seal(secrets: Secrets, place: Place): SealedSecrets;
  /** The secrets; null if a key is not there, or if one was changed or sealed for another place. */
  open(credentials: SealedCredentials, place: Place): Secrets | null;
  /** `unknown` for what cannot be opened. */
  keyOf(credentials: SealedCredentials, place: Place): SealedUnder;
};

const CIPHER = 'aes-256-gcm';
/** As NIST SP 800-38D recommends; random ones may be used 2^32 times with a key. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Shortest secret of which the hint tells too little to matter. */
const HINTED_LENGTH = 16;
const HINT_LENGTH = 4;

type Key = { readonly id: string; readonly bytes: Buffer };
type Opened = { readonly place: string; readonly secrets: Secrets | null };

/** A vault with the key of the settings, and the one that it has taken the place of. */
export function createVault(current: Buffer | null, previous: Buffer | null = null): Vault {
  const own = current && keyFrom(current);
  const keys = [own, previous && keyFrom(previous)].filter((key) => key !== null);
  /** Each request about cards opens credentials; those of an account in memory are the same object until they change. */
  const opened = new WeakMap<SealedCredentials, Opened>();

  function open(credentials: SealedCredentials, place: Place): Secrets | null {
    const name = nameOf(place);
    const known = opened.get(credentials);
    if (known?.place === name) return known.secrets;
    const secrets = openedWith(keys, credentials, name);
    opened.set(credentials, { place: name, secrets });
    return secrets;
  }

  return {
    canSeal: own !== null,
    seal(secrets, place) {
      if (own === null) throw new Error('CREDENTIALS_KEY is not set');
      const sealed = Object.entries(secrets).map(([field, secret]) => [
        field,
        {
          keyId: own.id,
          box: sealedWith(own, secret, `${nameOf(place)} ${field}`),
          hint: secret.length < HINTED_LENGTH ? '' : secret.slice(-HINT_LENGTH),
        },
      ]);
      return Object.fromEntries(sealed);
    },
    open,
    keyOf(credentials, place) {
      if (open(credentials, place) === null) return 'unknown';
      const isCurrent = Object.values(credentials.secrets).every(({ keyId }) => keyId === own?.id);
      return isCurrent ? 'current' : 'previous';
    },
  };
}

/** Credentials of an account that cannot be opened. */
export function unreadableOf(
  { number: account, railCredentials }: HasCredentials,
  vault: Vault,
): ReadonlyArray<Tenant & { readonly rail: string }> {
  return (['test', 'live'] as const).flatMap((mode) =>
    Object.entries(railCredentials[mode])
      .filter(([rail, each]) => vault.open(each, { tenant: { account, mode }, rail }) === null)
      .map(([rail]) => ({ account, mode, rail })),
  );
}

type HasCredentials = {
  readonly number: number;
  readonly railCredentials: Readonly<Record<Mode, CredentialsByRail>>;
};

/** True for credentials that could be opened with their key: without it, nobody can tell more. */
export function isSealed({ secrets, setAt, setBy }: SealedCredentials): boolean {
  return (
    Object.values(secrets).every(
      ({ keyId, box, hint }) =>
        /^[0-9a-f]{16}$/.test(keyId) && partsOf(box) !== null && typeof hint === 'string',
    ) &&
    Number.isSafeInteger(setAt) &&
    typeof setBy === 'string'
  );
}

function openedWith(keys: readonly Key[], { secrets }: SealedCredentials, place: string): Secrets | null {
  const found: Record<string, string> = {};
  for (const [field, { keyId, box }] of Object.entries(secrets)) {
    const key = keys.find(({ id }) => id === keyId);
    const secret = key ? unsealedWith(key, box, `${place} ${field}`) : null;
    if (secret === null) return null;
    found[field] = secret;
  }
  return found;
}

/** The place is authenticated with the secret, so that a row that is copied elsewhere opens nothing. */
function sealedWith({ bytes }: Key, secret: string, place: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, bytes, nonce).setAAD(Buffer.from(place));
  const ciphertext = [cipher.update(secret, 'utf8'), cipher.final()];
  return Buffer.concat([nonce, ...ciphertext, cipher.getAuthTag()]).toString('base64');
}

function unsealedWith({ bytes }: Key, box: string, place: string): string | null {
  const parts = partsOf(box);
  if (parts === null) return null;
  const decipher = createDecipheriv(CIPHER, bytes, parts.nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(place))
    .setAuthTag(parts.tag);
  try {
    return Buffer.concat([decipher.update(parts.ciphertext), decipher.final()]).toString('utf8');
  } catch {
    // The tag does not fit: another key, another place, or other bytes.
    return null;
  }
}

function partsOf(box: string) {
  const all = Buffer.from(box, 'base64');
  if (all.length <= NONCE_BYTES + TAG_BYTES) return null;
  return {
    nonce: all.subarray(0, NONCE_BYTES),
    ciphertext: all.subarray(NONCE_BYTES, -TAG_BYTES),
    tag: all.subarray(-TAG_BYTES),
  };
}

function nameOf({ tenant: { account, mode }, rail }: Place): string {
  return `opentill rail_credentials ${account} ${mode} ${rail}`;
}

/** The id is a part of a hash, from which nobody finds a random key of this length. */
function keyFrom(bytes: Buffer): Key {
  return { id: hash('sha256', bytes).slice(0, 16), bytes };
}
