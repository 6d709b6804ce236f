/**
 * Name resolution for receivers; the guard decides whether a resolved address may be used.
 *
 * The system resolver blocks one of the few threads of the process, so a handful of names whose DNS never answers would
 * hold up all others. So names are looked up in the DNS directly, which waits without a thread. Only names that the DNS
 * cannot know go to the system resolver.
 */
import { promises as dns, type LookupAddress } from 'node:dns';
import { readFile, stat } from 'node:fs/promises';
import { win32 } from 'node:path';
import type { Resolve } from './guard.ts';

type Options = {
  /** DNS servers in the form of `setServers`; those of the system if absent. */
  readonly servers?: readonly string[];
  /** The system resolver. */
  readonly system?: Resolve;
  readonly hostsFile?: string;
  /** Limit on waiting for the DNS. */
  readonly limitMs?: number;
};

/** This leaves the larger part of a delivery's 15 seconds to the receiver. */
const LIMIT_MS = 6_000;

/**
 * Time between two tries of a question, for a packet may be lost. The limit ends it, however many servers there are.
 */
const TRY_MS = 1_500;
const TRIES = 4;

/**
 * Time to wait for the second address family after the first has answered: some servers never answer for one of them.
 */
const OTHER_FAMILY_MS = 1_000;

/**
 * Codes of names that the DNS does not know. The system may know them, from search domains or other sources. c-ares
 * reports ECONNREFUSED if it finds no server; on some Windows machines it finds a wrong one.
 */
const UNKNOWN = new Set(['ENOTFOUND', 'ENODATA', 'EREFUSED', 'ECONNREFUSED']);

/** Names that only this machine or its network knows. */
const OWN_NAME = /^[^.]*$|\.(localhost|local)$/;

export function hostsFileOf(platform: NodeJS.Platform, systemRoot = 'C:\\Windows'): string {
  return platform === 'win32' ? win32.join(systemRoot, 'System32', 'drivers', 'etc', 'hosts') : '/etc/hosts';
}

const HOSTS_FILE = hostsFileOf(process.platform, process.env.SystemRoot);

const systemLookup: Resolve = (hostname) => dns.lookup(hostname, { all: true });

/**
 * Creates a resolver, which answers with IPv6 addresses first. Every failure of the DNS becomes `ENOTFOUND` or
 * `EAI_AGAIN`.
 */
export function createResolve(options: Options = {}): Resolve {
  const { servers, system = systemLookup, hostsFile = HOSTS_FILE, limitMs = LIMIT_MS } = options;
  const isInHostsFile = hostsReader(hostsFile);
  let lastTurn: Promise<unknown> = Promise.resolve();

  /**
   * System lookups run one at a time: a DNS that is slow for the system then blocks only one thread, and names that
   * only this machine knows get through.
   */
  function askSystemInTurn(hostname: string): Promise<readonly LookupAddress[]> {
    const latest = performance.now() + limitMs;
    const turn = lastTurn.then(() => {
      if (performance.now() > latest) throw unresolved('EAI_AGAIN');
      return system(hostname);
    });
    lastTurn = turn.catch(() => {});
    return turn;
  }

  return async (hostname) => {
    const name = hostname.toLowerCase().replace(/\.$/, '');
    if (OWN_NAME.test(name) || (await isInHostsFile(name))) return system(hostname);
    const { addresses, codes } = await askDns(hostname, servers, limitMs);
    if (addresses.length > 0) return addresses;
    if (codes.every((code) => UNKNOWN.has(code))) return askSystemInTurn(hostname);
    throw unresolved(codes.includes('EBADNAME') ? 'ENOTFOUND' : 'EAI_AGAIN');
  };
}

/**
 * Looks up both address families at once. Each name has its own resolver: it costs microseconds, can be cancelled
 * separately, is not affected by other names, and notices when the system's servers change.
 */
async function askDns(hostname: string, servers: readonly string[] | undefined, limitMs: number) {
  const resolver = new dns.Resolver({ timeout: TRY_MS, tries: TRIES, maxTimeout: TRY_MS });
  if (servers) resolver.setServers(servers);
  const timers: NodeJS.Timeout[] = [];
  const cancelAfter = (ms: number) => timers.push(setTimeout(() => resolver.cancel(), ms));

  async function ask(family: 4 | 6): Promise<LookupAddress[]> {
    const found = await (family === 6 ? resolver.resolve6(hostname) : resolver.resolve4(hostname));
    cancelAfter(OTHER_FAMILY_MS);
    return found.map((address) => ({ address, family }));
  }

  cancelAfter(limitMs);
  const answers = await Promise.allSettled([ask(6), ask(4)]);
  for (const timer of timers) clearTimeout(timer);
  return {
    addresses: answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : [])),
    codes: answers.flatMap((answer) => (answer.status === 'rejected' ? [String(answer.reason.code)] : [])),
  };
}

/** True if the hosts file has the name. The file is read again when it has changed. */
function hostsReader(file: string): (name: string) => Promise<boolean> {
  let known = { changedAt: 0, names: new Set<string>() };
  return async (name) => {
    try {
      const changedAt = (await stat(file)).mtimeMs;
      if (changedAt !== known.changedAt) known = { changedAt, names: namesIn(await readFile(file, 'utf8')) };
      return known.names.has(name);
    } catch {
      // A missing or unreadable file has no names.
      return false;
    }
  };
}

/** Each line has an address and its names; the rest after a `#` is a comment. */
function namesIn(hosts: string): Set<string> {
  const lines = hosts.toLowerCase().split('\n');
  return new Set(lines.flatMap((line) => (line.split('#')[0] ?? '').trim().split(/\s+/).slice(1)));
}

function unresolved(code: string): Error {
  return Object.assign(new Error('the name was not resolved'), { code });
}
