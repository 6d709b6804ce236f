/**
 * `--json` of every command that prints data, beside a server and on its database: JSON that parses, with the keys
 * that its declaration promises, by a key that may do just what the declaration says. An object of the API is printed as
 * the API has answered it.
 */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Command } from '../../src/cli/declare/command.ts';
import { commandNames, loadCommand } from '../../src/cli/table.ts';
import { startReceiver } from '../api/receiver.ts';
import { until } from '../api/shop.ts';
import { cleanUp, type Ends } from '../support/clean-up.ts';
import { png } from '../support/image.ts';
import { freshDirectory, run, runToEnd } from '../support/process.ts';
import { CREDENTIALS_KEY, serveHere } from '../support/service.ts';
import { camt, OUR_IBAN } from '../support/statements.ts';
import { said } from './developer.ts';
import { startRecorder } from './recorder.ts';

type Data = Readonly<Record<string, unknown>> & { readonly id: string };

/** Kinds of objects that `--json` can print, such as `keys list` or `reconcile missed`. */
async function documentedKinds(): Promise<string[]> {
  const kinds = commandNames.map(async (name) => {
    const json = (await loadCommand(name))?.json ?? null;
    if (json === null) return [];
    return json.form === 'lines' ? Object.keys(json.records).map((each) => `${name} ${each}`) : [name];
  });
  return (await Promise.all(kinds)).flat();
}

/** Asserts that an object has the keys that are documented for it; an object of the API may have more. */
function assertKeys(name: string, command: Command, value: unknown): string {
  const { json } = command;
  assert.ok(json && typeof value === 'object' && value !== null, name);
  const record = 'record' in value ? String(value.record) : '';
  const documented = json.form === 'lines' ? json.records[record] : json.keys;
  assert.ok(documented, `${name} ${record}`);
  const keys = Object.keys(value).filter((key) => json.form !== 'lines' || key !== 'record');
  const promised = Object.keys(documented);
  const isOfApi = json.form !== 'lines' && json.of !== null;
  const found = isOfApi ? keys.filter((key) => promised.includes(key)) : keys;
  assert.deepEqual(found.sort(), promised.sort(), `${name} ${record}`);
  return json.form === 'lines' ? `${name} ${record}` : name;
}

async function setUp(t: Ends) {
  const directory = freshDirectory(t);
  const settings = { DATABASE_URL: `sqlite:${join(directory, 'till.db')}`, CREDENTIALS_KEY };
  const server = await serveHere(t, settings);
  const recorder = await startRecorder(t, server.url);
  const seen = new Set<string>();
  const keys = new Map<string, string>();

  /** A key with these permissions and no others. */
  async function keyWith(permissions: string): Promise<string> {
    const known = keys.get(permissions);
    if (known !== undefined) return known;
    const made = await runToEnd(t, ['keys', 'create', '--json', '--permissions', permissions], settings);
    const { id, secret } = JSON.parse(made.stdout);
    keys.set(permissions, `${id}:${secret}`);
    return `${id}:${secret}`;
  }

  async function environmentOf(command: Command) {
    if (command.access !== 'api') return settings;
    return { OPENTILL_URL: server.url, OPENTILL_API_KEY: await keyWith(command.permissions.join(',')) };
  }

  function check(name: string, command: Command, stdout: string): Data[] {
    const { json } = command;
    assert.ok(json, name);
    const value =
      json.form === 'lines'
        ? stdout
            .trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line))
        : JSON.parse(stdout);
    assert.equal(Array.isArray(value), json.form !== 'object', name);
    const records: Data[] = json.form === 'object' ? [value] : value;
    for (const each of records) seen.add(assertKeys(name, command, each));
    return records;
  }

  async function loaded(name: string): Promise<Command> {
    const command = await loadCommand(name);
    assert.ok(command, name);
    return command;
  }

  /** Sends an event of Stripe about a payment of nobody, signed with the secret of the account. */
  async function sendEvent(secret: string): Promise<void> {
    const data = { object: { object: 'payment_intent', id: 'pi_nobody' } };
    const body = JSON.stringify({ id: 'evt_nobody', type: 'charge.failed', livemode: false, data });
    const time = Math.floor(Date.now() / 1000);
    const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
    const headers = { 'stripe-signature': `t=${time},v1=${signature}` };
    const { status } = await fetch(`${server.url}/notices/stripe/1/test`, { method: 'POST', body, headers });
    assert.equal(status, 200);
  }

  return {
    sendEvent,
    directory,
    settings,
    seen,
    loaded,
    environmentOf,
    check,
    /** Runs a command to its end; the objects that it prints. */
    async json(name: string, args: readonly string[] = [], status = 0): Promise<Data[]> {
      const command = await loaded(name);
      const words = [...name.split(' '), ...args, '--json'];
      const env = { ...(await environmentOf(command)), OPENTILL_URL: recorder.url };
      const { code, stdout, stderr } = await runToEnd(t, words, env, { directory });
      assert.equal(code, status, `${words.join(' ')}: ${stderr}`);
      const printed = check(name, command, stdout);
      const isOfApi = command.access === 'api' && command.json?.form !== 'lines' && command.json?.of;
      if (isOfApi) for (const each of printed) assert.ok(recorder.objects.has(JSON.stringify(each)), name);
      return printed;
    },
  };
}

