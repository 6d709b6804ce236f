/**
 * A day of use with canaries for everything that is secret or personal, at the most talkative log: every operation, well
 * and badly asked, payers' pages, webhooks that fail, a provider that fails, a database that fails, and commands. Then
 * they are looked for where they should not be: logs, metrics, errors, addresses of requests, and backups.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { evidence } from '../../support/evidence.ts';
import { shownForm } from '../../support/pay-form.ts';
import { freshDirectory, runToEnd } from '../../support/process.ts';
import { startService } from '../../support/service.ts';
import { startStripe } from '../../support/stripe-stand-in.ts';
import { camt, configure, IBAN, PAYER_IBAN, startTransfer } from '../bank.ts';
import { readDocument } from '../document.ts';
import { operations } from '../every-operation.ts';
import { startReceiver } from '../receiver.ts';
import { createSession, type Data, pay, succeeded } from '../shop.ts';
import { subjectsOf } from '../subjects.ts';
import { createCanaries, createPlaces } from './canaries.ts';

type Text = () => string;
const session = (text: Text) => ({
  ...{ amount: undefined, customer: undefined, expires_at: undefined },
  ...{ payment_methods: undefined, remove_payment_methods: undefined },
  items: [{ name: text(), description: text(), quantity: 1, unit_price: 2500 }],
  metadata: { note: text(), [text()]: text() },
});
const noted = (text: Text) => ({ metadata: { note: text(), [text()]: text() } });
/**
 * Bodies with fields that their schemas do not require but the operations do, without fields that contradict
 * others.
 */
const meant: Readonly<Record<string, (text: Text, good: Data) => object>> = {
  'CHECKOUT.CREATE': session,
  'CHECKOUT.UPDATE': (text) => ({ ...noted(text), payment_methods: undefined }),
  'PAYIN.CREATE': session,
  'PAYIN.CONFIRM': (_, good) => good,
  'PAYMENT_ATTEMPT.UPDATE': noted,
  'CUSTOMER.CREATE': noted,
  'CUSTOMER.UPDATE': noted,
  'REFUND.CREATE': (text, good) => ({
    ...good,
    ...noted(text),
    payment_attempt: undefined,
    currency: undefined,
  }),
  'BANK_ENTRY.ASSIGN': (_, good) => good,
  'PAYMENT_FILE.CREATE': (_, good) => ({ ...good, execute_on: undefined, version: undefined }),
  'WEBHOOK_DELIVERY.RESEND_FAILED': (_, good) => ({ ...good, endpoint: undefined, after: undefined }),
  'ACCOUNT_SETTINGS.UPDATE': (text) => ({
    csv_mappings: undefined,
    compatibility: undefined,
    // It takes a key of live mode.
    name: undefined,
    business: { address_lines: [text()], tax_id: text() },
  }),
  'RECEIVING_ACCOUNT.SET': (text) => ({
    ...{ iban: undefined, bic: undefined, qr_iban: undefined },
    ...{ paynow: undefined, promptpay: undefined, pix: undefined, upi: undefined },
    // It is that of the path.
    id: undefined,
    account_number: text(),
  }),
  // Names of accounts are for everybody to see.
  'ACCOUNT.CREATE': (_text, good) => good,
  'ACCOUNT.UPDATE': (_text, good) => good,
  'RAIL_CREDENTIALS.SET': (text) => ({
    secret_key: `rk_test_${text().replaceAll(' ', '_')}`,
    webhook_secret: `whsec_${text().replaceAll(' ', '_')}`,
  }),
  'TEST_HELPER.PAY': () => ({ method: undefined }),
};

