/** A DNS server on loopback that says what a test wants, or nothing. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import ipaddr from 'ipaddr.js';
import { createResolve } from '../../src/webhooks/resolve.ts';

export type DnsAnswer = readonly string[] | 'hangs' | 'unknown' | 'fails' | 'refuses';

const RCODES = { fails: 2, unknown: 3, refuses: 5 };
const FAMILIES: Readonly<Record<number, 4 | 6>> = { 1: 4, 28: 6 };

/** `answer` is called for each question, with how often this one was asked before. */
export async function dnsServer(
  t: TestContext,
  answer: (name: string, family: 4 | 6, before: number) => DnsAnswer,
) {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (message, { port, address }) => {
    const { name, type, end } = questionOf(message);
    const family = FAMILIES[type] ?? 4;
    const question = `${name} ${family}`;
    const before = asked.filter((each) => each === question).length;
    asked.push(question);
    const found = answer(name, family, before);
    if (found === 'hangs') return;
    const rcode = typeof found === 'string' ? RCODES[found] : 0;
    const addresses = typeof found === 'string' ? [] : found;
    const header = Buffer.from([0, 0, 0x81, 0x80 | rcode, 0, 1, 0, addresses.length, 0, 0, 0, 0]);
    message.copy(header, 0, 0, 2);
    const records = addresses.map((each) => recordOf(type, each));
    socket.send(Buffer.concat([header, message.subarray(12, end), ...records]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.after(() => socket.close());
  return { asked, servers: [`127.0.0.1:${socket.address().port}`] };
}

/** The resolver of the service with this DNS, and without the names of this machine unless they are given. */
export function resolverWith(options: Parameters<typeof createResolve>[0]) {
  const nobody = () => Promise.reject(Object.assign(new Error('nobody knows it'), { code: 'ENOTFOUND' }));
  return createResolve({ system: nobody, hostsFile: join(import.meta.dirname, 'no-hosts-file'), ...options });
}

function questionOf(message: Buffer) {
  const labels: string[] = [];
  let at = 12;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

/** The name is a pointer to the question; the record is not to be kept (time to live 0). */
function recordOf(type: number, address: string): Buffer {
  // The URL parser first: the other one takes an IPv4-compatible address for a mapped one.
  const plain = address.includes(':') ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;
  const data = ipaddr.parse(plain).toByteArray();
  return Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length, ...data]);
}
