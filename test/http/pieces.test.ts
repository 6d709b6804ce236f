/** Large answers in pieces: turns of tenants, what clients get, and clients that leave. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { after, suite, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Fastify from 'fastify';
import { createInProcess } from '../../src/http/in-process.ts';
import { type Bytes, createPieces, PIECE_BYTES, sendJson, unsentOf } from '../../src/http/pieces.ts';
import { createPace } from '../../src/lib/rate-limit.ts';
import { operatorRights } from '../../src/users/roles.ts';
import type { UserId } from '../../src/users/user.ts';
import { configure } from '../api/bank.ts';
import { startService } from '../support/service.ts';
import { mockTimers } from '../support/timers.ts';

const KIB = 1024;
const bytesOf = (...sizes: readonly number[]): Bytes =>
  sizes.map((size, index) => Buffer.alloc(size, String(index)));
/** Answers are told apart alone. */
const response = () => ({}) as ServerResponse;

async function all(generator: AsyncGenerator<Uint8Array>): Promise<Uint8Array[]> {
  return Array.fromAsync(generator);
}

suite('pieces', () => {
  for (const [what, sizes, lengths] of [
    ['of short parts are shared', [10, 20, 30], [60]],
    ['of a long part are as long as they may be', [150 * KIB], [64 * KIB, 64 * KIB, 22 * KIB]],
    [
      'of both keep their order',
      [10, 64 * KIB, 70 * KIB, 10, 60 * KIB],
      [10, 64 * KIB, 64 * KIB, 6 * KIB + 10, 60 * KIB],
    ],
    ['of a part that ends where a piece does', [64 * KIB, 0, 64 * KIB], [64 * KIB, 64 * KIB]],
    ['of nothing are none', [0, 0], []],
  ] as const)
    test(what, async () => {
      const bytes = bytesOf(...sizes);
      const cut = await all(createPieces().inTurns(response(), 'a', bytes));
      assert.deepEqual(
        cut.map(({ length }) => length),
        lengths,
      );
      assert.ok(Buffer.concat(cut).equals(Buffer.concat(bytes)));
    });

  test('of one tenant, however many answers it has, leave others their turn', async () => {
    const pieces = createPieces();
    const order: string[] = [];
    const answered = async (tenant: string, count: number) => {
      for await (const _ of pieces.inTurns(response(), tenant, bytesOf(count * PIECE_BYTES)))
        order.push(tenant);
    };
    const many = Array.from({ length: 20 }, () => answered('a', 10));
    await answered('b', 3);
    assert.ok(order.length < 20, `${order.length} pieces`);
    let before = order.length;
    const isOver = Promise.all(many).then(() => true);
    for (let over = false; !over; before = order.length) {
      over = await Promise.race([isOver, nextTurn(false)]);
      assert.ok(order.length - before <= 8, `${order.length - before} pieces in one turn`);
    }
    assert.equal(order.length, 203);
  });

  test('of one caller go out at a pace, and those of others at once', async (t) => {
    const timers = mockTimers(t, ['setTimeout']);
    const pace = createPace(4 * PIECE_BYTES, Number.POSITIVE_INFINITY, () => 0);
    const pieces = createPieces(pace);
    let sent = 0;
    async function send(): Promise<void> {
      for await (const _ of pieces.inTurns(response(), 'a', bytesOf(5 * PIECE_BYTES))) sent++;
    }
    const isSent = send();
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    await all(pieces.inTurns(response(), 'b', bytesOf(3 * PIECE_BYTES)));
    assert.equal(sent, 4);
    timers.tick(249);
    await nextTurn();
    assert.equal(sent, 4);
    timers.tick(1);
    await isSent;
    assert.equal(sent, 5);
  });

  test('that stay in the process have the same pace', async (t) => {
    const timers = mockTimers(t, ['setTimeout']);
    const pieces = createPieces(createPace(4 * PIECE_BYTES, Number.POSITIVE_INFINITY, () => 0));
    let isTaken = false;
    const taken = pieces.turnsFor('a', 4 * PIECE_BYTES + 1).then(() => {
      isTaken = true;
    });
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    await pieces.turnsFor('b', 3 * PIECE_BYTES);
    assert.ok(!isTaken);
    timers.tick(1);
    await taken;
  });

  test('are known to be unsent until they are taken, or given up', async () => {
    const pieces = createPieces();
    const one = response();
    const taken = pieces.inTurns(one, 'a', bytesOf(3 * PIECE_BYTES));
    assert.equal(unsentOf(one), 0);
    for (const left of [2, 1, 0]) {
      await taken.next();
      assert.equal(unsentOf(one), left * PIECE_BYTES);
    }
    const given = pieces.inTurns(one, 'a', bytesOf(3 * PIECE_BYTES));
    await given.next();
    await given.return(undefined);
    assert.equal(unsentOf(one), 0);
  });
});

