/** Codes that prove a second factor: time-based one-time passwords (RFC 6238), and recovery codes. */
import { hash } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { randomText } from '../lib/id.ts';
import type { RealTime } from '../lib/time.ts';
import type { Totp } from './user.ts';

/** Steps on either side of the current one whose codes are taken: clocks differ, and typing takes time. */
const WINDOW = 1;
const ISSUER = 'opentill';

const generator = (secret: string, label = ''): TOTP =>
  new TOTP({ issuer: ISSUER, label, secret: Secret.fromBase32(secret) });

/** A new secret of 160 random bits in base 32. */
export const newTotpSecret = (): string => new Secret({ size: 20 }).base32;

/** The address that authenticator apps read from a QR code. */
export const totpAddress = (secret: string, email: string): string => generator(secret, email).toString();

/** The secret with this code as the last one used; null for a wrong code, and for one that was used or lies behind it. */
export function usedTotp({ secret, lastStep }: Totp, code: string, now: RealTime): Totp | null {
  // The library throws at what has as many characters and more bytes.
  if (!/^\d{6}$/.test(code)) return null;
  const totp = generator(secret);
  const delta = totp.validate({ token: code, timestamp: now, window: WINDOW });
  if (delta === null) return null;
  const step = totp.counter({ timestamp: now }) + delta;
  return step > lastStep ? { secret, lastStep: step } : null;
}

/** Number of recovery codes that a user has at first. */
const CODES = 10;

/** New recovery codes such as `k3m9q-7xw2p`, 50 random bits each. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: CODES }, () => `${randomText(5)}-${randomText(5)}`);

/** What is kept of a recovery code, however it is typed. */
export const hashCode = (code: string): string =>
  hash('sha256', code.toLowerCase().replaceAll(/[^0-9a-z]/g, ''));
