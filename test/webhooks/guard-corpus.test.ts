/** Every way to this machine that is known to us, tried with the real sender: nobody connects to it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { suite, type TestContext, test } from 'node:test';
import ipaddr from 'ipaddr.js';
import { addressProblem, networkRules } from '../../src/webhooks/guard.ts';
import { evidence } from '../support/evidence.ts';
import { delivery, onlyPublic, receiver, sender, withLoopback } from './build.ts';
import { dnsServer, resolverWith } from './build-dns.ts';
import { disguises, names, nonsense, numbers, reachable } from './guard-corpus.ts';

const NOW = Date.parse('2030-01-31T12:00:00Z');
const ALL = networkRules(['0.0.0.0/0', '::/0'], true);
/** Every case, to see that there are enough of them and none twice. */
const cases = [
  ...Object.values(numbers).flat(),
  ...disguises,
  ...nonsense,
  ...Object.keys(names).filter((name) => name !== 'localhost'),
];

/** A listener on every address of this machine; with IPv6 where there is IPv6. */
async function victim(t: TestContext) {
  const server = http.createServer((request, response) => request.resume().on('end', () => response.end()));
  const counts = { connections: 0 };
  server.on('connection', () => {
    counts.connections += 1;
  });
  const hasIPv6 = Object.values(networkInterfaces()).some((each) =>
    each?.some(({ address }) => address === '::1'),
  );
  server.listen(0, hasIPv6 ? '::' : '0.0.0.0');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { counts, hasIPv6, port: (server.address() as AddressInfo).port };
}

/** The resolver of the service; DNS and system answer from the table of names. */
async function resolverOfNames(t: TestContext) {
  const known = new Map(
    Object.entries(names).map(([name, addresses]) => {
      const { hostname } = new URL(`http://${name}/`);
      return [
        hostname.replace(/\.$/, ''),
        addresses.map((address) => ({ address, family: familyOf(address) })),
      ];
    }),
  );
  const find = (name: string) => known.get(name.toLowerCase().replace(/\.$/, '')) ?? [];
  const { servers } = await dnsServer(t, (name, family) =>
    find(name).flatMap((each) => (each.family === family ? [each.address] : [])),
  );
  return resolverWith({ servers, system: async (name) => find(name) });
}

function familyOf(address: string): 4 | 6 {
  return address.includes(':') ? 6 : 4;
}

test('there are many cases, and none is there twice', (t) => {
  evidence(t, 'guard', { ways_inside: cases.length });
  assert.ok(cases.length >= 250, String(cases.length));
  assert.equal(new Set(cases).size, cases.length);
});

