/** Sending with the guard: allowed addresses; the corpus has those that are forbidden. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkRules } from '../../src/webhooks/guard.ts';
import { delivery, receiver, scriptedResolver, sender, withLoopback } from './build.ts';

const NOW = Date.parse('2030-01-31T12:00:00Z');

test('a name is connected to at its vetted address, and the receiver still sees the name', async (t) => {
  const { port, received, counts } = await receiver(t, (response) => response.end());
  const { resolve, asked } = scriptedResolver(['127.0.0.1']);
  const { send } = sender(t, { rules: withLoopback, resolve });
  for (let n = 0; n < 3; n += 1) {
    assert.equal((await send(delivery(`http://shop.example:${port}/`), NOW)).outcome, 'delivered');
  }
  assert.equal(received[0]?.headers.host, `shop.example:${port}`);
  assert.deepEqual([asked, counts.connections], [['shop.example'], 1]);
});

test('a connection serves only the name that it was opened for', async (t) => {
  const { port, counts } = await receiver(t, (response) => response.end());
  const { resolve, asked } = scriptedResolver(['127.0.0.1'], ['10.0.0.1']);
  const { send } = sender(t, { rules: withLoopback, resolve });
  assert.equal((await send(delivery(`http://shop.example:${port}/`), NOW)).outcome, 'delivered');
  const other = await send(delivery(`http://other.example:${port}/`), NOW);
  assert.equal(other.error, 'address forbidden');
  assert.deepEqual([asked, counts.connections], [['shop.example', 'other.example'], 1]);
});

test("an address on the operator's list is connected to", async (t) => {
  const { url } = await receiver(t, (response) => response.end());
  const { send } = sender(t, { rules: networkRules(['127.0.0.1/32'], false) });
  assert.equal((await send(delivery(url), NOW)).outcome, 'delivered');
});
