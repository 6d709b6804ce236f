/**
 * Link to an address of the merchant, or null if no payer should go there. Addresses are checked when a session is
 * created; stored ones are checked again, because a link is where a script could hide.
 */
export function outwardLink(address: string): string | null {
  const url = address === '' ? null : URL.parse(address);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return null;
  return url.username === '' && url.password === '' ? url.href : null;
}
