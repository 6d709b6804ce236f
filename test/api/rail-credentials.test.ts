/** Credentials of accounts at rails: how they are set and shown, whose keys pay, and who hears of which event. */
import assert from 'node:assert/strict';
import { after, suite, type TestContext, test } from 'node:test';
import { pino } from 'pino';
import Stripe from 'stripe';
import { createAccount } from '../../src/accounts/account.ts';
import { executeOn } from '../../src/cli/with-store.ts';
import { ownOrigin } from '../../src/writer/command.ts';
import { runToEnd } from '../support/process.ts';
import { type Answer, CREDENTIALS_KEY, startService, type TestService } from '../support/service.ts';
import { startStripe } from '../support/stripe-stand-in.ts';
import { authorizationOf, startCard, usedBy } from './card.ts';
import { assertRefused, type Data, succeeded, until, writesNothing } from './shop.ts';

const SET = 'RAIL_CREDENTIALS.SET';
const PATH = '/v3/rail_credentials/stripe';
const ownOf = (who: string) => ({
  secret_key: `rk_test_${who}0own0key0of0stripe`,
  webhook_secret: `whsec_${who}0own0secret0of0stripe`,
});

const stripe = await startStripe({ after });
const settings = {
  ...stripe.settings,
  // The account that the test service makes first.
  STRIPE_ACCOUNT: '1',
};
/** The key of the service is replaced. */
const rotation = { CREDENTIALS_KEY: 'c3'.repeat(32), CREDENTIALS_KEY_PREVIOUS: CREDENTIALS_KEY };
const service = await startService({ after }, { env: settings });
const other = await anotherMerchant(service, 'Neighbour');
const neighbour = other.account;

const set = (of: Pick<TestService, 'call'>, body: unknown, headers = {}): Promise<Answer> =>
  of.call('PUT', PATH, { body, headers });
const clear = async () => {
  for (const each of [service, other]) await each.call('DELETE', PATH);
};
/** Gives an account credentials that the stand-in knows as well. */
async function give(of: TestService, who: string) {
  const own = ownOf(who);
  stripe.admit(own.secret_key, 'test');
  assert.ok((await set(of, own)).status < 300);
  return own;
}
const storedOf = async ({ database }: TestService): Promise<string> =>
  JSON.stringify(await database.query('SELECT * FROM account'));

