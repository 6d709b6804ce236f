import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { type Receiver, startReceiver } from '../api/receiver.ts';
import { advance, createSession, type Data, feed, pay, succeeded, until } from '../api/shop.ts';
import { cleanUp, type Ends } from '../support/clean-up.ts';
import { freshDirectory, run, runToEnd } from '../support/process.ts';
import { startService, type TestService } from '../support/service.ts';
import { assertFailure, assertMistake, opentill, settingsFor } from './developer.ts';

const FORGED = 'evt_7zzzzzzzzz0000x5r7m2c9w1he';

/** Waits until there are so many deliveries in this state. */
function deliveries(service: TestService, status: string, count: number): Promise<Data[]> {
  return until(async () => {
    const found = succeeded(await service.call('GET', `/v3/webhook_delivery?limit=100&status=${status}`));
    return found.length === count ? found : null;
  });
}

/** Events that were delivered to a receiver, which has written down what it got. */
async function delivered(service: TestService, receiver: Receiver, fields: object = {}): Promise<Data[]> {
  const { id } = await createSession(service, { webhook_url: receiver.url, ...fields });
  await pay(service, id);
  const events = (await feed(service)).filter(({ data }) => (data.payin ?? data.id) === id);
  const tenant = { account: service.account.number, mode: 'test' } as const;
  const filter = { subject: id, receiver: originOf(receiver), state: 'delivered' } as const;
  await until(async () => {
    const { rows } = await service.service.store.deliveries.list(tenant, filter, { limit: 100 });
    return rows.length === events.length;
  });
  return events;
}

const originOf = ({ url }: Receiver) => new URL(url).origin;
/** The lines under a heading. */
const group = (stdout: string, heading: string) =>
  new RegExp(`^${heading}\\n((?: {2}.*\\n)*)`, 'm').exec(stdout)?.[1]?.trimEnd().split('\n') ?? [];
const idsIn = (lines: readonly string[]) => lines.map((line) => line.trim().split('  ')[0]).sort();
const idsOf = (events: readonly Data[]) => events.map(({ id }) => id).sort();

function file(t: Ends, lines: readonly string[]): string {
  const path = join(freshDirectory(t), 'received.txt');
  writeFileSync(path, lines.join('\n'));
  return path;
}

/** A module that sets a process's clock ahead. */
function clockAhead(t: Ends, ms: number): string {
  const path = join(freshDirectory(t), 'clock.mjs');
  writeFileSync(path, `const now = Date.now;\nDate.now = () => now() + ${ms};\n`);
  return path;
}

suite('opentill reconcile, by what the service says', () => {
  test('nothing is missed: status 0', async () => {
    await using t = cleanUp();
    const service = await startService(t);
    await delivered(service, await startReceiver(t));
    const { code, stdout, stderr } = await opentill(t, service, 'reconcile', '--since', '2h');
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^0 missed since \d{4}-\S+Z\n$/);
  });

  test('lists what has failed and what waits, by receiver, and sends again what has failed', async () => {
    await using t = cleanUp();
    const service = await startService(t);
    await delivered(service, await startReceiver(t));
    let isOver = true;
    const gone = await startReceiver(t, () => (isOver ? 410 : 200));
    const busy = await startReceiver(t, () => 503);
    const lost = await createSession(service, { webhook_url: gone.url });
    const late = await createSession(service, { webhook_url: busy.url });
    const [failed] = await deliveries(service, 'failed', 1);
    await until(async () => (await deliveries(service, 'pending', 1))[0].attempts === 1);
    const [event] = (await feed(service)).slice(-1);

    const first = await opentill(t, service, 'reconcile', '--since', '1h');
    assert.deepEqual([first.code, first.stderr], [3, '']);
    assert.deepEqual(group(first.stdout, originOf(gone)), [
      `  ${failed.event}  checkout.created  ${lost.id}  failed after 1 attempt: ${failed.last_error}`,
    ]);
    const waiting = `^  ${event.id}  checkout\\.created  ${late.id}  pending after \\d+ attempts?: status 503$`;
    assert.match(group(first.stdout, originOf(busy)).join('\n'), new RegExp(waiting));
    assert.match(first.stdout, /^2 missed since /m);

    isOver = false;
    const only = ['--endpoint', originOf(gone)];
    const second = await opentill(t, service, 'reconcile', '--since', '1h', '--resend', ...only);
    assert.equal(second.code, 3);
    assert.match(second.stdout, /\(sent again\)\n/);
    assert.match(second.stdout, /^1 missed since .*\n1 sent again\n$/m);
    const [, again] = await gone.received(2);
    assert.equal(again?.event.id, failed.event);
    await deliveries(service, 'failed', 0);
    await until(async () => (await opentill(t, service, 'reconcile', '--since', '1h', ...only)).code === 0);
  });

  test('sends again what fills more than a page, each once', async () => {
    await using t = cleanUp();
    const service = await startService(t);
    let isOver = true;
    const receiver = await startReceiver(t, () => (isOver ? 410 : 200));
    for (let count = 0; count < 130; count++) await createSession(service, { webhook_url: receiver.url });
    await receiver.received(130);
    const { store } = service.service;
    const tenant = { account: service.account.number, mode: 'test' } as const;
    const failed = () => store.deliveries.list(tenant, { state: 'failed' }, { limit: 200 });
    await until(async () => (await failed()).rows.length === 130);
    isOver = false;
    const { code, stdout } = await opentill(t, service, 'reconcile', '--since', '1h', '--resend');
    assert.equal(code, 3);
    assert.match(stdout, /^130 missed since \S+\n130 sent again\n$/m);
    const again = (await receiver.received(260)).slice(130).map(({ event }) => event);
    assert.deepEqual(idsOf(again), idsOf(await feed(service)));
  });

  test('what is older than --since is not looked at', async () => {
    await using t = cleanUp();
    const service = await startService(t);
    await createSession(service, { webhook_url: (await startReceiver(t, () => 410)).url });
    await deliveries(service, 'failed', 1);
    const { code } = await opentill(t, service, 'reconcile', '--since', new Date().toISOString());
    assert.equal(code, 0);
  });
});

