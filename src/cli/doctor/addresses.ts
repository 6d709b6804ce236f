/** Addresses: whether the service answers where it listens and where merchants and payers reach it, and what it shows there. */
import { once } from 'node:events';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { hostInUrl } from '../../config/values.ts';
import { advised, type Finding, good, wrong } from '../../lib/finding.ts';
import { causeOf } from '../client.ts';
import { printable } from '../printable.ts';
import type { Values } from './settings.ts';

const WITHIN_MS = 5_000;
const DAY_MS = 86_400_000;
/** Certificates of 90 days are renewed a month before they end. */
const RENEWED_BEFORE_DAYS = 14;

export async function examineAddresses(values: Values, isLocal: boolean): Promise<readonly Finding[]> {
  const { HOST, PORT, PUBLIC_URL, CHECKOUT_URL, OPERATIONS_PORT, OPERATIONS_HOST = '127.0.0.1' } = values;
  if (HOST === undefined || PORT === undefined || PUBLIC_URL === undefined || CHECKOUT_URL === undefined)
    return [];
  const own = `http://${hostInUrl(reached(HOST))}:${PORT}`;
  const operations = OPERATIONS_PORT
    ? `http://${hostInUrl(reached(OPERATIONS_HOST))}:${OPERATIONS_PORT}`
    : own;
  const status = PORT === 0 ? 0 : (await answerOf(`${operations}/livez`)).status;
  const isRunning = status === 200;
  // The address of the service itself has its finding, and needs no second one while nothing listens there.
  const urls = [...new Set([PUBLIC_URL, CHECKOUT_URL])].filter((url) => isRunning || url !== own);
  const findings = await Promise.all(urls.map((url) => examine(url, PUBLIC_URL, isRunning)));
  return [
    livenessFinding(operations, status),
    ...(isLocal
      ? [
          advised(
            `PUBLIC_URL is ${PUBLIC_URL}: only this machine reaches it, and webhooks may go to this machine.`,
            'That is for development. Set PUBLIC_URL to the address that merchants use.',
          ),
        ]
      : proxyFindings(values)),
    ...findings.flat(),
  ];
}

/** Liveness of the service, by the status of `/livez`; 0 is no answer. */
function livenessFinding(url: string, status: number): Finding {
  if (status === 200) return good(`The service answers at ${url}.`);
  return status === 0
    ? advised(
        `Nothing answers at ${url}, where the service listens.`,
        'Start the service, and run this again.',
      )
    : wrong(
        `${url}/livez is answered with ${status}: another program listens there, or OPERATIONS_PORT of the service differs.`,
        'Give this command the settings of the service, or set PORT to a free port.',
      );
}

/** Behind a proxy all clients come from its address. */
function proxyFindings({ PUBLIC_URL = '', TRUST_PROXY = [] }: Values): readonly Finding[] {
  if (!PUBLIC_URL.startsWith('https:')) return [];
  return TRUST_PROXY.length > 0
    ? [good(`TRUST_PROXY names the proxy: ${TRUST_PROXY.join(', ')}.`)]
    : [
        advised(
          'PUBLIC_URL is the address of a proxy, and TRUST_PROXY names none: all clients without a key share one rate limit, and all clients the connections of one address.',
          'Set TRUST_PROXY to the address from which the proxy connects, such as 127.0.0.1.',
        ),
      ];
}

async function examine(url: string, publicUrl: string, isRunning: boolean): Promise<readonly Finding[]> {
  const { protocol, hostname } = new URL(url);
  const isLoopback = /^(localhost|127\..*|\[::1\])$/.test(hostname);
  const plain =
    protocol === 'http:' && !isLoopback
      ? [
          wrong(
            `${url} is not encrypted: keys and payers’ data travel in the clear.`,
            'Put a proxy in front that speaks HTTPS, and set PUBLIC_URL and CHECKOUT_URL to its address.',
          ),
        ]
      : [];
  const certificate = protocol === 'https:' ? await certificateFinding(new URL(url)) : [];
  return [...plain, ...certificate, ...(await reachFindings(url, publicUrl, isRunning))];
}

/** The document at an address names the address that the service takes for its own. */
async function reachFindings(
  url: string,
  publicUrl: string,
  isRunning: boolean,
): Promise<readonly Finding[]> {
  const { status, text, trouble } = await answerOf(`${url}/openapi.json`);
  if (trouble !== '') {
    const said = `${url} does not answer: ${printable(trouble)}.`;
    return [
      isRunning
        ? wrong(said, 'Check the proxy, the name in the DNS, the certificate and the firewall.')
        : advised(said, 'Start the service and its proxy, and run this again.'),
    ];
  }
  const named = addressIn(text);
  if (status !== 200 || named === undefined)
    return [
      wrong(
        `${url}/openapi.json is answered with ${status}, and not by opentill.`,
        'Let the proxy forward it.',
      ),
    ];
  if (named !== publicUrl)
    return [
      wrong(
        `The service at ${url} names ${named} as its address, but PUBLIC_URL is ${publicUrl} here.`,
        'Give this command the settings of the service, or start the service again.',
      ),
    ];
  const metrics = url.startsWith('https:') && (await answerOf(`${url}/metrics`)).status === 200;
  return [
    good(`${url} leads to the service.`),
    ...(metrics
      ? [
          advised(
            `${url}/metrics is open to everybody.`,
            'Set OPERATIONS_PORT, or let the proxy answer /metrics, /readyz and /livez with 404.',
          ),
        ]
      : []),
  ];
}

/** The address of the service in its own document; undefined for anything else. */
function addressIn(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { servers?: ReadonlyArray<{ url?: string }> }).servers?.[0]?.url;
  } catch {
    return undefined;
  }
}

async function certificateFinding({ hostname, port }: URL): Promise<readonly Finding[]> {
  const name = hostname.replace(/^\[(.*)\]$/, '$1');
  const socket = connect({
    host: name,
    port: Number(port || 443),
    // An IP address is no name of a server (RFC 6066, section 3).
    ...(isIP(name) === 0 ? { servername: name } : {}),
    rejectUnauthorized: false,
  });
  // An error may come when nobody waits for the socket any more.
  socket.on('error', () => {});
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(WITHIN_MS) });
    const { valid_to: until = '' } = socket.getPeerCertificate();
    // The request says why a certificate is refused.
    if (!socket.authorized || until === '') return [];
    const days = Math.floor((Date.parse(until) - Date.now()) / DAY_MS);
    const text = `The certificate of ${hostname} expires on ${dateOf(until)}.`;
    return [days < RENEWED_BEFORE_DAYS ? advised(text, 'Find out why it has not been renewed.') : good(text)];
  } catch {
    // The request says why nothing answers.
    return [];
  } finally {
    socket.destroy();
  }
}

type Answer = { readonly status: number; readonly text: string; readonly trouble: string };

async function answerOf(url: string): Promise<Answer> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(WITHIN_MS), redirect: 'manual' });
    return { status: response.status, text: await response.text(), trouble: '' };
  } catch (error) {
    const { message, code = 'no answer' } = causeOf(error);
    return { status: 0, text: '', trouble: message || code };
  }
}

function dateOf(time: string): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** An address that stands for all of the machine is reached by loopback. */
function reached(host: string): string {
  return host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
}
