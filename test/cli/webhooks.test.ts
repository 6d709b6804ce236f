import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { assertSigned, startReceiver } from '../api/receiver.ts';
import { createSession, type Data, pay, succeeded, until } from '../api/shop.ts';
import { cleanUp, type Ends } from '../support/clean-up.ts';
import { runToEnd } from '../support/process.ts';
import { startService, type TestService } from '../support/service.ts';
import { assertFailure, assertMistake, opentill, settingsFor } from './developer.ts';

const ENDPOINT = /^(whe_\w{26}) {2}/;
const SECRET = /^Webhook secret {2}(whsec_\S+)\nIt is shown only now\.\n/m;

async function done(t: Ends, service: TestService, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await opentill(t, service, 'webhooks', ...args);
  assert.deepEqual([code, stderr], [0, ''], args.join(' '));
  return stdout;
}

function part(text: string, pattern: RegExp): string {
  const found = pattern.exec(text)?.[1];
  assert.ok(found, text);
  return found;
}

suite('opentill webhooks', () => {
  test('adds an endpoint that gets what it asks for, and changes it', async () => {
    await using t = cleanUp();
    const service = await startService(t);
    const receiver = await startReceiver(t);
    const fields = ['--events', 'checkout.paid, payin.*', '--description', 'the till'];
    const added = await done(t, service, 'add', receiver.url, ...fields);
    const id = part(added, ENDPOINT);
    const line = `${id}  enabled  ${receiver.url}  checkout.paid,payin.*  the till\n`;
    assert.ok(added.startsWith(line), added);
    assert.equal(await done(t, service, 'list'), line);
    await pay(service, (await createSession(service)).id);
    const received = await receiver.received(2);
    assert.deepEqual(received.map(({ event }) => event.type).sort(), ['checkout.paid', 'payin.succeeded']);
    for (const delivery of received) assertSigned(delivery, part(added, SECRET));

    const other = await startReceiver(t);
    const updated = await done(t, service, 'update', id, other.url, '--events', '*', '--disable');
    assert.equal(updated, `${id}  disabled (by_merchant)  ${other.url}  *  the till\n`);
    assert.match(
      await done(t, service, 'update', id, '--enable', '--description', ''),
      /^whe_\w+ {2}enabled /,
    );
    await createSession(service);
    assert.equal((await other.received(1))[0]?.event.type, 'checkout.created');

    assert.equal(await done(t, service, 'remove', id), `${id} is removed\n`);
    const none = await opentill(t, service, 'webhooks', 'list');
    assert.deepEqual([none.code, none.stdout], [0, '']);
    assert.match(none.stderr, /^opentill: there are no webhook endpoints; .*\n$/);
  });

  test('the group alone prints its commands', async () => {
    await using t = cleanUp();
    const { code, stdout, stderr } = await runToEnd(t, ['webhooks'], {});
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^ {2}webhooks list .*\n(.*\n)+ {2}webhooks resend-failed /m);
    assert.doesNotMatch(stdout, /^ {2}(?!webhooks|opentill webhooks)\w/m);
  });

  test('shows since when an endpoint is suspended and when it is probed, and sends what fails again', async () => {
    await using t = cleanUp();
    const service = await startService(t);
    const receiver = await startReceiver(t, () => 500);
    const id = part(await done(t, service, 'add', receiver.url, '--events', 'checkout.created'), ENDPOINT);
    for (let count = 0; count < 10; count++) await createSession(service);
    const suspended = async () => {
      const { health } = succeeded(await service.call('GET', `/v3/webhook_endpoint/${id}`));
      return health.status === 'suspended';
    };
    await until(suspended);
    const time = '\\d{4}-\\S+Z';
    const line = `^${id}  enabled, suspended since ${time}, next probe ${time}: status 500  `;
    assert.match(await done(t, service, 'list'), new RegExp(line));
    const reconciled = await opentill(t, service, 'reconcile', '--since', '1h');
    assert.match(reconciled.stdout, new RegExp(`^${id}  suspended\n  evt_`));
    assert.match(reconciled.stdout, /^10 missed since/m);
  });

  test('gives an endpoint a new secret; the one before signs as well for as long as is said', async () => {
    await using t = cleanUp();
    const service = await startService(t);
    const receiver = await startReceiver(t);
    const added = await done(t, service, 'add', receiver.url, '--events', 'checkout.created');
    const id = part(added, ENDPOINT);
    const tooLong = ['webhooks', 'rotate-secret', id, '--overlap', '8d'];
    await assertFailure(t, tooLong, settingsFor(service), /overlap_seconds/);
    const rotated = await done(t, service, 'rotate-secret', id, '--overlap', '2h');
    assert.notEqual(part(rotated, SECRET), part(added, SECRET));
    const until = Date.parse(part(rotated, /^The previous secret signs too until (\S+)\.\n$/m));
    assert.ok(Math.abs(until - Date.now() - 7_200_000) < 60_000);
    await createSession(service);
    const [delivery] = await receiver.received(1);
    assert.ok(delivery);
    assert.equal(String(delivery.headers['webhook-signature']).split(' ').length, 2);

    const last = await done(t, service, 'rotate-secret', id, '--overlap', '0');
    assert.match(
      last,
      /^The previous secret no longer signs\.\nThe one before that, valid until \S+Z, no longer signs\.\n$/m,
    );
    await createSession(service);
    const [, second] = await receiver.received(2);
    assert.ok(second);
    assertSigned(second, part(last, SECRET));
  });

  test('lists deliveries, and sends one again, or all that have failed', async () => {
    await using t = cleanUp();
    const service = await startService(t);
    let status = 200;
    const receiver = await startReceiver(t, () => status);
    const id = part(await done(t, service, 'add', receiver.url), ENDPOINT);
    const session = await createSession(service);
    await until(async () => (await deliveries(service, id, 'delivered')).length === 1);
    const [delivery] = await deliveries(service, id, 'delivered');
    const about = `${delivery.id}  ${delivery.created_at}  delivered  ${delivery.event}  checkout.created`;
    assert.equal(await done(t, service, 'deliveries', id), `${about}  ${session.id}  1 attempt\n`);
    assert.equal(await done(t, service, 'resend', delivery.id), `${delivery.id} is sent again\n`);
    const [first, again] = await receiver.received(2);
    assert.equal(again?.event.id, first?.event.id);

    status = 410;
    await createSession(service);
    await until(async () => (await deliveries(service, id, 'failed')).length === 1);
    const failed = await done(t, service, 'deliveries', id, '--status', 'failed', '--limit', '1');
    assert.match(
      failed,
      /^whd_\w+ {2}\S+ {2}failed {5}evt_\w+ {2}checkout\.created {2}chk_\w+ {2}1 attempt {2}\S/,
    );
    assert.match(await done(t, service, 'list'), /disabled \(gone\)/);
    status = 200;
    await done(t, service, 'update', id, '--enable');
    assert.equal(
      await done(t, service, 'resend-failed', '--since', '1h', '--endpoint', id),
      '1 sent again\n',
    );
    await until(async () => (await deliveries(service, id, 'delivered')).length === 2);
    assert.equal(await done(t, service, 'resend-failed', '--since', '1h'), '0 sent again\n');
  });

  test('says what is not sent again: behind an earlier one, or because its endpoint is off', async () => {
    await using t = cleanUp();
    const service = await startService(t);
    let status = 410;
    const receiver = await startReceiver(t, () => status);
    const id = part(await done(t, service, 'add', receiver.url, '--events', 'checkout.created'), ENDPOINT);
    await createSession(service);
    await until(async () => (await deliveries(service, id, 'failed')).length === 1);
    const off = await done(t, service, 'resend-failed', '--since', '1h');
    assert.equal(off, '0 sent again; deliveries to disabled endpoints are left out\n');

    status = 200;
    const all = await done(t, service, 'update', id, '--enable', '--events', 'checkout.*');
    assert.match(all, / enabled /);
    const session = await createSession(service);
    await pay(service, session.id);
    const ofSession = `/v3/webhook_delivery?endpoint=${id}&status=delivered&checkout=${session.id}`;
    await until(async () => succeeded(await service.call('GET', ofSession)).length === 2);
    const [later, earlier] = succeeded(await service.call('GET', ofSession));
    status = 503;
    assert.equal(await done(t, service, 'resend', earlier.id), `${earlier.id} is sent again\n`);
    const waits = `${later.id} waits behind an earlier one of its session\n`;
    assert.equal(await done(t, service, 'resend', later.id), waits);
  });

  test('lists deliveries to all, to a host that sessions name, and to an endpoint that was removed', async () => {
    await using t = cleanUp();
    const service = await startService(t);
    const receiver = await startReceiver(t);
    const other = await startReceiver(t);
    const id = part(await done(t, service, 'add', receiver.url, '--events', 'checkout.created'), ENDPOINT);
    const { origin } = new URL(other.url);
    await createSession(service, { webhook_url: other.url });
    await until(
      async () => succeeded(await service.call('GET', '/v3/webhook_delivery?status=delivered')).length === 2,
    );
    await done(t, service, 'remove', id);
    const lines = (await done(t, service, 'deliveries')).trimEnd().split('\n');
    assert.deepEqual(lines.map((line) => line.split('  ').at(-2)).sort(), [origin, id].sort());
    const ofHost = await done(t, service, 'deliveries', `${origin}/hook`);
    const ofRemoved = await done(t, service, 'deliveries', id);
    for (const text of [ofHost, ofRemoved])
      assert.match(text, /^whd_\w+ .*checkout\.created .* 1 attempt\n$/);
    assert.notEqual(ofHost, ofRemoved);
    const none = await opentill(t, service, 'webhooks', 'deliveries', 'https://shop.example');
    assert.deepEqual(
      [none.code, none.stdout, none.stderr],
      [0, '', 'opentill: there are no such deliveries\n'],
    );
  });

  test('a mistake is answered in one line', async () => {
    await using t = cleanUp();
    const service = await startService(t);
    const settings = settingsFor(service);
    const narrow = settingsFor({ url: service.url, key: await service.createKey({ permissions: ['read'] }) });
    const id = 'whe_01k9zq4tn30000x5r7m2c9w1he';
    type Environment = Readonly<Record<string, string>>;
    const failures: ReadonlyArray<[string[], Environment, RegExp]> = [
      [['list'], narrow, /permission "webhooks"/],
      [['add', 'shop'], settings, /url/],
      [['update', id, '--enable'], settings, /no such/],
      [['rotate-secret', id], settings, /no such/],
      [['deliveries', id], settings, /no such/],
      [['resend', 'whd_01k9zq4tn30000x5r7m2c9w1he'], settings, /no such/],
    ];
    const mistakes: ReadonlyArray<[string[], Environment, RegExp]> = [
      [['create'], settings, /there is no command "webhooks create"/],
      [['list'], {}, /--key .* is missing: .*OPENTILL_API_KEY/],
      [['list', 'all'], settings, /unexpected argument "all"/],
      [['list', '--events', '*'], settings, /there is no option --events/],
      [['add'], settings, /<address> is missing/],
      [['add', 'https://shop.example/x', '--events', 'checkout.payed'], settings, /not "checkout\.payed"/],
      [['update', id], settings, /--enable or --disable/],
      [['update', id, '--enable', '--disable'], settings, /exclude/],
      [['remove'], settings, /<endpoint> is missing/],
      [['remove', 'x'], settings, /<endpoint> takes the id of a webhook endpoint/],
      [['rotate-secret', id, '--overlap', 'soon'], settings, /--overlap takes/],
      [['rotate-secret', id, '--overlap', '2'], settings, /--overlap takes/],
      [
        ['deliveries', 'evt_01k9zq4tn30000x5r7m2c9w1he'],
        settings,
        /<receiver> takes the id of a webhook endpoint/,
      ],
      [['resend', 'evt_01k9zq4tn30000x5r7m2c9w1he'], settings, /whd_…, not "evt_/],
      [['deliveries', id, '--limit', '0'], settings, /--limit takes/],
      [['resend'], settings, /<delivery> is missing/],
      [['resend', 'whd_01k9zq4tn30000x5r7m2c9w1he', '--since', '2h'], settings, /no option --since/],
      [['resend-failed'], settings, /--since <when> is missing/],
      [['resend-failed', '--since', 'x'], settings, /--since takes/],
    ];
    // A few at a time: a process each is work for a machine.
    const queue = [
      ...mistakes.map((row) => ({ row, check: assertMistake })),
      ...failures.map((row) => ({ row, check: assertFailure })),
    ];
    const work = async () => {
      for (let next = queue.shift(); next; next = queue.shift()) {
        const [args, environment, expected] = next.row;
        await next.check(t, ['webhooks', ...args], environment, expected);
      }
    };
    await Promise.all([work(), work(), work()]);
  });
});

async function deliveries({ call }: TestService, endpoint: string, status: string): Promise<Data[]> {
  return succeeded(await call('GET', `/v3/webhook_delivery?endpoint=${endpoint}&status=${status}`));
}
