/** Forms that another site has made a browser send. */
import type { IncomingHttpHeaders } from 'node:http';

type Sent = { readonly headers: IncomingHttpHeaders };

/**
 * True for a form of another site. Browsers declare it; those that are too old for `Sec-Fetch-Site` name the origin, and
 * a client that declares nothing is no browser. `ownUrl` is the base address of the service.
 */
export function formIsForeign({ headers }: Sent, ownUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const { origin } = headers;
  return origin !== undefined && origin !== new URL(ownUrl).origin;
}
