/**
 * Permissions that a restricted key needs at Stripe. All that one lacks are found at once, by calls that have no effect:
 * Stripe looks at the permission first, and only then at what is asked for.
 */
import { fetchHttp, headersOf, type StripeHttp } from './http.ts';

/** Without this one, payments are booked all the same. */
export const FEES_PERMISSION = 'read access to “Balance Transaction Sources”';

/** A list, a thing that is not there, or a creation that says nothing. */
const needed = [
  ['write access to Checkout Sessions', 'POST', 'checkout/sessions'],
  ['write access to “Charges and Refunds”', 'POST', 'refunds'],
  ['read access to charges', 'GET', 'charges?limit=1'],
  ['read access to PaymentIntents', 'GET', 'payment_intents?limit=1'],
  ['read access to disputes', 'GET', 'disputes?limit=1'],
  [FEES_PERMISSION, 'GET', 'balance_transactions/txn_none'],
] as const;

export type PermissionOptions = {
  /** Address of Stripe's API: scheme, host and port. */
  readonly apiUrl: string;
  readonly timeoutMs: number;
  /** Absent: over the network. */
  readonly http?: StripeHttp;
};

/** Names of the permissions that a key lacks, as Stripe's dashboard has them; what Stripe does not say is not among them. */
export async function lackedPermissions(
  secretKey: string,
  { apiUrl, timeoutMs, http = fetchHttp }: PermissionOptions,
): Promise<readonly string[]> {
  const lacked = await Promise.all(
    needed.map(async ([name, method, path]) => {
      const url = `${apiUrl}/v1/${path}`;
      const request = { method, url, headers: headersOf(secretKey, method), body: '', timeoutMs };
      // A key may be refused for other reasons, such as the address of this machine, which Stripe tells in its own words.
      const isRefused = await http(request).then(
        ({ status, text }) => status === 403 && /permission/i.test(text),
        () => false,
      );
      return isRefused ? [name] : [];
    }),
  );
  return lacked.flat();
}
