/** Names whose addresses change between two looks, and connections that outlive a look. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { createServer, type Server } from 'node:net';
import { suite, type TestContext, test } from 'node:test';
import { isForbidden, networkRules } from '../../src/webhooks/guard.ts';
import { evidence } from '../support/evidence.ts';
import { delivery, receiver, scriptedResolver, sender, withLoopback } from './build.ts';
import { dnsServer, resolverWith } from './build-dns.ts';

const NOW = Date.parse('2030-01-31T12:00:00Z');

/** The one address that is allowed stands for a public one. */
const PUBLIC = '127.0.0.1';
const rules = networkRules([`${PUBLIC}/32`], false);
const VICTIMS = ['127.0.0.2', '::1'];
const FORBIDDEN = [
  ...VICTIMS,
  '10.0.0.1',
  '192.168.1.1',
  '169.254.169.254',
  'fd00::1',
  '0.0.0.0',
  '::',
  '::ffff:127.0.0.2',
];

/** An honest receiver, and on the same port of other addresses listeners that nobody may connect to. */
async function honestReceiver(t: TestContext, keepAlive: boolean) {
  const honest = await receiver(t, (response) => {
    if (!keepAlive) response.setHeader('connection', 'close');
    response.end();
  });
  const victims = { connections: 0, listening: 0 };
  for (const address of VICTIMS) {
    const server: Server = createServer((socket) => {
      victims.connections += 1;
      socket.destroy();
    });
    // Some machines have one address of loopback only, some no IPv6.
    const isListening = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(honest.port, address, () => resolve(true));
    });
    if (!isListening) continue;
    victims.listening += 1;
    t.after(() => server.close());
  }
  assert.ok(victims.listening > 0);
  return { ...honest, victims };
}

/** Answers of a resolver that wants to get past the guard, one after the other. */
const plots: Record<string, (bad: string) => readonly (readonly string[])[]> = {
  'public first, then not': (bad) => [[PUBLIC], [bad]],
  'not at first, then public': (bad) => [[bad], [PUBLIC]],
  'by turns': (bad) => [[PUBLIC], [bad], [PUBLIC], [bad], [PUBLIC], [bad]],
  'public for long': (bad) => [[PUBLIC], [PUBLIC], [PUBLIC], [PUBLIC], [bad]],
  'both at once': (bad) => [[PUBLIC, bad]],
  'both at once, the other way round': (bad) => [[bad, PUBLIC]],
  'public, then both': (bad) => [[PUBLIC], [PUBLIC, bad]],
  'one among many': (bad) => [[PUBLIC, PUBLIC, PUBLIC, PUBLIC, bad, PUBLIC]],
  'both and public by turns': (bad) => [[PUBLIC, bad], [PUBLIC], [bad, PUBLIC], [PUBLIC]],
  'many bad ones after public': (bad) => [[PUBLIC], [bad, ...FORBIDDEN]],
  'nothing in between': (bad) => [[PUBLIC], [], [bad], [PUBLIC]],
  'twice the same, then not': (bad) => [
    [PUBLIC, PUBLIC],
    [bad, bad],
  ],
};
const rebinds = Object.entries(plots).flatMap(([plot, script]) =>
  FORBIDDEN.map((bad) => ({ name: `${plot}: ${bad}`, script: script(bad) })),
);

suite('a name that is rebound', () => {
  test('is tried in a hundred ways', (t) => {
    evidence(t, 'guard', { rebound_names: rebinds.length });
    assert.ok(rebinds.length >= 100, String(rebinds.length));
  });

  for (const keepAlive of [false, true]) {
    test(`leads nowhere but to the vetted address (${keepAlive ? 'kept-alive' : 'new'} connections)`, async (t) => {
      const { port, victims, received } = await honestReceiver(t, keepAlive);
      let delivered = 0;
      for (const { name, script } of rebinds) {
        const { resolve, asked } = scriptedResolver(...script);
        const { send, close } = sender(t, { rules, resolve });
        for (let n = 0; n < 6; n += 1) {
          const before = asked.length;
          const { outcome, error } = await send(delivery(`http://shop.example:${port}/`), NOW);
          const answer = script[Math.min(before, script.length - 1)] ?? [];
          const looks = asked.length - before;
          if (outcome === 'delivered') delivered += 1;
          if (looks === 0) assert.ok(keepAlive && outcome === 'delivered', name);
          else if (answer.length === 0) assert.equal(error, 'name not resolved', name);
          else if (answer.some((each) => isForbidden(each, rules))) {
            assert.equal(error, 'address forbidden', name);
          } else assert.equal(outcome, 'delivered', name);
          assert.ok(looks <= 1, 'the look that vets is the one that is used');
        }
        close();
      }
      assert.equal(victims.connections, 0);
      assert.ok(delivered > rebinds.length, 'and what is public is delivered to');
      assert.equal(received.length, delivered);
    });
  }

  test('in the DNS itself is refused from then on', async (t) => {
    const { port, victims, received } = await honestReceiver(t, false);
    const { servers } = await dnsServer(t, (name, family, before) => {
      const mixes = name.startsWith('mixes');
      if (family === 6) return mixes && before % 2 === 1 ? ['::1'] : [];
      return mixes || before % 2 === 0 ? [PUBLIC] : ['127.0.0.2'];
    });
    const { send } = sender(t, { rules, resolve: resolverWith({ servers }) });
    for (const name of ['turns.example', 'mixes.example']) {
      const errors = [];
      for (let n = 0; n < 4; n += 1)
        errors.push((await send(delivery(`http://${name}:${port}/`), NOW)).error);
      assert.deepEqual(errors, [null, 'address forbidden', null, 'address forbidden'], name);
    }
    assert.deepEqual([victims.connections, received.length], [0, 4]);
  });
});

test('a connection that is kept alive never serves another host', async (t) => {
  const hostsOf = new Map<unknown, Set<unknown>>();
  const server = http.createServer((request, response) => {
    const hosts = hostsOf.get(request.socket) ?? new Set();
    hostsOf.set(request.socket, hosts.add(request.headers.host));
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  // All of them lead to the same address and port.
  const { send } = sender(t, { rules: withLoopback, resolve: scriptedResolver(['127.0.0.1']).resolve });
  const hosts = ['shop.example', 'other.example', 'shop.example.', 'sub.shop.example', '127.0.0.1'];
  for (let round = 0; round < 4; round += 1) {
    for (const host of hosts) {
      const { outcome } = await send(delivery(`http://${host}:${address.port}/`), NOW);
      assert.equal(outcome, 'delivered');
    }
  }
  assert.equal(hostsOf.size, hosts.length);
  assert.ok([...hostsOf.values()].every((seen) => seen.size === 1));
});