suite('credentials', () => {
  test('are shown by their hints alone, and stored sealed', async () => {
    await clear();
    const own = ownOf('a');
    const answer = await set(service, own, { 'idempotency-key': 'set-1' });
    const made = succeeded(answer, 201);
    assert.equal(answer.headers.get('location'), PATH);
    assert.deepEqual(
      { ...made, set_at: '' },
      {
        id: 'stripe',
        object: 'rail_credentials',
        hints: { secret_key: 'ripe', webhook_secret: 'ripe' },
        set_at: '',
        set_by: service.key.id,
        encryption_key: 'current',
        events_url: `${service.config.PUBLIC_URL}/notices/stripe/${service.account.number}/test`,
      },
    );
    assert.deepEqual(succeeded(await service.call('GET', PATH)), made);
    assert.deepEqual(succeeded(await service.call('GET', '/v3/rail_credentials')), [made]);
    const again = await set(service, own, { 'idempotency-key': 'set-1' });
    assert.deepEqual([again.text, again.headers.get('idempotent-replayed')], [answer.text, 'true']);
    const kept = JSON.stringify(await service.database.query('SELECT * FROM idempotency'));
    const stored = await storedOf(service);
    for (const secret of Object.values(own))
      for (const text of [answer.text, kept, stored, JSON.stringify(await audit(service))])
        assert.ok(!text.includes(secret) && !text.includes(Buffer.from(secret).toString('base64')));
  });

  test('are changed one by one, and a change of nothing is none', async () => {
    await clear();
    succeeded(await set(service, ownOf('a')), 201);
    const changed = succeeded(await set(service, { webhook_secret: 'whsec_another0secret1234' }));
    assert.deepEqual(changed.hints, { secret_key: 'ripe', webhook_secret: '1234' });
    const unchanged = await writesNothing(service, () => set(service, {}));
    assert.deepEqual(succeeded(unchanged), changed);
  });

  test('that another process has set a moment ago are changed one by one as well', async (t) => {
    await clear();
    const { accounts } = service.service.store;
    const before = await accounts.fetch(service.account.number);
    succeeded(await set(service, ownOf('a')), 201);
    // A process knows only the state before, until it hears of the change.
    t.mock.method(accounts, 'fetch', async () => before);
    const { hints } = succeeded(await set(service, { webhook_secret: 'whsec_another0secret1234' }));
    assert.deepEqual(hints, { secret_key: 'ripe', webhook_secret: '1234' });
  });

  test('leave a line in the log of changes that names the rail', async () => {
    await clear();
    succeeded(await set(service, ownOf('a')), 201);
    succeeded(await service.call('DELETE', PATH));
    const [removed, made] = await audit(service);
    for (const [line, action] of [
      [removed, 'remove_rail_credentials'],
      [made, 'set_rail_credentials'],
    ] as const) {
      assert.deepEqual([line.action, line.subject, line.actor], [action, 'stripe', service.key.id]);
    }
  });

  test('with mistakes are refused with all of them, without what was given', async () => {
    await clear();
    for (const [body, pointers] of [
      [{}, ['/secret_key', '/webhook_secret']],
      [{ secret_key: 'sk_live_canary', webhook_secret: 'canary' }, ['/secret_key', '/webhook_secret']],
      [{ secret_key: 'sk_live_canary', api_key: 'canary' }, ['/api_key', '/secret_key', '/webhook_secret']],
      [{ secret_key: ['canary'], webhook_secret: '' }, ['/secret_key', '/webhook_secret']],
    ] as const) {
      const answer = await writesNothing(service, () => set(service, body));
      assert.equal(answer.json.message, `${SET}.FIELD_INVALID`);
      assert.deepEqual(answer.json.errors.map(({ remarks }: Data) => remarks).sort(), [...pointers].sort());
      assert.ok(!answer.text.includes('canary'));
    }
  });

  test('are of the mode of the key', async () => {
    const live = (await service.createKey({ mode: 'live' })).authorization;
    const headers = { authorization: live };
    const own = { secret_key: 'rk_live_own', webhook_secret: 'whsec_own' };
    succeeded(await set(service, own, headers), 201);
    assert.equal((await set(service, ownOf('a'), headers)).json.message, `${SET}.FIELD_INVALID`);
    assert.deepEqual(succeeded(await service.call('GET', PATH, { headers })).hints, {
      secret_key: '',
      webhook_secret: '',
    });
    await clear();
    succeeded(await service.call('DELETE', PATH, { headers }));
  });

  test('are those of a rail that needs some', async () => {
    for (const id of ['bank', 'nowhere', 'constructor']) {
      const path = `/v3/rail_credentials/${id}`;
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const given = method === 'PUT' ? { body: ownOf('a') } : {};
        const answer = await writesNothing(service, () => service.call(method, path, given));
        assert.equal(answer.status, method === 'PUT' ? 400 : 404, `${method} ${id}`);
      }
    }
  });
});

