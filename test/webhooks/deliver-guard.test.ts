/** The guard as deliveries meet it: whatever a merchant or a resolver says, no forbidden listener sees a connection. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { networkRules } from '../../src/webhooks/guard.ts';
import { delivery, onlyPublic, receiver, SECRET, scriptedResolver, sender, withLoopback } from './build.ts';

const NOW = Date.parse('2030-01-31T12:00:00Z');

suite('a listener on loopback is never connected to', () => {
  const hosts = [
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '0',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    'localhost',
    'localhost.',
    'LOCALHOST',
  ];
  for (const host of hosts) {
    test(`as ${host}`, async (t) => {
      const victim = await receiver(t, (response) => response.end());
      const { send } = sender(t, { rules: onlyPublic });
      for (const protocol of ['http', 'https']) {
        const result = await send(delivery(`${protocol}://${host}:${victim.port}/`), SECRET, NOW);
        // A system may not know a spelling of the name; what counts is that nobody was connected to.
        assert.ok(
          ['address forbidden', 'name not resolved'].includes(result.error ?? ''),
          String(result.error),
        );
        assert.equal(result.outcome, 'failed');
      }
      assert.equal(victim.counts.connections, 0);
    });
  }

  test('by a name that points there, nor by one that points there among others', async (t) => {
    const victim = await receiver(t, (response) => response.end());
    for (const addresses of [['127.0.0.1'], ['93.184.216.34', '127.0.0.1'], ['127.0.0.1', '93.184.216.34']]) {
      const { resolve } = scriptedResolver(addresses);
      const { send } = sender(t, { rules: onlyPublic, resolve });
      const result = await send(delivery(`http://shop.example:${victim.port}/`), SECRET, NOW);
      assert.equal(result.error, 'address forbidden');
    }
    assert.equal(victim.counts.connections, 0);
  });

  test('by a name that changes between two looks', async (t) => {
    const victim = await receiver(t, (response) => response.end());
    // A documentation address stands for the public one: it may be connected to, and nobody is there.
    const rules = networkRules(['198.51.100.0/24'], false);
    const { resolve, asked } = scriptedResolver(['198.51.100.1'], ['127.0.0.1']);
    const { send } = sender(t, { rules, resolve, timeoutMs: 40 });
    const url = `http://shop.example:${victim.port}/`;

    const first = await send(delivery(url), SECRET, NOW);
    assert.equal(first.outcome, 'failed');
    assert.notEqual(first.error, 'address forbidden');
    assert.equal(asked.length, 1, 'the address that was vetted is the one that is used');

    assert.equal((await send(delivery(url), SECRET, NOW)).error, 'address forbidden');
    assert.equal(asked.length, 2);
    assert.equal(victim.counts.connections, 0);
  });
});

test('a name is connected to at its vetted address, and the receiver still sees the name', async (t) => {
  const { port, received, counts } = await receiver(t, (response) => response.end());
  const { resolve, asked } = scriptedResolver(['127.0.0.1']);
  const { send } = sender(t, { rules: withLoopback, resolve });
  for (let n = 0; n < 3; n += 1) {
    assert.equal((await send(delivery(`http://shop.example:${port}/`), SECRET, NOW)).outcome, 'delivered');
  }
  assert.equal(received[0]?.headers.host, `shop.example:${port}`);
  assert.deepEqual([asked, counts.connections], [['shop.example'], 1]);
});

test('a connection serves only the name that it was opened for', async (t) => {
  const { port, counts } = await receiver(t, (response) => response.end());
  const { resolve, asked } = scriptedResolver(['127.0.0.1'], ['10.0.0.1']);
  const { send } = sender(t, { rules: withLoopback, resolve });
  assert.equal((await send(delivery(`http://shop.example:${port}/`), SECRET, NOW)).outcome, 'delivered');
  const other = await send(delivery(`http://other.example:${port}/`), SECRET, NOW);
  assert.equal(other.error, 'address forbidden');
  assert.deepEqual([asked, counts.connections], [['shop.example', 'other.example'], 1]);
});

test("an address on the operator's list is connected to", async (t) => {
  const { url } = await receiver(t, (response) => response.end());
  const { send } = sender(t, { rules: networkRules(['127.0.0.1/32'], false) });
  assert.equal((await send(delivery(url), SECRET, NOW)).outcome, 'delivered');
});
