/** TLS to a vetted address: the socket goes to the number, and all that the receiver sees is the name. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { before, suite, type TestContext, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls';
import { delivery, scriptedResolver, sender } from './build.ts';
import { certificateFor } from './build-certificate.ts';

const NOW = Date.parse('2030-01-31T12:00:00Z');
const known = certificateFor('shop.example');
const stranger = certificateFor('shop.example');

async function tlsReceiver(t: TestContext, identity = known) {
  const seen: { readonly servername: unknown; readonly host: unknown; readonly address: unknown }[] = [];
  const server = https.createServer(identity, (request, response) => {
    const socket = request.socket as TLSSocket & { readonly servername: unknown };
    seen.push({
      servername: socket.servername,
      host: request.headers.host,
      address: socket.localAddress,
    });
    response.end();
  });
  const counts = { connections: 0 };
  server.on('connection', () => {
    counts.connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { seen, counts, port: (server.address() as AddressInfo).port };
}

suite('over TLS', () => {
  // The certificates hold for this process, which runs nothing but this file.
  before(() => setDefaultCACertificates([...getCACertificates('default'), known.cert]));

  test('the name is kept, and the socket goes to the vetted address', async (t) => {
    const { port, seen, counts } = await tlsReceiver(t);
    const { resolve, asked } = scriptedResolver(['127.0.0.1']);
    const { send } = sender(t, { resolve });
    for (let n = 0; n < 3; n += 1) {
      const result = await send(delivery(`https://shop.example:${port}/`), NOW);
      assert.deepEqual([result.outcome, result.error], ['delivered', null]);
    }
    const expected = { servername: 'shop.example', host: `shop.example:${port}`, address: '127.0.0.1' };
    assert.deepEqual(seen, [expected, expected, expected]);
    assert.deepEqual([asked, counts.connections], [['shop.example'], 1]);
  });

  test('a certificate of another name is refused, also while a connection to that one is open', async (t) => {
    const { port, seen, counts } = await tlsReceiver(t);
    const { send } = sender(t, { resolve: scriptedResolver(['127.0.0.1']).resolve });
    await send(delivery(`https://shop.example:${port}/`), NOW);
    for (const host of ['other.example', 'sub.shop.example', '127.0.0.1']) {
      const result = await send(delivery(`https://${host}:${port}/`), NOW);
      assert.deepEqual([result.outcome, result.error, result.httpStatus], ['failed', 'tls', null]);
    }
    assert.deepEqual([seen.length, counts.connections], [1, 4]);
  });

  test('a certificate that nobody vouches for is refused', async (t) => {
    const { port, seen } = await tlsReceiver(t, stranger);
    const { send } = sender(t, { resolve: scriptedResolver(['127.0.0.1']).resolve });
    const result = await send(delivery(`https://shop.example:${port}/`), NOW);
    assert.deepEqual([result.outcome, result.error, seen.length], ['failed', 'tls', 0]);
  });
});
