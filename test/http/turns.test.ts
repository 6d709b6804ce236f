/** Lists of one tenant, however many, and what others ask for meanwhile. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { createTurns } from '../../src/http/turns.ts';
import { startService } from '../support/service.ts';

const one = { account: 1, mode: 'test' } as const;
const other = { account: 2, mode: 'test' } as const;
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test('one begins in each turn of the event loop, of one tenant after the other', async () => {
  const begun: string[] = [];
  const turns = createTurns();
  for (const name of ['a', 'b', 'c']) turns(one, () => begun.push(name));
  turns(other, () => begun.push('other'));
  assert.deepEqual(begun, ['a']);
  for (const expected of ['b', 'other', 'c']) {
    const before = begun.length;
    await nextTurn();
    assert.deepEqual(begun.slice(before), [expected]);
  }
  await nextTurn();
  turns(one, () => begun.push('at once'));
  assert.equal(begun.at(-1), 'at once');
});

test('of one tenant only so many wait', async () => {
  const begun: string[] = [];
  const turns = createTurns(2);
  const added = ['a', 'b', 'c', 'd'].map((name) => turns(one, () => begun.push(name)));
  assert.deepEqual(added, [true, true, true, false]);
  assert.equal(
    turns(other, () => begun.push('other')),
    true,
  );
  for (let turn = 0; turn < 4; turn++) await nextTurn();
  assert.deepEqual(begun, ['a', 'b', 'other', 'c']);
});

test('many lists of one tenant do not hold up what another asks for', async () => {
  const service = await startService({ after });
  const neighbour = await service.service.store.accounts.create(
    { name: 'Neighbour', webhookSecrets: service.account.webhookSecrets, testClockOffsetMs: 0 },
    Date.now(),
  );
  const { secret } = await service.createKey({ account: neighbour.number });
  for (let count = 0; count < 30; count++) {
    const { status } = await service.call('POST', '/v3/checkout', {
      body: { invoice_currency: 'EUR', amount: 1 },
    });
    assert.equal(status, 201);
  }
  const finished: string[] = [];
  const { port } = new URL(service.url);
  const connected = async (name: string, path: string, secret: string) => {
    const socket = connect(Number(port), '127.0.0.1');
    after(() => socket.destroy());
    await once(socket, 'connect');
    const request = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret}\r\n\r\n`;
    const ask = async () => {
      socket.write(request);
      await once(socket, 'data');
      finished.push(name);
    };
    // The key is known from then on.
    await ask();
    return ask;
  };
  const lists = await Promise.all(
    Array.from({ length: 60 }, () => connected('list', '/v3/checkout?limit=100', service.key.secret)),
  );
  const other = await connected('other', '/v3/checkout?limit=1', secret);
  finished.length = 0;
  // They are there in one turn of the event loop.
  await Promise.all([...lists, other].map((ask) => ask()));
  assert.ok(finished.indexOf('other') < 20, `after ${finished.indexOf('other')} lists`);
});
