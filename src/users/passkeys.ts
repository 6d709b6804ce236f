/**
 * Passkeys (WebAuthn Level 3): what a browser is asked for, and what its answers prove. A passkey counts for both factors,
 * since the authenticator has to verify who uses it.
 */
import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { ID_LENGTH, randomText } from '../lib/id.ts';
import type { RealTime } from '../lib/time.ts';
import { MAX_PASSKEYS, type Passkey, type User, type UserId } from './user.ts';

/** Time for which a challenge is good. */
export const CHALLENGE_MS = 5 * 60_000;

const TIME_BYTES = 6;
const RANDOM_BYTES = 16;
const MARK_BYTES = 16;

/** Base-32 characters of the secret, 5 random bits each. */
const SECRET_LENGTH = 52;

type SecretStore = {
  readonly secrets: { readonly keep: (name: string, candidate: string) => Promise<string> };
};

/** The secret of this installation that challenges are made under: made at the first start, and the same in every process. */
export const secretOfChallenges = ({ secrets }: SecretStore): Promise<string> =>
  secrets.keep('passkey_challenges', randomText(SECRET_LENGTH));

export type Purpose = 'create' | 'get';

/**
 * Challenges that any process of the installation recognizes as its own, without keeping them: a time, random bytes, and a
 * mark that only who knows `secret` can make.
 */
export function challengesOf(secret: string) {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'opentill passkey challenges', 32));
  const markOf = (purpose: Purpose, content: Buffer): Buffer =>
    createHmac('sha256', key).update(purpose).update(content).digest().subarray(0, MARK_BYTES);

  return {
    make(purpose: Purpose, now: RealTime): string {
      const content = Buffer.concat([Buffer.alloc(TIME_BYTES), randomBytes(RANDOM_BYTES)]);
      content.writeUIntBE(now, 0, TIME_BYTES);
      return Buffer.concat([content, markOf(purpose, content)]).toString('base64url');
    },

    /** The time at which the challenge was made; null for one that is not ours, is for something else, or is too old. */
    timeOf(purpose: Purpose, challenge: string, now: RealTime): RealTime | null {
      const bytes = Buffer.from(challenge, 'base64url');
      if (bytes.length !== TIME_BYTES + RANDOM_BYTES + MARK_BYTES) return null;
      const content = bytes.subarray(0, -MARK_BYTES);
      if (!timingSafeEqual(bytes.subarray(-MARK_BYTES), markOf(purpose, content))) return null;
      const made = content.readUIntBE(0, TIME_BYTES);
      return made <= now && now < made + CHALLENGE_MS ? made : null;
    },
  };
}

/** The party that passkeys are for: the service under the address that browsers know. */
export type Party = { readonly id: string; readonly origin: string };

/** Null for an address without a name, to which browsers bind no passkey. */
export function partyOf(publicUrl: string): Party | null {
  const { hostname, origin } = new URL(publicUrl);
  return isIP(hostname.replace(/^\[(.*)\]$/, '$1')) === 0 ? { id: hostname, origin } : null;
}

/** ES256, EdDSA, RS256 (COSE). */
const ALGORITHMS = [-7, -8, -257];

/** Options for making a passkey, as `PublicKeyCredentialCreationOptionsJSON`; null for a user who has enough. */
export function creationOf(user: User, party: Party, challenge: string): object | null {
  if (user.passkeys.length >= MAX_PASSKEYS) return null;
  return {
    challenge,
    rp: { id: party.id, name: 'opentill' },
    user: {
      id: Buffer.from(user.id).toString('base64url'),
      name: user.email,
      displayName: user.name || user.email,
    },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    excludeCredentials: user.passkeys.map(({ id }) => ({ type: 'public-key', id })),
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
    attestation: 'none',
    timeout: CHALLENGE_MS,
  };
}

/** Options for the proof of a passkey, as `PublicKeyCredentialRequestOptionsJSON`: whichever it has for the party. */
export const requestOf = (party: Party, challenge: string): object => ({
  challenge,
  rpId: party.id,
  userVerification: 'required',
  timeout: CHALLENGE_MS,
});

const MAX_ANSWER_LENGTH = 16_384;

/** The answer of a browser, as JSON; null for what is none. What is in it is looked at by whoever verifies it. */
function answerIn<A extends { readonly id: string; readonly response: object }>(text: string): A | null {
  if (text.length > MAX_ANSWER_LENGTH) return null;
  try {
    const answer = JSON.parse(text);
    const { id, response } = answer;
    return typeof id === 'string' && typeof response === 'object' && response !== null ? answer : null;
  } catch {
    return null;
  }
}

type Asked = { readonly party: Party; readonly isOurs: (challenge: string) => boolean };

/** The passkey that a browser has made; null where its answer does not prove it. */
export async function madePasskey(
  text: string,
  { party, isOurs }: Asked,
): Promise<Pick<Passkey, 'id' | 'publicKey' | 'counter'> | null> {
  const answer = answerIn<RegistrationResponseJSON>(text);
  if (answer === null) return null;
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const verified = await verifyRegistrationResponse({
    response: answer,
    expectedChallenge: isOurs,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
    // It throws at what it cannot read, as at what is wrong.
  }).catch(() => null);
  if (!verified?.verified) return null;
  const { id, publicKey, counter } = verified.registrationInfo.credential;
  return { id, publicKey: Buffer.from(publicKey).toString('base64url'), counter };
}

const USER_ID = new RegExp(`^usr_[0-9a-z]{${ID_LENGTH}}$`);

/** The user whom the answer names, and the passkey; nothing of it is proved yet. */
export function namedIn(text: string): { readonly user: UserId; readonly passkey: string } | null {
  const answer = answerIn<AuthenticationResponseJSON>(text);
  const handle: unknown = answer?.response.userHandle;
  if (answer === null || typeof handle !== 'string') return null;
  const user = Buffer.from(handle, 'base64url').toString('latin1');
  return USER_ID.test(user) ? { user: user as UserId, passkey: answer.id } : null;
}

/** The counter of the passkey behind this use of it; null where the answer does not prove it. */
export async function usedPasskey(
  text: string,
  { id, publicKey, counter }: Passkey,
  { party, isOurs }: Asked,
): Promise<number | null> {
  const answer = answerIn<AuthenticationResponseJSON>(text);
  if (answer === null) return null;
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const verified = await verifyAuthenticationResponse({
    response: answer,
    expectedChallenge: isOurs,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    credential: { id, publicKey: Uint8Array.from(Buffer.from(publicKey, 'base64url')), counter },
    requireUserVerification: true,
  }).catch(() => null);
  return verified?.verified ? verified.authenticationInfo.newCounter : null;
}
