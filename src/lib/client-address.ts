/** Clients as their addresses tell them apart, for limits of what one may ask. */
import ipaddr from 'ipaddr.js';

/**
 * The client behind an address: an IPv4 address, also where it is written as IPv6 (`::ffff:192.0.2.7`), or the first half of
 * an IPv6 address. A network gives each of its subscribers 2⁶⁴ addresses at least (RFC 6177), and any of them can be taken
 * for the next request.
 */
export function clientOf(address: string | undefined): string {
  // Nobody knows any more from where a client came who has left.
  if (address === undefined) return '';
  // Nearly all are IPv4, which need no parser.
  if (!address.includes(':') || !ipaddr.IPv6.isValid(address)) return address;
  const parsed = ipaddr.IPv6.parse(address);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}
