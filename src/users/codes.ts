/** Codes that prove a second factor: time-based one-time passwords (RFC 6238), and recovery codes. */
import { createHmac, hash, randomBytes } from 'node:crypto';
import { randomText } from '../lib/id.ts';
import type { RealTime } from '../lib/time.ts';
import type { Totp } from './user.ts';

const STEP_MS = 30_000;
const DIGITS = 6;
/** Steps on either side of the current one whose codes are taken: clocks differ, and typing takes time. */
const WINDOW = 1;
const ISSUER = 'opentill';

/** The alphabet of RFC 4648 section 6. */
const BASE_32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const SECRET_LENGTH = 32;

/** A new secret of 160 random bits in base 32. */
export const newTotpSecret = (): string =>
  [...randomBytes(SECRET_LENGTH)].map((byte) => BASE_32[byte & 31]).join('');

export const isTotpSecret = (text: string): boolean => /^[A-Z2-7]{32}$/.test(text);

/** The bytes of such a secret: eight characters are five bytes. */
function bytesOf(secret: string): Buffer {
  let bits = 0n;
  for (const character of secret) bits = bits * 32n + BigInt(BASE_32.indexOf(character));
  return Buffer.from(bits.toString(16).padStart((secret.length * 5) / 4, '0'), 'hex');
}

/** The address that authenticator apps read from a QR code (the key URI format). */
export function totpAddress(secret: string, email: string): string {
  const label = encodeURIComponent(email);
  return `otpauth://totp/${ISSUER}:${label}?issuer=${ISSUER}&secret=${secret}&algorithm=SHA1&digits=${DIGITS}&period=${STEP_MS / 1000}`;
}

/** The code of a time step (RFC 4226 section 5.3). */
function codeAt(key: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', key).update(counter).digest();
  const number = digest.readUInt32BE((digest.at(-1) ?? 0) & 0xf) & 0x7fff_ffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}

/** The secret with this code as the last one used; null for a wrong code, and for one that was used or lies behind it. */
export function usedTotp({ secret, lastStep }: Totp, code: string, now: RealTime): Totp | null {
  const key = bytesOf(secret);
  const current = Math.floor(now / STEP_MS);
  for (let step = Math.max(current - WINDOW, lastStep + 1); step <= current + WINDOW; step++)
    if (codeAt(key, step) === code) return { secret, lastStep: step };
  return null;
}

/** Number of recovery codes that a user has at first. */
const CODES = 10;

/** New recovery codes such as `k3m9qx-7xw2pa-…`, four groups with 120 random bits: a quick hash of them is enough. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: CODES }, () => Array.from({ length: 4 }, () => randomText(6)).join('-'));

/** Hash of a recovery code, however it is typed. */
export const hashCode = (code: string): string =>
  hash('sha256', code.toLowerCase().replaceAll(/[^0-9a-z]/g, ''));
