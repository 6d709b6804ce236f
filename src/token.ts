/**
 * The token in the address of a payer's page. It names the account, the mode and the session, so that a page is found
 * by its key like everything else, and carries 130 random bits, which are what opens it.
 */
import { timingSafeEqual } from 'node:crypto';
import type { Checkout, Mode, Scope } from './checkout/session.ts';
import { ID_LENGTH, randomText } from './id.ts';

const SECRET_LENGTH = 26;
const modeLetters: Record<Mode, string> = { test: 't', live: 'v' };

const TOKEN = new RegExp(`^([1-9][0-9]{0,14})([tv])([0-9a-z]{${ID_LENGTH}})[0-9a-z]{${SECRET_LENGTH}}$`);

export function newToken(scope: Scope, checkoutId: string): string {
  return `${scope.account}${modeLetters[scope.mode]}${checkoutId.slice('chk_'.length)}${randomText(SECRET_LENGTH)}`;
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
  const given = Buffer.from(token);
  const own = Buffer.from(checkout.token);
  return given.length === own.length && timingSafeEqual(given, own);
}
