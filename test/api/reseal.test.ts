/** Credentials of all accounts, encrypted anew over the API and in the dashboard once the key has been replaced. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { createAccount } from '../../src/accounts/account.ts';
import type { RailCredentialsCommand } from '../../src/accounts/rail-credentials-changes.ts';
import { railCredentialsTag } from '../../src/accounts/tags.ts';
import type { Mode } from '../../src/checkout/tenant.ts';
import { executeOn } from '../../src/cli/with-store.ts';
import { MAX_RESEALED } from '../../src/http/routes/reseal.ts';
import { createVault } from '../../src/methods/credentials.ts';
import { ownOrigin } from '../../src/writer/command.ts';
import { PASSWORD, signedInVisitor, textOf } from '../support/dashboard.ts';
import { CREDENTIALS_KEY, startService } from '../support/service.ts';
import { assertRefused, type Data, succeeded, until, writesNothing } from './shop.ts';

const [oldKey, newKey, lostKey] = ['a1'.repeat(32), CREDENTIALS_KEY, 'f0'.repeat(32)] as const;
const vaultOf = (key: string) => createVault(Buffer.from(key, 'hex'));
let aheadMs = 0;
const service = await startService(
  { after },
  {
    env: { CREDENTIALS_KEY: newKey, CREDENTIALS_KEY_PREVIOUS: oldKey },
    realNow: () => Date.now() + aheadMs,
  },
);
const { store } = service.service;
const execute = executeOn(store);
const operator = await service.createKey({ mode: 'live', permissions: ['accounts'] });
const PATH = '/v3/installation_credentials/reseal';
const MESSAGE = 'INSTALLATION_CREDENTIALS.RESEAL';
const secrets = { secret_key: 'rk_test_own0key', webhook_secret: 'whsec_own' };

const call = (headers: Record<string, string> = {}) =>
  service.call('POST', PATH, { headers: { authorization: operator.authorization, ...headers } });

async function give(account: number, key: string, mode: Mode = 'test'): Promise<void> {
  const place = { tenant: { account, mode }, rail: 'stripe' };
  const command: RailCredentialsCommand = {
    ...{ type: 'set_rail_credentials', rail: 'stripe', form: { fields: Object.keys(secrets) } },
    ...{ secrets: vaultOf(key).seal(secrets, place), at: Date.now(), by: 'operator' },
  };
  await execute({
    ...{ subject: 'account', origin: ownOrigin(place.tenant, 'operator'), command },
    now: Date.now(),
  });
}

async function clear(): Promise<void> {
  for (const { number: account, railCredentials } of await store.accounts.list())
    for (const mode of ['test', 'live'] as const)
      if ('stripe' in railCredentials[mode])
        await execute({
          ...{ subject: 'account', origin: ownOrigin({ account, mode }, 'operator'), now: Date.now() },
          command: { type: 'remove_rail_credentials', rail: 'stripe' },
        });
}

const stored = async (account: number, mode: Mode = 'test') =>
  (await store.accounts.fetch(account))?.railCredentials[mode].stripe ?? assert.fail('no credentials');

async function opens(key: string, account: number, mode: Mode = 'test'): Promise<boolean> {
  const place = { tenant: { account, mode }, rail: 'stripe' };
  return vaultOf(key).open(await stored(account, mode), place) !== null;
}

const counts = (data: Data) => [data.resealed, data.current, data.previous, data.unknown];
const { number: second } = await createAccount(store, 'Second Shop', Date.now());

suite('credentials of all accounts', () => {
  test('are put under the current key, whoever has set them, and a repetition changes nothing', async () => {
    await clear();
    await give(1, oldKey);
    await give(1, newKey, 'live');
    await give(second, oldKey, 'live');
    const before = await stored(second, 'live');
    const headers = { 'idempotency-key': 'once' };
    const answer = await call(headers);
    assert.deepEqual(counts(succeeded(answer)), [2, 3, 0, 0]);
    for (const [account, mode] of [
      [1, 'test'],
      [1, 'live'],
      [second, 'live'],
    ] as const)
      assert.deepEqual(
        [await opens(newKey, account, mode), await opens(oldKey, account, mode)],
        [true, false],
      );
    const { setAt, setBy } = await stored(second, 'live');
    assert.deepEqual([setAt, setBy], [before.setAt, before.setBy]);
    // Whoever has a form open for these credentials has missed no change.
    assert.equal(railCredentialsTag(await stored(second, 'live')), railCredentialsTag(before));
    const again = await writesNothing(service, () => call(headers));
    assert.deepEqual([again.text, again.headers.get('idempotent-replayed')], [answer.text, 'true']);
    assert.deepEqual(counts(succeeded(await writesNothing(service, () => call()))), [0, 3, 0, 0]);
    await give(1, oldKey);
    await writesNothing(service, () => call(headers));
    assert.equal(await opens(newKey, 1), false, 'the same request again does no more');
    const { rows } = await store.audit.list({ account: second, mode: 'live' }, {}, { limit: 1 });
    assert.deepEqual(
      rows.map(({ action, actor, subject }) => [action, actor, subject]),
      [['reseal_rail_credentials', operator.id, 'stripe']],
    );
  });

  test('that neither key opens are counted, and left alone', async () => {
    await clear();
    await give(1, lostKey);
    await give(second, oldKey);
    assert.deepEqual(counts(succeeded(await call())), [1, 1, 0, 1]);
    assert.ok(await opens(lostKey, 1));
  });

  test('are so many in one request, and the others in the next', async () => {
    await clear();
    const wanted = MAX_RESEALED / 2 + 1;
    const numbers = (await store.accounts.list()).map(({ number }) => number);
    while (numbers.length < wanted)
      numbers.push((await createAccount(store, `Shop ${numbers.length}`, Date.now())).number);
    for (const account of numbers.slice(0, wanted))
      for (const mode of ['test', 'live'] as const) await give(account, oldKey, mode);
    const all = wanted * 2;
    assert.deepEqual(counts(succeeded(await call())), [MAX_RESEALED, MAX_RESEALED, all - MAX_RESEALED, 0]);
    assert.deepEqual(counts(succeeded(await call())), [all - MAX_RESEALED, all, 0, 0]);
  });

  test('stay where the service has no key to encrypt them with', async (t) => {
    const without = await startService(t, { env: { CREDENTIALS_KEY: '' } });
    const key = await without.createKey({ mode: 'live', permissions: ['accounts'] });
    const headers = { authorization: key.authorization };
    const answer = await writesNothing(without, () => without.call('POST', PATH, { headers }));
    assertRefused(answer, { status: 409, message: `${MESSAGE}.NO_CREDENTIALS_KEY`, errors: [[19043]] });
  });
});

test('an operator encrypts them anew in the dashboard, behind a proof of who they are', async (t) => {
  t.after(() => {
    aheadMs = 0;
  });
  await clear();
  await give(1, oldKey);
  await give(second, lostKey);
  const { visitor } = await signedInVisitor(service, { email: 'olga@example.com', isOperator: true });
  const screen = await visitor.get('/dashboard/accounts');
  assert.match(textOf(screen), /Credentials at rails .*Encrypt the credentials of all accounts anew/);
  aheadMs = 11 * 60_000;
  const asked = await visitor.submit(screen, '/installation-credentials/reseal');
  assert.match(textOf(asked), /Is it you\?/);
  assert.equal(await opens(newKey, 1), false);
  const done = await visitor.submit(asked, '/installation-credentials/reseal', {
    confirm_password: PASSWORD,
  });
  assert.match(textOf(done), /Encrypted anew 1 Under CREDENTIALS_KEY 1 .*PREVIOUS 0 Under neither 1/);
  assert.match(textOf(done), /have their accounts set them again/);
  assert.ok(await opens(newKey, 1));
  await clear();
  const none = await visitor.submit(
    await visitor.get('/dashboard/accounts'),
    '/installation-credentials/reseal',
  );
  assert.match(textOf(none), /You can remove CREDENTIALS_KEY_PREVIOUS/);
  const { visitor: owner } = await signedInVisitor(service, { email: 'owen@example.com' });
  const token = /name="form_token" value="([^"]*)"/.exec((await owner.get('/dashboard/profile')).html)?.[1];
  const refused = await owner.post('/dashboard/installation-credentials/reseal', { form_token: token ?? '' });
  assert.equal(refused.status, 403);
});

test('what another process has set meanwhile under the previous key is encrypted anew as well', async () => {
  await clear();
  await give(1, oldKey);
  const [one] = await Promise.all([call(), give(1, oldKey)]);
  succeeded(one);
  await until(async () => counts(succeeded(await call()))[2] === 0);
  assert.ok(await opens(newKey, 1));
});
