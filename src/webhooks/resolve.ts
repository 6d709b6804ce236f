/**
 * How the names of receivers are resolved. Whether one may be sent to what comes of it is for the guard to say.
 *
 * The system's way waits in one of the few threads that the process has for it, so a handful of names whose DNS never
 * answers would hold up all others. Names are therefore asked for in the DNS directly, which waits without a thread.
 * Only what the DNS cannot know goes the system's way.
 */
import { promises as dns, type LookupAddress } from 'node:dns';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Resolve } from './guard.ts';

type Options = {
  /** Of the DNS, as `setServers` takes them; those of the system if absent. */
  readonly servers?: readonly string[];
  /** The system's way. */
  readonly system?: Resolve;
  readonly hostsFile?: string;
  /** After which the DNS is not waited for any longer. */
  readonly limitMs?: number;
};

/** Leaves the larger part of a delivery's 15 seconds to the receiver. */
const LIMIT_MS = 6_000;

/** Between two tries of one question, for a packet may be lost. However many servers there are, the limit ends it. */
const TRY_MS = 1_500;
const TRIES = 4;

/** Once one family has answered, what is still waited for the other: some servers never answer for one of them. */
const OTHER_FAMILY_MS = 1_000;

/**
 * What the DNS says where it does not know a name. Perhaps the system does, with its search domains or sources beside
 * the DNS. ECONNREFUSED is what c-ares says where it finds no server; on some Windows machines it finds a wrong one.
 */
const UNKNOWN = new Set(['ENOTFOUND', 'ENODATA', 'EREFUSED', 'ECONNREFUSED']);

/** Names that only this machine or its network knows. */
const OWN_NAME = /^[^.]*$|\.(localhost|local)$/;

const HOSTS_FILE =
  process.platform === 'win32'
    ? join(process.env.SystemRoot ?? 'C:\\Windows', 'System32', 'drivers', 'etc', 'hosts')
    : '/etc/hosts';

const systemLookup: Resolve = (hostname) => dns.lookup(hostname, { all: true });

/** A resolver of names, IPv6 addresses first. All that fails within the DNS is `ENOTFOUND` or `EAI_AGAIN`. */
export function createResolve(options: Options = {}): Resolve {
  const { servers, system = systemLookup, hostsFile = HOSTS_FILE, limitMs = LIMIT_MS } = options;
  const isInHostsFile = hostsReader(hostsFile);
  let lastTurn: Promise<unknown> = Promise.resolve();

  /**
   * One at a time, so that a DNS which was quick to answer us and is slow to answer the system holds up no thread but
   * one: the names that only this machine knows get through.
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
 * Both families at once. Each name has a resolver of its own: it costs microseconds, can be cancelled by itself, keeps
 * no opinion on servers that another name has spoilt, and knows when the system's servers have changed.
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

/** Whether the hosts file has a name. The file is read again when it has changed. */
function hostsReader(file: string): (name: string) => Promise<boolean> {
  let known = { changedAt: 0, names: new Set<string>() };
  return async (name) => {
    try {
      const changedAt = (await stat(file)).mtimeMs;
      if (changedAt !== known.changedAt) known = { changedAt, names: namesIn(await readFile(file, 'utf8')) };
      return known.names.has(name);
    } catch {
      // Without the file, or the right to read it, no name is in it.
      return false;
    }
  };
}

/** Each line is an address and its names; the rest after a `#` is a comment. */
function namesIn(hosts: string): Set<string> {
  const lines = hosts.toLowerCase().split('\n');
  return new Set(lines.flatMap((line) => (line.split('#')[0] ?? '').trim().split(/\s+/).slice(1)));
}

function unresolved(code: string): Error {
  return Object.assign(new Error('the name was not resolved'), { code });
}
