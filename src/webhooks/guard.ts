/**
 * Guard against server-side request forgery. Merchants choose the addresses of webhooks, and this service runs inside
 * the operator's network: without a guard, a merchant could have it send requests to the operator's own machines.
 *
 * The guard never vets the text of an address but the IP address it resolves to, at the moment of connecting, and the
 * socket is opened to exactly that. So no spelling, and no change of the DNS between check and use, gets around it.
 */
import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = readonly [Address, number];

export type NetworkRules = {
  /** Networks that the operator allows although they are not public. */
  readonly allowed: readonly Network[];
  readonly allowLoopback: boolean;
};

/** Resolves a name to all of its addresses; rejects if there are none. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

/** `code` of the error of a lookup that was refused. */
export const ADDRESS_FORBIDDEN = 'ADDRESS_FORBIDDEN';

/** Azure's metadata and DNS service; it has a public address but belongs to the machine that asks. */
const AZURE_PLATFORM = ipaddr.IPv4.parse('168.63.129.16');

/** Global unicast addresses (RFC 4291, section 2.4): no legitimate receiver has any other. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** The well-known prefix of NAT64 (RFC 6052, section 2.1): the last 32 bits are an IPv4 address. */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/** Mapped address as resolvers write it; the hexadecimal form of the URL parser falls to the general rule. */
const IPV4_COMPATIBLE = /^::\d+\./;

/** `allow` lists networks in CIDR notation; throws for anything else. */
export function networkRules(allow: readonly string[], allowLoopback: boolean): NetworkRules {
  return { allowed: allow.map((network) => ipaddr.parseCIDR(network)), allowLoopback };
}

/**
 * True if nothing may be sent to this address. Every address that is not plainly public is forbidden, unless the rules
 * allow it: loopback, private, link-local (which includes the metadata services of clouds), carrier-grade NAT,
 * multicast, broadcast, unspecified, reserved, documentation, benchmarking, and anything that is not an address.
 *
 * IPv6 addresses that carry an IPv4 address:
 * - mapped (::ffff:0:0/96): the same destination as the IPv4 address, so allowed if the rules name that. A public
 *   one is refused too: no resolver answers with it, and nobody needs to write it.
 * - NAT64: judged by the IPv4 address, since an IPv6-only network reaches IPv4 receivers this way. It must be public.
 * - compatible, translated, 6to4, Teredo, NAT64 of a local prefix: refused. No receiver depends on them.
 */
export function isForbidden(address: string, rules: NetworkRules): boolean {
  // The parser alone would also accept other spellings of numbers, which no resolver returns, and it takes an
  // IPv4-compatible address for a mapped one.
  if (isIP(address) === 0 || IPV4_COMPATIBLE.test(address)) return true;
  const parsed = ipaddr.parse(address);
  if (isAllowed(parsed, rules)) return false;
  if (isIPv4(parsed)) return !isPublicIPv4(parsed);
  if (parsed.isIPv4MappedAddress()) return !isAllowed(parsed.toIPv4Address(), rules);
  if (parsed.match(NAT64)) return !isPublicIPv4(new ipaddr.IPv4(parsed.toByteArray().slice(12)));
  return parsed.range() !== 'unicast' || !parsed.match(GLOBAL_UNICAST);
}

function isIPv4(address: Address): address is ipaddr.IPv4 {
  return address.kind() === 'ipv4';
}

function isAllowed(address: Address, { allowed, allowLoopback }: NetworkRules): boolean {
  if (allowLoopback && address.range() === 'loopback') return true;
  // Only networks of the same address family can be compared.
  return allowed.some(
    ([network, bits]) => network.kind() === address.kind() && address.match(network as never, bits),
  );
}

function isPublicIPv4(address: ipaddr.IPv4): boolean {
  return address.range() === 'unicast' && !address.match(AZURE_PLATFORM, 32);
}

/**
 * IP address in the host of a URL, or null. Such a host is connected to without a lookup and must be vetted by itself.
 * The URL parser has already normalized every spelling of it (`0x7f.1`, `2130706433`).
 */
export function literalAddress(hostname: string): string | null {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(bare) === 0 ? null : bare;
}

/** Names that always mean this machine (RFC 6761, section 6.3). */
const THIS_MACHINE = /^(.*\.)?localhost\.?$/;

/**
 * Problem of a webhook address that is known without a lookup, as the rest of a sentence that begins with its name, or
 * null. The guard sees the addresses of a name only when it connects.
 */
export function addressProblem(address: string, rules: NetworkRules): string | null {
  const url = URL.parse(address);
  if (!url || !isWeb(url)) return 'must be an absolute http or https address';
  const literal = literalAddress(url.hostname);
  if (literal !== null && isForbidden(literal, rules)) {
    return 'must not be an address in a private or otherwise special network';
  }
  if (!THIS_MACHINE.test(url.hostname)) return null;
  const leadsNowhere = ['127.0.0.1', '::1'].every((loopback) => isForbidden(loopback, rules));
  return leadsNowhere ? 'must not be a name of this machine' : null;
}

/** True if a webhook can be sent to the address at all. */
export function isWeb({ protocol, hostname }: URL): boolean {
  return (protocol === 'http:' || protocol === 'https:') && hostname !== '';
}

/**
 * The `lookup` for connections of node:net, node:http and node:https: resolves the name once and answers with the
 * vetted addresses only. One forbidden address refuses all of them, since no honest name has mixed addresses.
 */
export function guardedLookup(rules: NetworkRules, resolve: Resolve): LookupFunction {
  async function vetted(hostname: string): Promise<[LookupAddress, ...LookupAddress[]]> {
    const [first, ...others] = await resolve(hostname);
    if (first === undefined) throw Object.assign(new Error('the name has no address'), { code: 'ENOTFOUND' });
    if ([first, ...others].some(({ address }) => isForbidden(address, rules))) {
      throw Object.assign(new Error('the address is not allowed'), { code: ADDRESS_FORBIDDEN });
    }
    return [first, ...others];
  }

  return (hostname, options, callback) => {
    vetted(hostname).then(
      (addresses) => {
        if (options.all) callback(null, addresses);
        else callback(null, addresses[0].address, addresses[0].family);
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
}
