/**
 * Permissions that a restricted key needs at Stripe. All that one lacks are found by calls that have no effect, and whose
 * answers have nobody's data: Stripe looks at the permission first, and only then for what is asked for.
 */
import { fetchHttp, headersOf, type StripeAnswer, type StripeHttp } from './http.ts';

/** Without this one, payments are booked all the same. */
export const FEES_PERMISSION = 'read access to “Balance Transaction Sources”';

/** Things that are not there. A POST needs write access, and a GET read access. */
const needed = [
  ['write access to Checkout Sessions', 'POST', 'checkout/sessions/cs_none/expire'],
  ['write access to “Charges and Refunds”', 'POST', 'refunds/re_none'],
  ['read access to charges', 'GET', 'charges/ch_none'],
  ['read access to PaymentIntents', 'GET', 'payment_intents/pi_none'],
  ['read access to disputes', 'GET', 'disputes/dp_none'],
  [FEES_PERMISSION, 'GET', 'balance_transactions/txn_none'],
] as const;

export type PermissionOptions = {
  /** Address of Stripe's API: scheme, host and port. */
  readonly apiUrl: string;
  readonly timeoutMs: number;
  /** Absent: over the network. */
  readonly http?: StripeHttp;
};

/** Names of permissions, as Stripe's dashboard has them. */
export type PermissionsAnswer = {
  readonly lacked: readonly string[];
  /** Those of which Stripe did not say whether the key has them. */
  readonly unanswered: readonly string[];
};

/** Asks for one permission after the other. A Stripe that does not answer at all is not asked for the others. */
export async function permissionsOf(
  secretKey: string,
  { apiUrl, timeoutMs, http = fetchHttp }: PermissionOptions,
): Promise<PermissionsAnswer> {
  const lacked: string[] = [];
  const unanswered: string[] = [];
  let isSilent = false;
  for (const [name, method, path] of needed) {
    const url = `${apiUrl}/v1/${path}`;
    const request = { method, url, headers: headersOf(secretKey, method), body: '', timeoutMs };
    const answer: StripeAnswer | null = isSilent ? null : await http(request).catch(() => null);
    isSilent = answer === null;
    if (answer && lacksPermission(answer)) lacked.push(name);
    else if (!answer || !hasPermission(answer)) unanswered.push(name);
  }
  return { lacked, unanswered };
}

/** A key may be refused for other reasons, such as the address of this machine, which Stripe tells in its own words. */
export const lacksPermission = ({ status, text }: Pick<StripeAnswer, 'status' | 'text'>): boolean =>
  status === 403 && /permission/i.test(text);

/** Stripe has looked for the thing. Any server may give another answer, such as a page with the status 200. */
const hasPermission = ({ status, text }: StripeAnswer): boolean =>
  status === 404 && /"resource_missing"/.test(text);