test('secrets and persons are nowhere where they should not be', { timeout: 300_000 }, async (t) => {
  let log = '';
  const logger = pino(
    { level: 'trace' },
    {
      write(line: string) {
        log += line;
      },
    },
  );
  const stripe = await startStripe(t);
  // The receiver echoes what it was sent, and fails in the end.
  let status = 200;
  const receiver = await startReceiver(t, ({ text }) => ({ status, body: text.slice(0, 500) }));
  const willing = await startReceiver(t);
  const service = await startService(
    { after },
    {
      logger,
      pollMs: 20,
      requestLogMs: 1,
      env: stripe.settings,
    },
  );
  const { call, database } = service;
  const document = readDocument((await call('GET', '/openapi.json')).json);
  const canaries = createCanaries(document, receiver.url);
  const { values, made, text } = canaries;
  const places = createPlaces(values);
  for (const iban of [IBAN, PAYER_IBAN]) made(iban);
  await configure(service, {
    business: {
      legalName: text(),
      addressLines: [text()],
      taxId: text(),
      email: made('owner@canary.example'),
    } as Data,
  });

  const revealed = new Set<string>();
  /** Credentials at rails: in no answer, no backup, and nowhere in the database. */
  const credentials = new Set<string>();
  /** Secrets of links, which an answer shows and nothing keeps. */
  const links = new Set<string>();
  const live = await service.createKey({ mode: 'live' });
  /** Every request has an idempotency key of its own; what is refused is looked through at once. */
  async function ask(method: string, path: string, body?: unknown, own = service.key): Promise<Data> {
    const key = made(`canary-key-${values.size}`);
    const headers = { authorization: own.authorization, 'idempotency-key': key };
    const answer = await call(method, path, { headers, ...(body === undefined ? {} : { body }) });
    if (answer.status >= 400) places.search(`the error of ${method} ${path}`, answer.text);
    places.search(`the answer of ${method} ${path}`, answer.text, credentials);
    // Values that are shown once, or handed on, are secrets as well.
    for (const [secret] of answer.text.matchAll(/whsec_[\w+/=]+|sk_test_[0-9a-z]{47}/g)) revealed.add(secret);
    for (const [, token = ''] of answer.text.matchAll(/\/transaction\/(\w+)/g)) revealed.add(token);
    for (const [, secret = ''] of answer.text.matchAll(/\/dashboard\/link\/\w+\.(\w+)/g)) links.add(secret);
    return answer;
  }

  const subjects = subjectsOf(service, willing);
  let person: Data = {};
  for (const { method, path, operation, body, subject, liveOnly } of operations) {
    const key = liveOnly ? live : service.key;
    const { spec = {} } =
      document.operations.find((each) => each.method === method && each.path === path) ?? {};
    const schema = (spec as Data).requestBody?.content['application/json']?.schema;
    const id = await subjects[subject]();
    const target = path.replace('{id}', id);
    if (schema !== undefined) {
      const good = typeof body === 'function' ? body(id) : body;
      const filled: Data = canaries.fill(schema);
      if (operation === 'CHECKOUT.CREATE' || operation === 'PAYIN.CREATE') {
        delete filled.customer_details.customer;
        person = filled.customer_details;
      }
      const given = { ...filled, ...meant[operation]?.(text, good) };
      if (operation === 'RAIL_CREDENTIALS.SET')
        for (const each of Object.values<string>(given)) credentials.add(made(each));
      const { status, text: told } = await ask(method, target, given, key);
      assert.ok(status < 300, `${operation} was to succeed: ${told}`);
      const malformed = [canaries.broken(given), canaries.broken(given), [given], `{"${text()}": `];
      for (const each of malformed) await ask(method, target, each, key);
    }
    await ask(method, target, typeof body === 'function' ? body(id) : body, key);
    await ask(
      method,
      path.replace('{id}', encodeURIComponent(text())),
      schema === undefined ? body : {},
      key,
    );
    if (method === 'GET') {
      for (const { name } of ((spec as Data).parameters ?? []).map(document.follow)) {
        await ask('GET', `${target}?${name}=${encodeURIComponent(text())}`);
      }
      await ask(
        'GET',
        `${target}?q=${encodeURIComponent(text())}&email=${made(`q${values.size}@canary.example`)}`,
      );
    }
  }

  // Statements tell of payers.
  await subjects.bank();
  const line = { amount: 2500, name: text(), iban: PAYER_IBAN, text: text(), endToEndId: made('canary-e2e') };
  for (const file of [camt([line]), camt([line]).slice(0, -200), text()]) {
    const headers = { 'content-type': 'application/octet-stream' };
    const answer = await call('POST', '/v3/bank_statement', { body: file, headers });
    if (answer.status >= 400) places.search('the error of a statement', answer.text);
  }

  // Payers, who also do what they should not.
  status = 500;
  for (const method of ['card', 'local_bank_transfer_eur']) {
    const session = await createSession(service, {
      customer_details: person,
      webhook_url: `${receiver.url}?token=canary-hook`,
    });
    made('canary-hook');
    revealed.add(session.url.split('/').at(-1));
    await (await fetch(session.url)).text();
    if (method === 'card') {
      stripe.next('error_after');
      const body = new URLSearchParams({
        method,
        ...(await shownForm(`${session.url}?choose`)),
        email: text(),
      });
      await fetch(`${session.url}/pay`, { method: 'POST', redirect: 'manual', body });
    } else await startTransfer(service, session, method);
    await fetch(`${session.url}x`);
    await fetch(`${session.url}/pay`, {
      method: 'POST',
      body: new URLSearchParams({ once: text(), shown: text() }),
    });
    await pay(service, session.id);
    await fetch(`${session.url}/receipt.pdf?lang=${encodeURIComponent(text())}`);
    await ask('POST', '/v3/refund', { payin: session.id, amount: 1, reason: text() });
  }

  // Callers with keys that are none.
  for (const authorization of [
    `Bearer ${made('sk_test_canary1')}`,
    made('canary-authorization'),
    `Basic ${btoa(made('ak_x:sk_canary2'))}`,
  ]) {
    const answer = await call('GET', '/v3/checkout', { headers: { authorization } });
    places.search('the error of a wrong key', answer.text);
  }
  await call('POST', '/stripe/test', { body: { canary: text() }, headers: { 'stripe-signature': text() } });

  // Our own mistakes.
  await database.query('ALTER TABLE audit RENAME TO audit_gone');
  await ask('POST', '/v3/customer', { name: text(), email: made('gone@canary.example') });
  await ask('POST', '/v3/checkout', { invoice_currency: 'EUR', amount: 1, customer_details: person });
  await database.query('ALTER TABLE audit_gone RENAME TO audit');
  succeeded(await ask('POST', '/v3/test_helpers/clock/advance', { seconds: 86_400 }));

  const secrets = new Set([
    ...revealed,
    ...links,
    ...[service.key, live].flatMap(({ secret, authorization }) => [
      secret,
      authorization.slice('Basic '.length),
    ]),
    ...Object.values(service.account.webhookSecrets),
    ...Object.values(stripe.keys).flatMap(Object.values<string>),
  ]);
  const all = [...values, ...secrets];
  for (const path of ['/metrics', '/readyz', '/livez', '/']) {
    places.search(path, (await call('GET', path)).text, all);
  }
  for (const { method, path, headers } of stripe.calls) {
    places.search(`a request to Stripe, ${method} ${path}`, path, all);
    places.search('the headers of a request to Stripe', `${headers['user-agent']} ${headers.referer}`, all);
  }

  assert.equal(credentials.size, 2);
  assert.ok(links.size >= 3, `only ${links.size} links`);
  for (const table of await database.tables())
    places.search(`the table ${table}`, JSON.stringify(await database.query(`SELECT * FROM "${table}"`)), [
      ...credentials,
      ...links,
    ]);
  await commands();
  await service.stop();
  // Whatever was asked is in it: of a person, of a secret, or of what a client wrote, nothing is.
  const logged = await database.query('SELECT * FROM request_log');
  assert.ok(logged.length > 200, `only ${logged.length} requests are logged`);
  for (const row of logged) places.search('the log of requests', JSON.stringify(row), all);
  for (const each of log.trim().split('\n')) {
    assert.equal(typeof JSON.parse(each), 'object');
    places.search('the log', each, all);
  }

  assert.deepEqual(places.found, []);
  assert.ok(values.size > 500, `only ${values.size} canaries`);
  assert.ok(revealed.size > 10, `only ${revealed.size} secrets were told`);
  evidence(t, 'canaries', { canaries: all.length, ...places.figures() });

  /** Output of the command line, and credentials in a backup. */
  async function commands(): Promise<void> {
    const directory = freshDirectory(t);
    const settings = { DATABASE_URL: database.url };
    const backup = join(directory, 'backup.db');
    const isFile = database.url.startsWith('sqlite:');
    // The list of keys shows their names.
    const keys = await service.service.store.apiKeys.list(
      { account: service.account.number, mode: 'test' },
      { limit: 100 },
    );
    const namesOfKeys = new Set(keys.rows.map(({ name }) => name));
    const lines = [
      ['db', 'check'],
      ['keys', 'list', '--account', '1'],
      ['accounts', 'list'],
      ['users', 'list', '--account', '99'],
      ['keys', 'revoke', text()],
      ['accounts', 'rename', text(), '--account', '99'],
      ['webhooks', 'remove', text()],
      ...(isFile ? [['db', 'backup', backup]] : []),
    ];
    for (const args of lines) {
      const output = await runToEnd(t, args, settings);
      places.search(`opentill ${args.slice(0, 2).join(' ')}`, output.stdout + output.stderr, [
        ...[...values].filter(
          (value) => !args.includes(value) && !(args[0] === 'keys' && namesOfKeys.has(value)),
        ),
        ...secrets,
      ]);
    }
    if (!isFile) return;
    const bytes = readFileSync(backup, 'latin1');
    places.search('a backup', bytes, [
      service.key.secret,
      service.key.authorization.split(' ')[1] ?? '',
      ...Object.values(stripe.keys).flatMap(Object.values<string>),
      ...credentials,
      ...links,
    ]);
  }
});