suite('cards', () => {
  test('go through the keys of each account, and through those of the settings where it has none', async () => {
    await clear();
    assert.equal(await usedBy(other, stripe), null);
    const keys = [await give(other, 'b'), await give(service, 'a')].map(({ secret_key: key }) => key);
    assert.equal(await usedBy(other, stripe), keys[0]);
    assert.equal(await usedBy(service, stripe), keys[1]);
    succeeded(await service.call('DELETE', PATH));
    assert.equal(await usedBy(service, stripe), stripe.keys.test.secretKey);
    succeeded(await other.call('DELETE', PATH));
    assert.equal(await usedBy(other, stripe), null);
  });

  test('are paid, noticed and refunded by the account to whose address the event comes', async () => {
    await clear();
    const { secret_key: key, webhook_secret: secret } = await give(other, 'b');
    await give(service, 'a');
    const { id, attempt } = await startCard(other);
    const page = [...stripe.books.test.sessions.values()].find(
      ({ client_reference_id: reference }) => reference === attempt,
    );
    assert.ok(page);
    stripe.books.test.pay(page.id, {});
    const event = stripe.books.test.events.findLast(({ data }) => (data.object as Data).id === page.id);
    assert.ok(event);
    const to = (path: string) => stripe.deliver(event, `${service.url}/notices/stripe${path}`, { secret });
    // Only the address says whose secret is tried.
    for (const path of ['', `/${service.account.number}/test`, `/${neighbour.number}/live`, '/99/test'])
      assert.equal(await to(path), 400, path);
    for (const path of [`/${neighbour.number}/other`, '/x/test', `/0${'1'.repeat(12)}/test`])
      assert.equal(await to(path), 400, path);
    assert.equal(await to(`/${neighbour.number}/test`), 200);
    const kept = await service.database.query('SELECT account FROM provider_event');
    assert.deepEqual(
      kept.map(({ account }) => Number(account)),
      [neighbour.number],
    );
    const paid = await until(async () => {
      const session = succeeded(await other.call('GET', `/v3/checkout/${id}`));
      return session.payment_status === 'paid' && session;
    });
    const body = { payin: paid.id };
    const refund = succeeded(await other.call('POST', '/v3/refund', { body }), 201);
    await until(
      async () => succeeded(await other.call('GET', `/v3/refund/${refund.id}`)).status === 'succeeded',
    );
    const used = stripe.calls.filter(({ path }) => path === '/v1/refunds').map(authorizationOf);
    assert.deepEqual([...new Set(used)], [key]);
  });
});

suite('the key of the service', () => {
  test('is needed to set credentials, and for nothing else', async (t) => {
    const without = await startService(t, { env: { ...settings, CREDENTIALS_KEY: '' } });
    const answer = await writesNothing(without, () => set(without, ownOf('a')));
    assertRefused(answer, { status: 409, message: `${SET}.NO_CREDENTIALS_KEY`, errors: [[19043]] });
    assert.match(answer.json.errors[0].message, /CREDENTIALS_KEY/);
    assert.equal(await usedBy(without, stripe), stripe.keys.test.secretKey);
  });

  test('can be replaced: the previous one still opens, and what is set is under the current one', async (t) => {
    const first = await withCredentials(t, 'a');
    const rotated = await again(t, first, rotation);
    assert.equal(succeeded(await rotated.call('GET', PATH)).encryption_key, 'previous');
    assert.equal(await usedBy(rotated, stripe), ownOf('a').secret_key);
    assert.equal(succeeded(await set(rotated, ownOf('a'))).encryption_key, 'current');
    const later = await again(t, rotated, { CREDENTIALS_KEY: rotation.CREDENTIALS_KEY });
    assert.equal(await usedBy(later, stripe), ownOf('a').secret_key);
    await later.stop();
  });

  test('is not needed any more once all is encrypted anew under the one that replaces it', async (t) => {
    const first = await withCredentials(t, 'a');
    const rotated = await again(t, first, rotation);
    const before = succeeded(await rotated.call('GET', PATH));
    const done = await runToEnd(t, ['credentials', 'reseal'], {
      ...rotation,
      DATABASE_URL: rotated.database.url,
    });
    assert.deepEqual([done.code, done.stderr], [0, '']);
    const { action, subject, actor } = (await audit(rotated))[0];
    assert.deepEqual([action, subject, actor], ['reseal_rail_credentials', 'stripe', 'operator']);
    const known = await until(async () => {
      const told = succeeded(await rotated.call('GET', PATH));
      return told.encryption_key === 'current' && told;
    });
    assert.deepEqual(known, { ...before, encryption_key: 'current' });
    assert.equal(await usedBy(rotated, stripe), ownOf('a').secret_key);
    const later = await again(t, rotated, { CREDENTIALS_KEY: rotation.CREDENTIALS_KEY });
    assert.equal(await usedBy(later, stripe), ownOf('a').secret_key);
    await later.stop();
  });

  test('that is another one is told at the start, and concerns the account with the credentials alone', async (t) => {
    const first = await withCredentials(t, 'a');
    const lines: Data[] = [];
    const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const wrong = await again(t, first, { CREDENTIALS_KEY: 'c3'.repeat(32) }, logger);
    const told = lines.filter(({ msg }) => /credentials of the account cannot be read/.test(msg));
    assert.deepEqual(
      told.map(({ level, account, mode, rail }) => [level, account, mode, rail]),
      [[50, first.account.number, 'test', 'stripe']],
    );
    // By the keys of the settings somebody else would get the money of the account.
    assert.equal(await usedBy(wrong, stripe), null);
    assert.equal(succeeded(await wrong.call('GET', PATH)).encryption_key, 'unknown');
    const second = await anotherMerchant(wrong, 'Second');
    const { secret_key: key } = await give(second, 'b');
    assert.equal(await usedBy(second, stripe), key);
    await wrong.stop();
  });

  test('opens nothing in the row of another account', async (t) => {
    const first = await withCredentials(t, 'a');
    const { store } = first.service;
    const thief = await anotherMerchant(first, 'Thief');
    const { secrets } = (await store.accounts.fetch(first.account.number))?.railCredentials.test.stripe ?? {};
    assert.ok(secrets);
    const { result } = await executeOn(store)({
      subject: 'account',
      origin: ownOrigin({ account: thief.account.number, mode: 'test' }, 'operator'),
      command: {
        ...{ type: 'set_rail_credentials', rail: 'stripe', secrets, form: { fields: Object.keys(secrets) } },
        ...{ at: Date.now(), by: 'operator' },
      },
      now: Date.now(),
    });
    assert.equal(result.kind, 'change');
    assert.equal(succeeded(await thief.call('GET', PATH)).encryption_key, 'unknown');
    assert.equal(await usedBy(thief, stripe), null);
    assert.equal(await usedBy(first, stripe), ownOf('a').secret_key);
    await first.stop();
  });
});