suite('opentill reconcile, of endpoints', () => {
  async function addEndpoint(service: TestService, url: string, events: readonly string[]): Promise<string> {
    const body = { url, events };
    return succeeded(await service.call('POST', '/v3/webhook_endpoint', { body }), 201).id;
  }
  const change = async (service: TestService, id: string, body: object) =>
    succeeded(await service.call('PUT', `/v3/webhook_endpoint/${id}`, { body }));

  test('what happened while one was off was missed, and cannot be sent again', async () => {
    await using t = cleanUp();
    const service = await startService(t);
    const receiver = await startReceiver(t);
    await pay(service, (await createSession(service)).id);
    const id = await addEndpoint(service, receiver.url, ['checkout.paid', 'payin.*']);
    await pay(service, (await createSession(service)).id);
    await deliveries(service, 'delivered', 2);
    const args = ['reconcile', '--since', '1h'];
    assert.equal((await opentill(t, service, ...args)).code, 0);

    await change(service, id, { status: 'disabled' });
    const { id: session } = await createSession(service);
    await pay(service, session);
    const missed = (await feed(service))
      .slice(-5)
      .filter(({ type }) => ['checkout.paid', 'payin.succeeded'].includes(type));
    const off = await opentill(t, service, ...args);
    assert.equal(off.code, 0);
    assert.match(off.stdout, new RegExp(`^${id} is disabled: .*\n0 missed since`));
    assert.match((await opentill(t, service, ...args, '--endpoint', id)).stdout, /^2 missed since/m);

    await change(service, id, { status: 'enabled' });
    const { code, stdout } = await opentill(t, service, ...args, '--resend');
    assert.equal(code, 3);
    const why = 'never delivered: there is no delivery of it';
    assert.deepEqual(
      group(stdout, id),
      missed.map((event) => {
        const end = `${why} (cannot be sent again: there is no delivery; read it from the feed)`;
        return `  ${event.id}  ${event.type}  ${session}  ${end}`;
      }),
    );
    assert.match(stdout, /^2 missed since \S+\n0 sent again\n2 cannot be sent again\n$/m);
  });

  test('what was not delivered to one that was removed does not count', async () => {
    await using t = cleanUp();
    const service = await startService(t);
    const receiver = await startReceiver(t, () => 410);
    const id = await addEndpoint(service, receiver.url, ['checkout.created']);
    await createSession(service);
    const [failed] = await deliveries(service, 'failed', 1);
    const args = ['reconcile', '--since', '1h'];
    assert.equal((await opentill(t, service, ...args)).code, 3);
    await service.call('DELETE', `/v3/webhook_endpoint/${id}`);
    const { code, stdout } = await opentill(t, service, ...args);
    assert.equal(code, 0);
    assert.match(stdout, /^Left out: 1 to endpoints that were removed\.\n0 missed since \S+\n$/);
    await assertFailure(t, [...args, '--endpoint', id], settingsFor(service), /no such webhook endpoint/);
    // A receiver that lacks the event has missed it, whatever became of the endpoint.
    const lacking = await opentill(t, service, ...args, '--received', file(t, []), '--resend');
    assert.match(lacking.stdout, new RegExp(`^${id}\n  ${failed.event}  .*\\(cannot be sent again: `));
    assert.match(lacking.stdout, /^0 sent again\n1 cannot be sent again\n$/m);
  });

  test('what may have been forgotten of deliveries is not held against anybody', async () => {
    await using t = cleanUp();
    const service = await startService(t);
    const { store } = service.service;
    const tenant = { account: service.account.number, mode: 'test' } as const;
    const id = await addEndpoint(service, (await startReceiver(t)).url, ['checkout.created']);
    await createSession(service);
    const [{ created_at }] = await deliveries(service, 'delivered', 1);
    await advance(service, 6 * 86_400);
    await createSession(service);
    await deliveries(service, 'delivered', 2);
    await store.retention.purgeDeliveries(tenant, Date.parse(created_at) + 1);
    const ahead = { ...settingsFor(service), NODE_OPTIONS: `--import=${clockAhead(t, 6 * 86_400_000)}` };
    const { code, stdout } = await runToEnd(t, ['reconcile', '--since', '1w', '--endpoint', id], ahead);
    assert.match(stdout, /^Events before \S+Z may have had deliveries that are no longer kept; .*\n0 missed/);
    assert.equal(code, 0);
  });
});