const first = ([data]: readonly Data[]): Data => {
  assert.ok(data);
  return data;
};

test('every command that prints data prints it as JSON, with the keys that are documented', async () => {
  await using t = cleanUp();
  const { directory, settings, seen, loaded, environmentOf, check, json, sendEvent } = await setUp(t);
  const put = (name: string, content: string) => {
    writeFileSync(join(directory, name), content);
    return name;
  };

  await json('keys create', ['--name', 'Till', '--live']);
  const [till] = await json('keys list', ['--live']);
  assert.equal(till?.name, 'Till');
  assert.equal(first(await json('keys revoke', [till?.id ?? ''])).status, 'revoked');
  assert.equal(first(await json('accounts create', ['Other'])).id, '2');
  assert.equal((await json('accounts list')).length, 2);
  // The first start has invited an owner.
  const [owner] = await json('users list');
  assert.equal(owner?.role, 'owner');
  const invited = first(await json('users invite', ['support', '--email', 'ada@example.com']));
  assert.equal(first(await json('users set-role', [invited.id, 'finance'])).role, 'finance');
  assert.match(String(first(await json('users reset', [invited.id])).url), /\/dashboard\/link\/usr_/);
  assert.equal(first(await json('users set-operator', [invited.id])).is_operator, true);
  assert.equal((await json('users operators')).length, 2);
  await json('accounts settings');
  await json('accounts rename', ['Shop']);
  writeFileSync(join(directory, 'logo.png'), png());
  assert.equal(first(await json('accounts set-logo', ['logo.png'])).media_type, 'image/png');
  await json('accounts configure', ['--compatibility', 'strict']);
  await json('accounts rotate-webhook-secret');
  assert.deepEqual(await json('bank account list'), []);
  const secrets = { secret_key: 'rk_test_0123456789abcdef', webhook_secret: 'whsec_0123456789abcdef' };
  await json('credentials set', ['stripe', '--file', put('stripe.json', JSON.stringify(secrets))]);
  assert.equal(first(await json('credentials list')).id, 'stripe');
  assert.equal(first(await json('credentials reseal')).was_resealed, false);
  await sendEvent(secrets.webhook_secret);
  const [event] = await json('provider-events list', ['--waiting']);
  assert.deepEqual([event?.reference, event?.status], ['evt_nobody', 'waiting']);
  assert.equal(first(await json('provider-events show', [event?.id ?? ''])).reference, 'evt_nobody');
  assert.equal(first(await json('provider-events retry', [event?.id ?? ''])).reference, 'evt_nobody');
  const holder = ['--holder-name', 'Shop', '--holder-country', 'DE'];
  await json('bank account set', ['eur', '--currency', 'EUR', '--iban', OUR_IBAN, ...holder]);
  assert.equal(first(await json('bank account list')).iban, OUR_IBAN);

  const receiver = await startReceiver(t);
  const { id: endpoint } = first(await json('webhooks add', [receiver.url]));
  await json('webhooks update', [endpoint, '--description', 'Books']);
  assert.equal(first(await json('webhooks list')).description, 'Books');
  await json('webhooks rotate-secret', [endpoint]);
  const session = first(await json('trigger', ['checkout.created']));
  const checkout = String(session.checkout);
  await receiver.received(1);
  const delivery = await until(async () => {
    const [found] = await json('webhooks deliveries', ['--status', 'delivered']);
    return found ?? null;
  });
  assert.equal(delivery.checkout, checkout);
  await json('webhooks resend', [delivery.id]);
  assert.equal(first(await json('webhooks resend-failed', ['--since', '1h'])).resent, 0);

  const forged = put('received.txt', `evt_7zzzzzzzzz0000x5r7m2c9w1he\n`);
  const reconciled = await json('reconcile', ['--since', '1h', '--received', forged], 3);
  assert.deepEqual(
    reconciled.map(({ record }) => record),
    ['missed', 'unknown', 'summary'],
  );

  const lines = [1, 2, 3].map((number) => ({
    amount: '25.00',
    text: `Order ${number}`,
    reference: `202602030000000${number}`,
  }));
  const wrong = put('wrong.xml', camt('S0', lines).replace('25.00', '25,00'));
  const foreseen = await json('bank import', ['--dry-run', wrong], 1);
  assert.deepEqual(
    foreseen.map(({ record, mistakes, message }) => [record, mistakes ?? message]),
    [
      ['preview', 1],
      ['mistake', 'the amount "25,00" is not a number.'],
    ],
  );
  const imported = first(await json('bank import', [put('statement.xml', camt('S1', lines))]));
  assert.deepEqual([imported.was_known, imported.new, imported.open], [false, 3, 3]);
  const [one, two, three] = await json('bank inbox');
  assert.ok(one && two && three);
  assert.equal(first(await json('bank assign', [one.id, checkout])).status, 'done');
  assert.equal(first(await json('bank ignore', [two.id, '--reason', 'Interest'])).status, 'ignored');
  assert.equal(first(await json('bank reopen', [two.id])).status, 'open');
  assert.equal(first(await json('bank send-back', [three.id])).status, 'waiting');

  const refund = first(await json('refunds create', [checkout, '5.00']));
  assert.deepEqual([refund.amount, refund.status], [500, 'pending']);
  await json('refunds settle', [refund.id, 'failed']);
  const [movement] = await json('money movements', ['--type', 'payment']);
  assert.deepEqual([movement?.payin, movement?.amount], [checkout, 2500]);
  assert.ok(Number(movement?.time_to_pay_ms) > 0);
  const days = ['--from', '2020-01-01', '--to', '2100-01-01'];
  const exported = first(await json('money export', ['money.csv', '--format', 'csv', ...days]));
  assert.deepEqual([exported.file, exported.format], ['money.csv', 'csv']);
  const [total] = await json('money totals', ['--currency', 'EUR', '--interval', 'year']);
  assert.deepEqual(total?.received, { count: 1, amount: 2500 });
  const file = first(await json('bank payments create', ['eur']));
  assert.deepEqual([file.amount, file.left_out], [2500, []]);
  await json('bank payments write', [file.id, '--force']);

  const checked = await json('db check');
  assert.deepEqual([checked.at(-1)?.record, checked.at(-1)?.broken], ['summary', 0]);

  assert.equal((await json('doctor')).at(-1)?.record, 'summary');

  // Commands that run until they are stopped.
  const listen = await loaded('listen');
  const env = await environmentOf(listen);
  for (const [args, record] of [
    [[], 'event'],
    [['--forward', receiver.url], 'attempt'],
  ] as const) {
    const types = ['--types', 'checkout.created', '--after', '0'];
    const listening = run(t, ['listen', '--json', ...types, ...args], env);
    await said(listening, new RegExp(`^\\{"record":"${record}".*\n`, 'm'));
    assert.equal((await listening.kill('SIGINT')).code, 0);
    const records = check('listen', listen, listening.output.stdout).map((each) => each.record);
    assert.deepEqual(records, ['started', record, 'stopped']);
  }

  const order = {
    method: 'POST',
    path: '/v3/checkout',
    body: { invoice_currency: 'EUR', amount: 1, shop: 7 },
  };
  const log = put(
    'requests.jsonl',
    [order, { ...order, body: {} }].map((each) => JSON.stringify(each)).join('\n'),
  );
  await runToEnd(t, ['accounts', 'configure', '--compatibility', 'v3'], settings);
  const replayed = await json('replay', ['--log', log], 3);
  assert.deepEqual(
    replayed.map(({ record }) => record),
    ['ignored', 'refused', 'summary'],
  );

  assert.deepEqual([...seen].sort(), (await documentedKinds()).sort());
});
