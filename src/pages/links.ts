/**
 * An address of the merchant as a link, or null if it is not one to send a payer to. Addresses are checked when a
 * session is created; what is stored is checked again, because a link is where a script could hide.
 */
export function outwardLink(address: string): string | null {
  const url = address === '' ? null : URL.parse(address);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return null;
  return url.username === '' && url.password === '' ? url.href : null;
}
