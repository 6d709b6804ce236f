/**
 * Connections of each address. Whoever opens thousands in one moment takes the time to accept them, and memory for each,
 * from all others; so an address has a number of them, and what is beyond ends as soon as it is opened.
 */
import { BlockList, isIPv6, type Socket } from 'node:net';
import { clientOf } from '../lib/client-address.ts';
import { createCounts } from '../lib/counts.ts';
import { createSparing } from '../lib/sparing.ts';

type Options = {
  /** Connections that an address may have; 0 is no limit. */
  readonly limit: number;
  /** Networks of proxies, in CIDR notation: behind one of them are any number of clients. */
  readonly proxies: readonly string[];
  readonly logger: { warn(about: object, text: string): void };
  readonly onRefused: () => void;
};

/** Time for which a connection that is refused stands in the log for all that are. */
const LINE_EVERY_MS = 60_000;

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');

export function createAddressConnections({ limit, proxies, logger, onRefused }: Options) {
  const leftOut = createSparing(LINE_EVERY_MS, () => performance.now());
  const counts = createCounts();
  const exempt = new BlockList();
  for (const proxy of proxies) {
    const [address = '', bits] = proxy.split('/');
    exempt.addSubnet(address, Number(bits), familyOf(address));
  }

  /** The client whose connections are counted, if they are. */
  function countedOf(address: string | undefined): string | undefined {
    if (limit === 0 || address === undefined || exempt.check(address, familyOf(address))) return undefined;
    return clientOf(address);
  }

  /** Tells operators in words: behind a proxy that they have not named, all clients have one address. */
  function noteRefusal(): void {
    onRefused();
    const others = leftOut('');
    if (others === null) return;
    const about = { limit, ...(others > 0 ? { left_out: others } : {}) };
    logger.warn(about, 'connection refused: its address has as many as ADDRESS_CONNECTION_LIMIT allows');
  }

  return {
    /** True if a further connection of the address may stay; notes it where it may not. */
    mayConnect(address: string): boolean {
      const client = countedOf(address);
      if (client === undefined || counts.of(client) < limit) return true;
      noteRefusal();
      return false;
    },

    /** Counts a connection until it is closed. */
    connected(socket: Socket): void {
      const client = countedOf(socket.remoteAddress);
      if (client === undefined) return;
      counts.add(client, 1);
      socket.once('close', () => counts.add(client, -1));
    },
  };
}
