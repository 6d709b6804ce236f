/**
 * Token in the address of a payer's page. It names the account, the mode and the session, so that a page is found by
 * its key like everything else, and carries 130 random bits, which open it.
 */

import { hash, timingSafeEqual } from 'node:crypto';
import { ID_LENGTH, textOfBytes } from '../lib/id.ts';
import type { CheckoutId } from './ids.ts';
import type { Checkout } from './session.ts';
import type { Mode, Tenant } from './tenant.ts';

/** Base-32 characters of a token's secret, 5 bits each: 130 random bits. */
export const TOKEN_SECRET_LENGTH = 26;
const modeLetters: Record<Mode, string> = { test: 't', live: 'v' };

const TOKEN = new RegExp(
  `^([1-9][0-9]{0,14})([tv])([0-9a-z]{${ID_LENGTH}})[0-9a-z]{${TOKEN_SECRET_LENGTH}}$`,
);

/** The token of a session; `secret` is `TOKEN_SECRET_LENGTH` random characters of base 32. */
export function tokenOf(tenant: Tenant, checkoutId: string, secret: string): string {
  return `${tenant.account}${modeLetters[tenant.mode]}${checkoutId.slice('chk_'.length)}${secret}`;
}

/** Session that a token claims to open, or null if it is no token. Not yet a proof: see `opens`. */
export function readToken(token: string): { tenant: Tenant; checkoutId: CheckoutId } | null {
  const [, account = '', letter, id = ''] = TOKEN.exec(token) ?? [];
  if (letter === undefined) return null;
  const mode = letter === modeLetters.live ? 'live' : 'test';
  return { tenant: { account: Number(account), mode }, checkoutId: `chk_${id}` };
}

/** True if the token is the session's own; compared in constant time. */
export function opens(token: string, checkout: Checkout): boolean {
  return isSame(token, checkout.token);
}

/**
 * Code on a receipt, which opens the page that proves the receipt. It follows from the token and does not lead back to
 * it (SHA-256): nobody can open the payer's page from a receipt.
 */
export function receiptCode({ tenant, id, token }: Pick<Checkout, 'tenant' | 'id' | 'token'>): string {
  const proof = textOfBytes(hash('sha256', `receipt ${token}`, 'buffer').subarray(0, TOKEN_SECRET_LENGTH));
  return tokenOf(tenant, id, proof);
}

/** Session whose receipt a code claims to prove, or null if it is no code. Not yet a proof: see `provesReceipt`. */
export const readReceiptCode = readToken;

/** True if this is the code of the session's receipt; compared in constant time. */
export function provesReceipt(code: string, checkout: Checkout): boolean {
  return isSame(code, receiptCode(checkout));
}

function isSame(given: string, own: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(own)];
  return one.length === other.length && timingSafeEqual(one, other);
}