suite('an address for events', () => {
  test('of an account is held to the rate of its requests', async (t) => {
    const slow = await startService(t, { env: { ...settings, RATE_LIMIT: '1' } });
    const { webhook_secret: secret } = await give(slow, 'a');
    const body = JSON.stringify({ id: 'evt_rate', livemode: false, data: { object: {} } });
    const url = `${slow.url}/notices/stripe/${slow.account.number}/test`;
    const statuses: number[] = [];
    for (let count = 0; count < 20 && !statuses.includes(429); count++) {
      const timestamp = Math.floor(Date.now() / 1000);
      const signature = Stripe.webhooks.generateTestHeaderString({ payload: body, secret, timestamp });
      const headers = { 'stripe-signature': signature };
      statuses.push((await fetch(url, { method: 'POST', body, headers })).status);
    }
    assert.equal(statuses[0], 200);
    assert.ok(statuses.includes(429), statuses.join(' '));
  });
});

async function audit({ call }: TestService): Promise<Data[]> {
  return succeeded(await call('GET', '/v3/audit?limit=2'));
}

/** The same service with a key of an account of its own. */
async function anotherMerchant(of: TestService, name: string): Promise<TestService> {
  const account = await createAccount(of.service.store, name, Date.now());
  const key = await of.createKey({ account: account.number });
  return as({ ...of, account, key });
}

function as(of: TestService): TestService {
  const { authorization } = of.key;
  return {
    ...of,
    call: (method, path, { headers, ...rest } = {}) =>
      of.call(method, path, { ...rest, headers: { authorization, ...headers } }),
  };
}

/** A service whose account has credentials; whoever starts another one on its database stops that. */
async function withCredentials(t: TestContext, who: string): Promise<TestService> {
  const made = await startService(t, { env: settings });
  await give(made, who);
  return made;
}

/** Another service on the database, with other keys, for the same merchant. */
async function again(
  t: TestContext,
  { stop, database, account, key }: TestService,
  env: Record<string, string>,
  logger = pino({ level: 'silent' }),
): Promise<TestService> {
  await stop();
  const next = await startService(t, { env: { ...settings, ...env }, database, logger });
  return as({ ...next, account, key });
}
