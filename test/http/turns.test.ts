/** Lists of one tenant, however many, and what others ask for meanwhile. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { createTurns } from '../../src/http/turns.ts';
import { StoreUnavailable } from '../../src/store/errors.ts';
import { startService } from '../support/service.ts';

const one = '1 test';
const other = '2 test';
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test('one list begins in each turn of the event loop, of one tenant after the other', async () => {
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

test('several begin in a turn where that is allowed', async () => {
  const begun: string[] = [];
  const turns = createTurns(undefined, { atOnce: 2 });
  for (const name of ['a', 'b', 'c', 'd', 'e']) turns(one, () => begun.push(name));
  turns(other, () => begun.push('other'));
  assert.deepEqual(begun, ['a', 'b']);
  for (let before = 2; before < 6; before = begun.length) {
    await nextTurn();
    assert.ok(begun.length <= before + 2, begun.join());
  }
  assert.deepEqual(begun, ['a', 'b', 'c', 'other', 'd', 'e']);
});

test('no more begin in a turn when those that have begun took their time, with all that they did behind a pause', async (t) => {
  let clock = 0;
  t.mock.method(performance, 'now', () => clock);
  const begun: string[] = [];
  const turns = createTurns(undefined, { atOnce: 10, forMs: 2 });
  const work = (name: string, ms: number) => async () => {
    begun.push(name);
    await null;
    clock += ms;
  };
  // Requests come from the network in this way: what one does behind a pause is done before the next one comes.
  const arrive = async (name: string, ms: number) => {
    for (let count = 0; count < 10; count++) await turns(one, work(name, ms));
  };
  await arrive('short', 0.1);
  assert.equal(begun.length, 10, 'short ones do not use up the time');
  await nextTurn();
  await arrive('long', 2);
  turns(other, work('other', 0));
  for (let length = begun.length; length < 21; length = begun.length) {
    await nextTurn();
    const ofTurn = begun.slice(length);
    assert.ok(ofTurn.filter((name) => name === 'long').length <= 2, ofTurn.join());
  }
  assert.ok(begun.indexOf('other') <= 13, begun.join());
});

test('the lists that wait are bounded for a tenant and in all, and the tenant with the most gives way', async () => {
  const begun: string[] = [];
  const refused: string[] = [];
  const turns = createTurns({ maxWaiting: 3, maxWaitingOfTenant: 3 });
  const ask = (tenant: string, name: string) =>
    turns(tenant, (error) => (error === undefined ? begun : refused).push(name));
  for (const name of ['a', 'b', 'c', 'd']) ask(one, name);
  assert.throws(() => ask(one, 'e'), StoreUnavailable);
  ask(other, 'other');
  assert.deepEqual(refused, ['d']);
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
  // All requests arrive in one turn of the event loop.
  await Promise.all([...lists, other].map((ask) => ask()));
  assert.ok(finished.indexOf('other') < 20, `after ${finished.indexOf('other')} lists`);
});