test('somebody in the process gets the bytes of an answer themselves', async (t) => {
  const bytes = bytesOf(10, 3 * PIECE_BYTES);
  const inProcess = createInProcess();
  const app = Fastify();
  t.after(() => app.close());
  app.decorate('pieces', createPieces());
  app.decorateRequest('principal', null);
  app.addHook('onRequest', async (request) => {
    request.principal = inProcess.asker(request.headers.authorization ?? '') ?? null;
  });
  app.get('/', (request, reply) => sendJson(request, reply, bytes));
  await app.ready();
  const asker = {
    user: 'usr_1' as UserId,
    tenant: { account: 1, mode: 'test' },
    rights: operatorRights,
    requestId: 'req_1',
  } as const;
  const { status, pieces } = await inProcess.askOn(app)(asker, { method: 'GET', url: '/' });
  assert.equal(status, 200);
  assert.equal(pieces, bytes);
});

suite('a large answer', async () => {
  const service = await startService({ after });
  const { port } = new URL(service.url);
  const description = 'ü大'.repeat(2_000);
  const items = Array.from({ length: 20 }, () => ({ name: 'x', quantity: 1, unit_price: 100, description }));
  const ids: string[] = [];
  for (let count = 0; count < 4; count++) {
    const body = { invoice_currency: 'JPY', items, reference_id: `${count}` };
    const { json } = await service.call('POST', '/v3/checkout', { body });
    ids.push(json.data.id);
  }

  for (const path of ['/v3/checkout', '/v3/event', `/v3/checkout/${ids[0]}`])
    test(`of ${path} is whole, and has its length`, async () => {
      const { text, headers } = await service.call('GET', path);
      assert.equal(headers.get('content-length'), String(Buffer.byteLength(text)));
      assert.equal(headers.get('transfer-encoding'), null);
      assert.ok(Buffer.byteLength(text) > PIECE_BYTES);
      const { data } = JSON.parse(text);
      const found = [data].flat().map((each) => each.data ?? each);
      for (const session of found) assert.equal(session.items[0].description, description);
      const head = await service.call('HEAD', path);
      assert.deepEqual([head.status, head.text], [200, '']);
      assert.equal(head.headers.get('content-length'), headers.get('content-length'));
    });

  test('of a client that leaves is given up, and others are served', async () => {
    const { authorization } = service.key;
    const closed = new Promise<void>((resolve) => {
      service.service.app.server.once('connection', (socket) => socket.once('close', () => resolve()));
    });
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(
      `GET /v3/checkout HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`.repeat(20),
    );
    await once(socket, 'data');
    socket.destroy();
    await closed;
    const { json } = await service.call('GET', '/v3/checkout?limit=3');
    assert.equal(json.data.length, 3);
  });

  test('has amounts in the form of its account', async () => {
    await configure(service, { compatibility: 'v3' });
    for (const path of ['/v3/checkout', '/v3/event', `/v3/checkout/${ids[0]}`]) {
      const { json } = await service.call('GET', path);
      const [first] = [json.data].flat().map((each) => each.data ?? each);
      assert.equal(first.amount, 200_000, path);
    }
  });
});
