/** The stand-in for Stripe by itself: tests can only be as good as it is. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite, test } from 'node:test';
import Stripe from 'stripe';
import { startHarness } from './harness.ts';

suite('the stand-in for Stripe', () => {
  test('has a page on which a payer can be declined, pay, and come back', async (t) => {
    const harness = await startHarness(t);
    const { attempt } = await harness.started({ description: 'Chairs & "tables"' });
    const address = harness.rail.payerUrl?.(attempt) ?? '';
    const shown = await (await fetch(address)).text();
    assert.match(shown, /<h1>Chairs &#38; &#34;tables&#34;<\/h1>/);
    const submit = (outcome: string) =>
      fetch(address, { method: 'POST', body: new URLSearchParams({ outcome }), redirect: 'manual' });
    assert.equal((await submit('declined')).headers.get('location'), new URL(address).pathname);
    assert.equal(harness.pageOf(attempt).status, 'open');
    const { success_url: success } = harness.pageOf(attempt);
    assert.equal((await submit('succeeds')).headers.get('location'), success);
    assert.equal(harness.pageOf(attempt).payment_status, 'paid');
    assert.equal((await submit('succeeds')).status, 410);
  });

  test('repeats its answer to a key, and refuses another request with it', async (t) => {
    const { stripe } = await startHarness(t);
    const { hostname, port } = new URL(stripe.url);
    const client = new Stripe(stripe.keys.test.secretKey, { protocol: 'http', host: hostname, port });
    const expiresAtSeconds = Math.floor(Date.now() / 1000) + 3600;
    const create = (name: string) =>
      client.checkout.sessions.create(
        {
          mode: 'payment',
          line_items: [
            { quantity: 1, price_data: { currency: 'usd', unit_amount: 100, product_data: { name } } },
          ],
          success_url: 'https://shop.example/',
          cancel_url: 'https://shop.example/',
          expires_at: expiresAtSeconds,
        },
        { idempotencyKey: 'one' },
      );
    const first = await create('Chair');
    stripe.books.test.expireSession(first.id);
    const again = await create('Chair');
    assert.deepEqual([again.id, again.status], [first.id, 'open']);
    await assert.rejects(create('Table'), Stripe.errors.StripeIdempotencyError);
    await assert.rejects(client.checkout.sessions.expire(first.id), /has a status of `expired`/);
    await assert.rejects(client.refunds.retrieve('re_none'), /No such refund: 're_none'/);
    const stranger = new Stripe('sk_test_other', { protocol: 'http', host: hostname, port });
    await assert.rejects(stranger.refunds.retrieve('re_none'), Stripe.errors.StripeAuthenticationError);
  });

  test('sends its events where it is told to', async (t) => {
    const harness = await startHarness(t);
    const { attempt } = await harness.paid();
    const seen: Array<string | null> = [];
    const shop = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const event = harness.rail.readEvent?.(Buffer.concat(chunks), request.headers);
      seen.push(event?.attemptReference ?? null);
      response.writeHead(204).end();
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => shop.once('listening', resolve));
    t.after(() => shop.close());
    const address = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/`;
    for (const event of harness.stripe.books.test.events) {
      assert.equal(await harness.stripe.deliver(event, address), 204);
    }
    assert.deepEqual(seen, [attempt.id, attempt.id, attempt.id]);
  });
});
