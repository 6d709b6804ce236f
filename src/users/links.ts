/** Links with which somebody sets a password: an invitation, or a way back for who cannot sign in. Each is good once. */
import { hashSecret } from '../accounts/api-key.ts';
import { ID_LENGTH, randomText } from '../lib/id.ts';
import type { RealTime } from '../lib/time.ts';
import type { Link, UserId } from './user.ts';

/** Base-32 characters, 5 random bits each. */
const SECRET_LENGTH = 40;

/** Time for which a link is good. */
export const LINK_MS = 3 * 24 * 3_600_000;

/** A new link as it is stored, and the secret for whoever gets it. */
export function newLink(now: RealTime): { readonly link: Link; readonly secret: string } {
  const secret = randomText(SECRET_LENGTH);
  return { link: { hash: hashSecret(secret), until: now + LINK_MS }, secret };
}

/** The address to open. `publicUrl` is the base address of the service. */
export const linkAddress = (publicUrl: string, id: UserId, secret: string): string =>
  `${publicUrl}/dashboard/link/${id}.${secret}`;

const TOKEN = new RegExp(`^(usr_[0-9a-z]{${ID_LENGTH}})\\.([0-9a-z]{${SECRET_LENGTH}})$`);

/** The user whom the last part of such an address names, and the hash of its secret; null for anything else. */
export function readLinkToken(token: string): { readonly id: UserId; readonly hash: string } | null {
  const [, id, secret] = TOKEN.exec(token) ?? [];
  return id === undefined || secret === undefined ? null : { id: id as UserId, hash: hashSecret(secret) };
}
