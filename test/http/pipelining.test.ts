/** Requests that a client sends before the answers to those before are there. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { freePort } from '../../src/cli/free-port.ts';
import { startService } from '../support/service.ts';

/** Counting takes a moment, and so the answer to the first request is not there when the others come. */
const REQUEST = 'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n';

for (const where of ['the address of the API', 'the address of operations'])
  test(`four wait, the next one is refused and counted, and nothing more is read: at ${where}`, async (t) => {
    const isApart = where !== 'the address of the API';
    const own = await freePort();
    const { config } = await startService(t, isApart ? { env: { OPERATIONS_PORT: String(own) } } : {});
    const [host, port] = ['127.0.0.1', isApart ? own : config.PORT];
    const refused = async () => {
      const metrics = await (await fetch(`http://${host}:${port}/metrics`)).text();
      return Number(/^opentill_pipelined_requests_refused_total (\d+)$/m.exec(metrics)?.[1]);
    };
    assert.equal(await refused(), 0);
    const socket = connect({ port, host });
    t.after(() => socket.destroy());
    let text = '';
    socket.setEncoding('utf8').on('data', (piece) => {
      text += piece;
    });
    socket.write(REQUEST.repeat(20));
    await once(socket, 'end');
    assert.deepEqual(text.match(/(?<=HTTP\/1\.1 )\d+/g), [...Array(5).fill('200'), '429']);
    assert.match(text, /"message":"API\.REQUEST\.RATE_LIMITED".*"request_id":"req_/s);
    assert.equal(await refused(), 1);
  });
