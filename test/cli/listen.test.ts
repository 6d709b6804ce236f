import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { suite, test } from 'node:test';
import { freePort } from '../../src/cli/free-port.ts';
import { assertSigned, startReceiver } from '../api/receiver.ts';
import { createSession, type Data, feed, pay, reopened } from '../api/shop.ts';
import { cleanUp, type Ends } from '../support/clean-up.ts';
import { revokeKey } from '../support/revoke-key.ts';
import { startService } from '../support/service.ts';
import {
  assertFailure,
  assertMistake,
  said,
  settingsFor,
  startListening,
  stopListening,
} from './developer.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

/** The lines about events: what listen says besides begins with a word. */
const eventLines = (stdout: string) => stdout.split('\n').filter((line) => /^\d{4}-/.test(line));
const idsOf = (events: readonly Data[]) => events.map(({ id }) => id);

// Each has a service of its own, and waits for pauses between two tries for most of its time.
suite('opentill listen --forward', { concurrency: 3 }, () => {
  test('forwards what happens from now on, signed, in order and one at a time', async () => {
    await using t = cleanUp();
    const service = await startService(t);
    const before = await createSession(service);
    const receiver = await startReceiver(t);
    const listening = await startListening(t, service, '--forward', receiver.url);
    const [, secret = ''] = await said(listening, /^Webhook secret {2}(whsec_\S+)\n/m);

    const sessions = await Promise.all([1, 2, 3].map(() => createSession(service)));
    await Promise.all(sessions.map(({ id }) => pay(service, id)));
    const expected = (await feed(service)).slice(1);
    assert.equal(expected.length, 15);
    const received = await receiver.received(15);
    assert.deepEqual(
      received.map(({ event }) => event),
      expected,
    );
    for (const delivery of received) {
      assertSigned(delivery, secret);
      assert.equal(delivery.beside, 0);
      assert.notEqual(delivery.event.data.id, before.id);
    }

    const cursor = await stopListening(listening);
    assert.deepEqual(await feed(service, cursor), []);
    assert.equal(listening.output.stderr, '');
    const lines = eventLines(listening.output.stdout);
    assert.equal(lines.length, 15);
    for (const [index, { id, created_at, type, data }] of expected.entries()) {
      const line = `^${created_at}  ${type} +${data.payin ?? data.id}  ${id}  (\\d+)  \\d+ ms  200$`;
      const [, behind = ''] = new RegExp(line).exec(lines[index] ?? '') ?? [];
      assert.deepEqual(idsOf(await feed(service, behind)), idsOf(expected.slice(index + 1)));
    }
  });

  test('a service that is restarted meanwhile: everything arrives, once and in order', async () => {
    await using t = cleanUp();
    const first = await startService(t);
    const receiver = await startReceiver(t);
    const listening = await startListening(t, first, '--forward', receiver.url, '--secret', SECRET);
    await pay(first, (await createSession(first)).id);
    await receiver.received(5);

    const second = await reopened(first);
    t.after(second.stop);
    await pay(second, (await createSession(second)).id);
    await said(listening, /connected again/);
    await pay(second, (await createSession(second)).id);
    const expected = await feed(second);
    assert.equal(expected.length, 15);
    await receiver.received(15);
    await stopListening(listening);
    assert.deepEqual(idsOf(receiver.deliveries.map(({ event }) => event)), idsOf(expected));
    for (const delivery of receiver.deliveries) assertSigned(delivery, SECRET);
    assert.match(
      listening.output.stderr,
      /^opentill: the connection is lost: .*\nopentill: connected again\n$/,
    );
    assert.doesNotMatch(listening.output.stdout, /whsec_/);
  });

  test('a receiver that refuses gets the same event again, before the next one', async () => {
    await using t = cleanUp();
    const service = await startService(t);
    const receiver = await startReceiver(t, (_delivery, count) => (count === 1 ? 503 : 200));
    const listening = await startListening(t, service, '--forward', receiver.url);
    await pay(service, (await createSession(service)).id);
    const [created, ...others] = await feed(service);
    await receiver.received(6);
    await stopListening(listening);
    assert.deepEqual(
      idsOf(receiver.deliveries.map(({ event }) => event)),
      idsOf([created, created, ...others]),
    );
    const [refused = '', taken = ''] = eventLines(listening.output.stdout);
    assert.match(refused, /checkout\.created .* ms {2}503 \(again in 0\.5 s\)$/);
    assert.match(taken, /checkout\.created .* ms {2}200$/);
  });

  test('a receiver that is not there gets everything once it is, however long that takes', async () => {
    await using t = cleanUp();
    const service = await startService(t);
    const port = await freePort();
    const listening = await startListening(t, service, '--forward', `http://localhost:${port}/hooks`);
    await pay(service, (await createSession(service)).id);
    await said(listening, /nobody answers at http:\S+ \(connection refused\); waiting for it\n/);
    // A refusing receiver gets its event for long enough to be given up meanwhile.
    const { url } = await startReceiver(t, () => 500);
    const other = await startListening(t, service, '--forward', url, '--after', '0');
    await said(other, /\(given up/);
    await stopListening(other);
    const ids = await serveOn(t, port);
    const expected = idsOf(await feed(service));
    await said(listening, /payin\.succeeded .* 204\n/);
    await stopListening(listening);
    assert.deepEqual(ids, expected);
    assert.equal(eventLines(listening.output.stdout).length, 5);
    assert.match(listening.output.stderr, /^opentill: nobody answers [^\n]*\n$/);
  });

  test('stopped while nobody answers, also as a closed terminal does it, it says how to go on', async () => {
    await using t = cleanUp();
    const service = await startService(t);
    const address = `http://127.0.0.1:${await freePort()}/`;
    const listening = await startListening(t, service, '--forward', address, '--types', 'checkout.*');
    const [, secret] = await said(listening, /^Webhook secret {2}(whsec_\S+)\n/m);
    await createSession(service);
    await said(listening, /nobody answers/);
    assert.deepEqual(await listening.kill('SIGHUP'), { code: 0, signal: null });
    const words = `opentill listen --forward ${address} --secret ${secret} --types 'checkout.*' --after 0`;
    assert.ok(
      listening.output.stdout.endsWith(`\nStopped; continue with ${words}\n`),
      listening.output.stdout,
    );
  });

  test('a receiver that does not trust the signature: asks once about the secret, and shows no given one', async () => {
    await using t = cleanUp();
    const service = await startService(t);
    const [bad, unknown, forbidden] = await Promise.all(
      [400, 401, 403].map((status) => startReceiver(t, () => status)),
    );
    assert.ok(bad && unknown && forbidden);
    const own = await startListening(t, service, '--forward', bad.url);
    const given = await startListening(t, service, '--forward', unknown.url, '--secret', SECRET);
    const other = await startListening(t, service, '--forward', forbidden.url);
    await createSession(service);
    for (const each of [own, given, other]) {
      await said(each, /\(again in 1 s\)/);
      await stopListening(each);
    }
    const hint = (which: string) =>
      `opentill: does your receiver verify with ${which}? --secret takes another\n`;
    for (const each of [own, other]) assert.equal(each.output.stderr, hint('the secret above'));
    assert.equal(given.output.stderr, hint('the secret that --secret gives'));
    assert.doesNotMatch(given.output.stdout, /whsec_/);
    assert.match(given.output.stdout, / --secret … --after 0\n$/);
  });

  test('an event that is refused for good is given up, with what the receiver said of it', async () => {
    await using t = cleanUp();
    const service = await startService(t);
    const port = await freePort();
    const ids = await serveOn(
      t,
      port,
      'checkout.created',
      '\n\u001b[31mTypeError: id of undefined\n  at x\n',
    );
    const listening = await startListening(t, service, '--forward', `http://127.0.0.1:${port}/`);
    await pay(service, (await createSession(service)).id);
    await said(listening, /payin\.succeeded .* 204\n/);
    const cursor = await stopListening(listening);
    const [created = '', ...others] = idsOf(await feed(service));
    assert.deepEqual(ids, [created, created, created, created, ...others]);
    const lines = eventLines(listening.output.stdout);
    assert.match(lines[0] ?? '', / 500 {2}\[31mTypeError: id of undefined \(again in 0\.5 s\)$/);
    const givenUp = / 500 {2}\[31mTypeError: id of undefined \(given up; again with --after (\d+)\)$/;
    const [, before = ''] = givenUp.exec(lines[3] ?? '') ?? [];
    assert.equal((await feed(service, before))[0].id, created);
    const total = `1 given up, the first after the cursor ${before}: --after ${before} begins there\n`;
    assert.ok(listening.output.stdout.includes(`\n${total}Stopped; `), listening.output.stdout);
    assert.deepEqual(await feed(service, cursor), []);
  });

  test('stopped before an event was taken, it goes on with this event', async () => {
    await using t = cleanUp();
    const service = await startService(t);
    const receiver = await startReceiver(t, ({ event }) => (event.type === 'checkout.created' ? 200 : 500));
    const listening = await startListening(t, service, '--forward', receiver.url);
    await pay(service, (await createSession(service)).id);
    await said(listening, /payment_attempt\.created .* 500 \(again in/);
    const cursor = await stopListening(listening);

    const { url, received } = await startReceiver(t);
    const next = await startListening(t, service, '--forward', url, '--after', cursor);
    const rest = (await received(4)).map(({ event }) => event);
    await stopListening(next);
    assert.deepEqual(idsOf(rest), idsOf((await feed(service)).slice(1)));
  });
});

suite('opentill listen', () => {
  test('without --forward it shows events, also earlier ones, of live mode, and only some types', async () => {
    await using t = cleanUp();
    const service = await startService(t);
    const key = await service.createKey({ mode: 'live' });
    const { id } = await createSession(service, {}, { authorization: key.authorization });
    const live = await startListening(t, { url: service.url, key }, '--after', '0');
    await said(live, new RegExp(`checkout\\.created +${id}  evt_\\w{26}  \\d+\n`));
    await stopListening(live);

    await pay(service, (await createSession(service)).id);
    const types = 'checkout.paid, payin.*';
    const some = await startListening(t, service, '--after', '0', '--types', types);
    await said(some, /payin\.succeeded /);
    await stopListening(some);
    const shown = eventLines(some.output.stdout).map((line) => line.split(/ +/)[1]);
    assert.deepEqual(shown, ['checkout.paid', 'payin.succeeded']);
  });

  test('ends with one line and the cursor when its key is revoked', async () => {
    await using t = cleanUp();
    const service = await startService(t);
    const listening = await startListening(t, service);
    await createSession(service);
    await said(listening, /checkout\.created/);
    await revokeKey(service.service.store, service.key.id);
    const again = await reopened(service);
    t.after(again.stop);
    assert.deepEqual(await listening.ended, { code: 1, signal: null });
    assert.match(listening.output.stderr, /\nopentill: [^\n]* revoked; continue with --after \d+\n$/);
  });

  test('a mistake is answered in one line', async () => {
    await using t = cleanUp();
    const service = await startService(t);
    const settings = settingsFor(service);
    const live = settingsFor({ url: service.url, key: await service.createKey({ mode: 'live' }) });
    const narrow = settingsFor({
      url: service.url,
      key: await service.createKey({ permissions: ['write'] }),
    });
    const wrong = { ...settings, OPENTILL_API_KEY: `${service.key.id}:sk_test_wrong` };
    const nowhere = { ...settings, OPENTILL_URL: `http://127.0.0.1:${await freePort()}` };
    await Promise.all([
      assertFailure(t, ['listen'], wrong, /does not know the API key/),
      assertFailure(t, ['listen'], narrow, /lacks the permission "read"/),
      assertFailure(t, ['listen'], nowhere, /connection refused/),
    ]);
    const mistakes: ReadonlyArray<[string[], Readonly<Record<string, string>>, RegExp]> = [
      [[], { OPENTILL_URL: service.url }, /--key .* is missing: .*OPENTILL_API_KEY/],
      [[], { ...settings, OPENTILL_URL: 'ftp://x' }, /OPENTILL_URL must be/],
      [['--key', 'sk_test_alone'], settings, /--key must be/],
      [['--forward', 'http://127.0.0.1:1/'], live, /test mode only/],
      [['--forward', 'localhost:4000'], settings, /--forward takes an address/],
      [['--forward', 'http://127.0.0.1:1/', '--secret', 'hush'], settings, /--secret takes/],
      [['--secret', SECRET], settings, /--forward/],
      [['--after', 'yesterday'], settings, /--after takes a cursor/],
      [['--types', 'paid'], settings, /--types takes .*"paid"/],
      [['--until', '3'], settings, /--until/],
      [['checkout.paid'], settings, /checkout\.paid/],
    ];
    await Promise.all(
      mistakes.map(([args, environment, expected]) =>
        assertMistake(t, ['listen', ...args], environment, expected),
      ),
    );
  });
});

/** A receiver on a known port, which refuses one type with an answer; the ids that come to it. */
async function serveOn(t: Ends, port: number, refused = '', answer = ''): Promise<readonly string[]> {
  const ids: string[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    const { id, type } = JSON.parse(text);
    ids.push(id);
    response.writeHead(type === refused ? 500 : 204).end(type === refused ? answer : undefined);
  }).listen(port);
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return ids;
}