suite('nobody connects to a listener on all addresses of this machine', () => {
  for (const [kind, hosts] of Object.entries(numbers)) {
    test(`by a number: ${kind}`, async (t) => {
      const { port, counts } = await victim(t);
      const { send } = sender(t, { rules: onlyPublic });
      for (const host of hosts) {
        for (const protocol of ['http', 'https']) {
          const url = `${protocol}://${host}:${port}/`;
          const result = await send(delivery(url), NOW);
          assert.deepEqual([result.outcome, result.error], ['failed', 'address forbidden'], url);
          assert.match(addressProblem(url, onlyPublic) ?? '', /special network/, url);
        }
      }
      assert.equal(counts.connections, 0);
    });
  }

  test('by an address that looks like another', async (t) => {
    const { port, counts } = await victim(t);
    const { send } = sender(t, { rules: onlyPublic });
    for (const disguise of disguises) {
      const result = await send(delivery(disguise.replaceAll('*', String(port))), NOW);
      assert.deepEqual([result.outcome, result.error], ['failed', 'address forbidden'], disguise);
    }
    assert.equal(counts.connections, 0);
  });

  test('by what is no address, whatever is allowed', async (t) => {
    const { port, counts } = await victim(t);
    const { send } = sender(t, { rules: ALL });
    for (const each of nonsense) {
      const result = await send(delivery(each.replaceAll('*', String(port))), NOW);
      assert.deepEqual([result.outcome, result.error], ['failed', 'bad address'], each);
    }
    assert.equal(counts.connections, 0);
  });

  test('by a name that the DNS or the system leads there', async (t) => {
    const { port, counts } = await victim(t);
    const { send } = sender(t, { rules: onlyPublic, resolve: await resolverOfNames(t) });
    for (const name of Object.keys(names)) {
      for (const protocol of ['http', 'https']) {
        const result = await send(delivery(`${protocol}://${name}:${port}/`), NOW);
        assert.deepEqual([result.outcome, result.error], ['failed', 'address forbidden'], name);
      }
    }
    assert.equal(counts.connections, 0);
  });

  test('by a name of this machine, asked for as in earnest', async (t) => {
    const { port, counts } = await victim(t);
    const { send } = sender(t, { rules: onlyPublic });
    for (const name of ['localhost', 'LOCALHOST', 'localhost.', 'shop.localhost']) {
      const { error } = await send(delivery(`http://${name}:${port}/`), NOW);
      // Some systems do not know all of these.
      assert.ok(error === 'address forbidden' || error === 'name not resolved', `${name}: ${error}`);
    }
    assert.equal(counts.connections, 0);
  });

  test('by the addresses that its network cards have', async (t) => {
    const { port, counts } = await victim(t);
    const { send } = sender(t, { rules: onlyPublic });
    const own = Object.values(networkInterfaces())
      .flatMap((each) => each ?? [])
      .filter(({ address }) => ipaddr.parse(address).range() !== 'unicast');
    for (const { address } of own) {
      const host = familyOf(address) === 6 ? `[${address}]` : address;
      assert.equal((await send(delivery(`http://${host}:${port}/`), NOW)).error, 'address forbidden', host);
    }
    assert.equal(counts.connections, 0);
    assert.ok(own.length > 0);
  });
});

suite('while the rules allow it, that listener is connected to', () => {
  test('by each way that leads to it', async (t) => {
    const { port, counts, hasIPv6 } = await victim(t);
    const hosts = reachable.filter((host) => hasIPv6 || !host.startsWith('['));
    for (const [index, host] of hosts.entries()) {
      // A sender of its own, because an address in use is connected to only once.
      const { send } = sender(t, { rules: ALL });
      const { outcome, error } = await send(delivery(`http://${host}:${port}/`), NOW);
      assert.deepEqual([outcome, error], ['delivered', null], host);
      assert.equal(counts.connections, index + 1, host);
    }
    assert.ok(hosts.every((host) => cases.includes(host)));
  });

  test('by names', async (t) => {
    const { port, counts } = await victim(t);
    const { send } = sender(t, { rules: withLoopback, resolve: await resolverOfNames(t) });
    const leading = [
      'localhost',
      'localhost.',
      'shop.localhost',
      '127.0.0.1.nip.example',
      'localtest.example',
    ];
    for (const name of leading) {
      assert.equal((await send(delivery(`http://${name}:${port}/`), NOW)).outcome, 'delivered', name);
    }
    assert.equal(counts.connections, leading.length);
  });
});

suite('a redirect to it is not followed', () => {
  for (const status of [300, 301, 302, 303, 305, 307, 308, 200, 201]) {
    test(`with ${status}, even where the rules allow the place`, async (t) => {
      const { port, counts } = await victim(t);
      const places = [
        `http://127.0.0.1:${port}/`,
        `http://localhost:${port}/`,
        `//127.0.0.1:${port}/`,
        `http://[::1]:${port}/`,
        `http://2130706433:${port}/`,
      ];
      const { url, received } = await receiver(t, (response, _request, count) => {
        const location = places[count - 1];
        response.writeHead(status, { location, refresh: `0; url=${location}`, 'content-location': location });
        response.end(`<meta http-equiv="refresh" content="0; url=${location}">`);
      });
      const { send } = sender(t, { rules: withLoopback });
      for (const place of places) {
        const { error, httpStatus } = await send(delivery(url), NOW);
        assert.deepEqual([error, httpStatus], [status < 300 ? null : 'redirect', status], place);
      }
      assert.deepEqual([received.length, counts.connections], [places.length, 0]);
    });
  }
});
