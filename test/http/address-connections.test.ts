/** Connections of each address: how many one may have, who is not counted, and a service that holds to it. */
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { suite, test } from 'node:test';
import { createAddressConnections } from '../../src/http/address-connections.ts';
import { startService } from '../support/service.ts';

function setUp(limit: number, proxies: readonly string[] = []) {
  let refused = 0;
  const lines: object[] = [];
  const logger = { warn: (about: object) => void lines.push(about) };
  const connections = createAddressConnections({ limit, proxies, logger, onRefused: () => refused++ });
  return {
    /** A connection from there: how it is taken, and how it ends. */
    from(remoteAddress: string) {
      const socket = Object.assign(new EventEmitter(), { remoteAddress });
      const stays = connections.mayConnect(remoteAddress);
      if (stays) connections.connected(socket as unknown as Socket);
      return { stays, end: () => socket.emit('close') };
    },
    refused: () => refused,
    lines,
  };
}

suite('the connections of an address', () => {
  test('are so many at most, and others have theirs', () => {
    const { from, refused } = setUp(2);
    const first = from('192.0.2.1');
    assert.deepEqual([first.stays, from('192.0.2.1').stays], [true, true]);
    const third = from('192.0.2.1');
    assert.equal(third.stays, false);
    assert.equal(from('192.0.2.2').stays, true);
    third.end();
    assert.equal(from('192.0.2.1').stays, false, 'the end of a refused one makes no room');
    first.end();
    assert.deepEqual([from('192.0.2.1').stays, from('192.0.2.1').stays], [true, false]);
    assert.equal(refused(), 3);
  });

  test('are told of in a line a minute where they are too many', (t) => {
    let clock = 1000;
    t.mock.method(performance, 'now', () => clock);
    const { from, lines } = setUp(1);
    for (let count = 0; count < 4; count++) from('192.0.2.1');
    assert.deepEqual(lines, [{ limit: 1 }]);
    clock += 60_000;
    from('192.0.2.1');
    assert.deepEqual(lines.slice(1), [{ limit: 1, left_out: 2 }]);
  });

  test('are those of the first 64 bits of IPv6, and of IPv4 however it is written', () => {
    const { from } = setUp(1);
    assert.deepEqual([from('2001:db8::1').stays, from('2001:db8::2').stays], [true, false]);
    assert.equal(from('2001:db8:0:1::1').stays, true);
    assert.deepEqual([from('192.0.2.1').stays, from('::ffff:192.0.2.1').stays], [true, false]);
  });

  test('are not counted for proxies, nor where nothing limits them', () => {
    const behind = setUp(1, ['10.1.0.0/16', '2001:db8::1/128']);
    for (const proxy of ['10.1.2.3', '::ffff:10.1.2.3', '2001:db8::1'])
      assert.deepEqual([behind.from(proxy).stays, behind.from(proxy).stays], [true, true], proxy);
    assert.deepEqual([behind.from('10.2.0.1').stays, behind.from('10.2.0.1').stays], [true, false]);
    const free = setUp(0);
    assert.deepEqual([free.from('192.0.2.1').stays, free.from('192.0.2.1').stays], [true, true]);
  });
});

test('a service closes a connection too many at once, counts it, and goes on with the others', async (t) => {
  const till = await startService(t, { env: { ADDRESS_CONNECTION_LIMIT: '2' } });
  const { port } = new URL(till.url);
  const open = async () => {
    const socket = connect({ port: Number(port), host: '127.0.0.1' });
    t.after(() => socket.destroy());
    await once(socket, 'connect');
    return socket;
  };
  const ask = async (socket: Socket) => {
    socket.setEncoding('utf8').write('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n');
    let text = '';
    while (!/refused_total \d+\n/.test(text)) text += (await once(socket, 'data'))[0];
    return text;
  };
  const first = await open();
  const second = await open();
  assert.match(await ask(first), /^opentill_connections_refused_total 0$/m);
  assert.match(await ask(second), /^HTTP\/1\.1 200/);
  const third = await open();
  third.on('data', () => assert.fail('one too many is answered'));
  third.on('error', () => {}).write('GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  await once(third, 'close');
  assert.match(await ask(first), /^opentill_connections_refused_total 1$/m);
});
