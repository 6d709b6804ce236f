/**
 * The token in the address of a payer's page. It names the account, the mode and the session, so that a page is found
 * by its key like everything else, and carries 130 random bits, which are what opens it.
 */
import { hash, timingSafeEqual } from 'node:crypto';
import type { Checkout, Mode, Scope } from './checkout/session.ts';
import { ID_LENGTH, randomText, textOfBytes } from './id.ts';

const SECRET_LENGTH = 26;
const modeLetters: Record<Mode, string> = { test: 't', live: 'v' };

const TOKEN = new RegExp(`^([1-9][0-9]{0,14})([tv])([0-9a-z]{${ID_LENGTH}})[0-9a-z]{${SECRET_LENGTH}}$`);

export function newToken(scope: Scope, checkoutId: string): string {
  return named(scope, checkoutId, randomText(SECRET_LENGTH));
}

function named(scope: Scope, checkoutId: string, secret: string): string {
  return `${scope.account}${modeLetters[scope.mode]}${checkoutId.slice('chk_'.length)}${secret}`;
}

/** Which session a token says it opens, or null if it is no token. Not yet a proof: see `opens`. */
export function readToken(token: string): { scope: Scope; checkoutId: string } | null {
  const [, account = '', letter, id = ''] = TOKEN.exec(token) ?? [];
  if (letter === undefined) return null;
  const mode = letter === modeLetters.live ? 'live' : 'test';
  return { scope: { account: Number(account), mode }, checkoutId: `chk_${id}` };
}

/** Whether this token is the session's own, in a time that tells nothing. */
export function opens(token: string, checkout: Checkout): boolean {
  return isSame(token, checkout.token);
}

/**
 * What stands on a receipt and opens the page that shows whether it is true. It follows from the token and does not
 * lead back to it (SHA-256): whoever is shown a receipt cannot open the page of its payer.
 */
export function receiptCode({ scope, id, token }: Pick<Checkout, 'scope' | 'id' | 'token'>): string {
  const proof = textOfBytes(hash('sha256', `receipt ${token}`, 'buffer').subarray(0, SECRET_LENGTH));
  return named(scope, id, proof);
}

/** Which session a code says its receipt is of, or null if it is no code. Not yet a proof: see `provesReceipt`. */
export const readReceiptCode = readToken;

/** Whether this is the code of the session's receipt, in a time that tells nothing. */
export function provesReceipt(code: string, checkout: Checkout): boolean {
  return isSame(code, receiptCode(checkout));
}

function isSame(given: string, own: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(own)];
  return one.length === other.length && timingSafeEqual(one, other);
}