suite('opentill reconcile --received', () => {
  test('finds exactly what the receiver lacks and what it should not have', async () => {
    await using t = cleanUp();
    const service = await startService(t);
    const receiver = await startReceiver(t);
    const [created, started, ...others] = await delivered(service, receiver);
    // The last event was for no receiver.
    const alone = await createSession(service);
    const [never] = (await feed(service)).slice(-1);
    const kept = others.map(
      ({ id }: Data, index: number) => `${id}${['\tpaid', ' 2030-01-31 x', ''][index]}`,
    );
    const path = file(t, ['', ...kept, FORGED, `evt_${'0'.repeat(26)}`, 'event_id']);
    const args = ['reconcile', '--since', '1h', '--received', path];

    const { code, stdout, stderr } = await opentill(t, service, ...args);
    assert.deepEqual([code, stderr], [3, '']);
    const lines = group(stdout, originOf(receiver));
    assert.deepEqual(idsIn(lines), idsOf([created, started]));
    for (const line of lines) assert.match(line, / {2}delivered \d{4}-\S+Z and not there$/);
    assert.deepEqual(group(stdout, 'no receiver'), [
      `  ${never.id}  checkout.created  ${alone.id}  never delivered: there is no delivery of it`,
    ]);
    assert.deepEqual(stdout.match(/^not in the feed: .*$/gm), [
      'not in the feed: event_id',
      `not in the feed: ${FORGED}`,
    ]);
    assert.match(stdout, /^3 missed since \S+\n$/m);

    const before = receiver.deliveries.length;
    const resent = await opentill(t, service, ...args, '--resend');
    assert.match(resent.stdout, /^2 sent again\n1 cannot be sent again\n$/m);
    const again = (await receiver.received(before + 2)).slice(before).map(({ event }) => event);
    assert.deepEqual(idsOf(again), idsOf([created, started]));
  });

  test('what the receiver has it has, although its answer said otherwise', async () => {
    await using t = cleanUp();
    const service = await startService(t);
    await createSession(service, { webhook_url: (await startReceiver(t, () => 410)).url });
    const [failed] = await deliveries(service, 'failed', 1);
    const path = file(t, [failed.event]);
    const { code } = await opentill(t, service, 'reconcile', '--since', '1h', '--received', path);
    assert.equal(code, 0);
    const none = await opentill(t, service, 'reconcile', '--since', '1h', '--received', file(t, []));
    assert.equal(none.code, 3);
    assert.match(none.stdout, / failed after 1 attempt: /);
  });

  test('an endpoint lacks only what it was to get', async () => {
    await using t = cleanUp();
    const service = await startService(t);
    const receiver = await startReceiver(t);
    const other = await startReceiver(t);
    await createSession(service);
    const body = { url: receiver.url, events: ['checkout.paid', 'payin.*'] };
    const { id } = succeeded(await service.call('POST', '/v3/webhook_endpoint', { body }), 201);
    const events = await delivered(service, other);
    const isWanted = ({ type }: Data) => /^(checkout\.paid|payin\.)/.test(type);
    const wanted = events.filter(isWanted);
    assert.equal(wanted.length, 2);
    await receiver.received(2);
    await service.call('PUT', `/v3/webhook_endpoint/${id}`, { body: { status: 'disabled' } });
    const meanwhile = (await delivered(service, other)).filter(isWanted);

    const path = file(t, [wanted[0].id]);
    const args = ['reconcile', '--since', '1h', '--received', path, '--endpoint', id];
    const { code, stdout } = await opentill(t, service, ...args);
    assert.equal(code, 3);
    assert.deepEqual(idsIn(group(stdout, id)), idsOf([wanted[1], ...meanwhile]));
    assert.equal(stdout.match(/never delivered/g)?.length, 2);
    assert.match(stdout, /^3 missed since /m);
  });

  test('takes the ids from standard input, and as many as there are', async () => {
    await using t = cleanUp();
    const service = await startService(t);
    for (let count = 0; count < 130; count++) await createSession(service);
    const events = await feed(service);
    const missing = [events[3], events[99], events[100], events[129]];
    const child = run(t, ['reconcile', '--since', '1h', '--received', '-'], settingsFor(service));
    child.child.stdin?.end(
      events
        .filter((event) => !missing.includes(event))
        .map(({ id }) => `${id}\r\n`)
        .reverse()
        .join(''),
    );
    assert.equal((await child.ended).code, 3);
    assert.deepEqual(idsIn(group(child.output.stdout, 'no receiver')), idsOf(missing));
    assert.match(child.output.stdout, /^4 missed since /m);
  });

  test('says from when on the feed has events, and holds nothing older against the receiver', async () => {
    await using t = cleanUp();
    const service = await startService(t);
    await pay(service, (await createSession(service)).id);
    const forgotten = await feed(service);
    const { json } = await service.call('GET', '/v3/event?after=latest');
    const tenant = { account: service.account.number, mode: 'test' } as const;
    await service.service.store.retention.purgeEvents(tenant, Date.now() + 1);
    await until(async () => Date.now() > Date.parse(forgotten.at(-1).created_at));
    await createSession(service);
    const [kept] = await feed(service, json.next_cursor);
    const args = ['reconcile', '--since', '1h', '--received', file(t, idsOf(forgotten))];
    const { code, stdout } = await opentill(t, service, ...args);
    assert.equal(code, 3);
    assert.match(stdout, new RegExp(`^The feed has events only from ${kept.created_at} on\\.$`, 'm'));
    assert.deepEqual(idsIn(group(stdout, 'no receiver')), [kept.id]);
    assert.doesNotMatch(stdout, /not in the feed/);
    await assertFailure(t, ['listen', '--after', '1'], settingsFor(service), /no longer kept/);
  });

  test('keeps to the rate that the service allows', async () => {
    await using t = cleanUp();
    const service = await startService(t, { env: { RATE_LIMIT: '5' } });
    const slow = await service.createKey();
    const receiver = await startReceiver(t);
    await delivered(service, receiver);
    const args = ['reconcile', '--since', '1h', '--received', file(t, []), '--resend'];
    const settings = settingsFor({ url: service.url, key: slow });
    // The search for the beginning, five look-ups and five orders to send again are more than a burst.
    const { code, stdout, stderr } = await runToEnd(t, args, settings);
    assert.deepEqual([code, stderr], [3, '']);
    assert.match(stdout, /^5 sent again\n$/m);
    await receiver.received(10);
  });
});

test('a mistake is answered in one line', async () => {
  await using t = cleanUp();
  const service = await startService(t);
  const settings = settingsFor(service);
  const narrow = settingsFor({ url: service.url, key: await service.createKey({ permissions: ['read'] }) });
  const endpoint = 'whe_01k9zq4tn30000x5r7m2c9w1he';
  const none = join(freshDirectory(t), 'none.txt');
  const mistakes: ReadonlyArray<[string[], Readonly<Record<string, string>>, RegExp]> = [
    [[], settings, /--since/],
    [['--since', 'yesterday'], settings, /--since takes a time/],
    [['--since', '2030-13-45'], settings, /--since takes a time/],
    [['--since', '2h', '--endpoint', 'shop'], settings, /--endpoint takes/],
    [['--since', '2h'], {}, /--key .* is missing: .*OPENTILL_API_KEY/],
    [['--since', '2h', '3h'], settings, /unexpected argument "3h"/],
  ];
  const since = ['reconcile', '--since', '2h'];
  const unknown = [...since, '--endpoint', endpoint, '--received', file(t, [])];
  await assertFailure(t, unknown, settings, /no such webhook endpoint/);
  await assertFailure(t, [...since, '--received', none], settings, /cannot be read: ENOENT/);
  await assertFailure(t, since, narrow, /permission "webhooks"/);
  await Promise.all(
    mistakes.map(([args, environment, expected]) =>
      assertMistake(t, ['reconcile', ...args], environment, expected),
    ),
  );
});
