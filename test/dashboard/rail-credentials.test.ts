/** Credentials at rails in the dashboard. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { formIn, PASSWORD, type Page, signedInVisitor, textOf } from '../support/dashboard.ts';
import { startService } from '../support/service.ts';
import { assertForbidden, assertNotElsewhere, assertTokenNeeded, visitorsOf } from './roles.ts';

const LIST = '/dashboard/1/test/settings';
const PATH = `${LIST}/credentials/stripe`;
const SECRETS = { secret_key: 'rk_test_own0key0of0a0shop', webhook_secret: 'whsec_own0secret0of0a0shop' };

let realNow = Date.now;
const service = await startService({ after }, { realNow: () => realNow() });
const visitors = await visitorsOf(service);
const { owner } = visitors;

const stored = async () => (await service.call('GET', '/v3/rail_credentials')).json.data;
const clear = () => service.call('DELETE', '/v3/rail_credentials/stripe');

function assertNoSecret({ html }: Page): void {
  for (const secret of Object.values(SECRETS)) assert.ok(!html.includes(secret), secret);
}

suite('credentials at rails', () => {
  test('are set, and shown by their hints alone', async () => {
    await clear();
    const empty = await owner.get(PATH);
    assert.match(textOf(empty), /The account has none of its own\..*\/notices\/stripe\/1\/test/);
    const page = await owner.follow(owner.submit(empty, '/stripe', SECRETS));
    assert.match(
      textOf(page),
      /The credentials are saved\. .* Stripe secret_key …shop, webhook_secret …shop/,
    );
    const form = await owner.get(PATH);
    assert.match(textOf(form), /Set by Ada Lovelace Encryption key the one of the settings/);
    for (const each of [page, form]) assertNoSecret(each);
    assert.deepEqual([formIn(form, '/stripe').fields.secret_key, (await stored()).length], ['', 1]);
  });

  test('keep what is left empty', async () => {
    await clear();
    await owner.submit(await owner.get(PATH), '/stripe', SECRETS);
    const changed = { secret_key: 'rk_test_other0key0of0a0shop0new1' };
    assert.equal((await owner.submit(await owner.get(PATH), '/stripe', changed)).status, 303);
    const [{ hints }] = await stored();
    assert.deepEqual(hints, { secret_key: 'new1', webhook_secret: 'shop' });
    const [before] = await stored();
    const empty = await owner.follow(owner.submit(await owner.get(PATH), '/stripe'));
    assert.match(textOf(empty), /There was nothing left to change\./);
    assert.deepEqual(await stored(), [before]);
  });

  test('say what is wrong beside the fields, and never what was typed', async () => {
    await clear();
    const page = await owner.submit(await owner.get(PATH), '/stripe', {
      secret_key: 'sk_live_wrong0mode0secret0of0stripe',
      webhook_secret: '',
    });
    assert.equal(page.status, 422);
    assert.match(page.html, /id="field-secret_key-wrong">secret_key must/);
    assert.match(page.html, /id="field-webhook_secret-wrong">webhook_secret is required/);
    assert.doesNotMatch(page.html, /wrong0mode/);
    assert.deepEqual(await stored(), []);
  });

  test('say so where the service has no key to encrypt them with', async (t) => {
    const without = await startService(t, { env: { CREDENTIALS_KEY: '' } });
    const { visitor } = await signedInVisitor(without);
    const page = await visitor.submit(await visitor.get(PATH), '/stripe', SECRETS);
    assert.equal(page.status, 422);
    assert.match(page.html, /<div class="alert" role="alert"><p>The setting CREDENTIALS_KEY, /);
    assertNoSecret(page);
  });

  test('of two who set them from the same form keep those of the first, and the second is told by whom', async () => {
    const other = { secret_key: 'rk_test_other0key0of0a0shop0new1', webhook_secret: '' };
    for (const before of [{}, SECRETS]) {
      await clear();
      if ('secret_key' in before) await service.call('PUT', '/v3/rail_credentials/stripe', { body: before });
      const form = await owner.get(PATH);
      assert.equal((await owner.submit(form, '/stripe', SECRETS)).status, 303);
      const late = await owner.submit(form, '/stripe', {
        ...SECRETS,
        ...other,
        webhook_secret: 'whsec_other0',
      });
      assert.equal(late.status, 422);
      assert.match(textOf(late), /Set by Ada Lovelace .* Somebody has changed the credentials meanwhile/);
      assertNoSecret(late);
      assert.equal((await stored())[0].hints.secret_key, 'shop');
      assert.equal((await owner.submit(late, '/stripe', other)).status, 303);
      assert.equal((await stored())[0].hints.secret_key, 'new1');
    }
  });

  test('are not those of a form that was mended, where somebody else has set others before', async () => {
    await clear();
    await service.call('PUT', '/v3/rail_credentials/stripe', { body: SECRETS });
    const form = await owner.get(PATH);
    const theirs = { secret_key: 'rk_test_other0key0of0a0shop0new1' };
    await service.call('PUT', '/v3/rail_credentials/stripe', { body: theirs });
    const wrong = await owner.submit(form, '/stripe', { secret_key: 'pk_test_nonsense' });
    assert.match(wrong.html, /id="field-secret_key-wrong">secret_key must/);
    const late = await owner.submit(wrong, '/stripe', SECRETS);
    assert.equal(late.status, 422);
    assert.match(textOf(late), /Somebody has changed the credentials meanwhile/);
    assert.equal((await stored())[0].hints.secret_key, 'new1');
    assert.equal((await owner.submit(late, '/stripe', SECRETS)).status, 303, 'once it is seen, it counts');
  });

  test('that somebody else has set meanwhile are not removed by who has not seen them', async () => {
    await clear();
    await owner.submit(await owner.get(PATH), '/stripe', SECRETS);
    const form = await owner.get(PATH);
    const other = { ...SECRETS, secret_key: 'rk_test_other0key0of0a0shop0new1' };
    await owner.submit(form, '/stripe', other);
    const late = await owner.submit(form, '/stripe/remove');
    assert.equal(late.status, 422);
    assert.match(textOf(late), /Somebody has changed the credentials meanwhile, .* They were not removed\./);
    assert.equal((await stored())[0].hints.secret_key, 'new1');
    assert.equal((await owner.submit(late, '/stripe/remove')).status, 303);
    assert.deepEqual(await stored(), []);
  });

  test('are removed', async () => {
    await clear();
    await owner.submit(await owner.get(PATH), '/stripe', SECRETS);
    const form = await owner.get(PATH);
    const page = await owner.follow(owner.submit(form, '/stripe/remove'));
    assert.match(textOf(page), /The credentials are removed\..*Stripe none of its own/);
    assert.deepEqual(await stored(), []);
    const again = await owner.follow(owner.submit(form, '/stripe/remove'));
    assert.match(textOf(again), /There was nothing left to change\./, 'they are removed already');
  });

  test('are typed once more behind a proof of who somebody is, and stand in no page meanwhile', async (t) => {
    await clear();
    const { visitor } = await signedInVisitor(service, { email: 'later@example.com' });
    const form = await visitor.get(PATH);
    realNow = () => Date.now() + 11 * 60_000;
    t.after(() => {
      realNow = Date.now;
    });
    const toLook = await visitor.get(PATH);
    assert.match(textOf(toLook), /Is it you\?/);
    const asked = await visitor.submit(form, '/stripe', SECRETS);
    assert.match(textOf(asked), /Is it you\?/);
    assertNoSecret(asked);
    const again = await visitor.submit(asked, '/stripe', { confirm_password: PASSWORD });
    assert.equal(again.status, 422);
    assert.match(textOf(again), /Type the secrets once more\./);
    assertNoSecret(again);
    assert.deepEqual(await stored(), []);
    const blank = await visitor.submit(toLook, '/stripe', { confirm_password: PASSWORD });
    assert.deepEqual([blank.status, /once more/.test(blank.html)], [200, false]);
    assert.equal((await visitor.submit(again, '/stripe', SECRETS)).status, 303);
    assert.equal((await stored()).length, 1);
  });

  for (const [what, theirs, said] of [
    [
      'changed',
      { ...SECRETS, secret_key: 'rk_test_other0key0of0a0shop0new1' },
      /has changed the credentials/,
    ],
    ['removed', null, /none of its own.*Somebody has removed the credentials meanwhile\. Type the secrets/],
  ] as const)
    test(`are told to be ${what} meanwhile, to who is to type them behind a proof of who they are`, async (t) => {
      await clear();
      await service.call('PUT', '/v3/rail_credentials/stripe', { body: SECRETS });
      const { visitor } = await signedInVisitor(service, { email: `${what}@example.com` });
      const form = await visitor.get(PATH);
      realNow = () => Date.now() + 11 * 60_000;
      t.after(() => {
        realNow = Date.now;
      });
      const asked = await visitor.submit(form, '/stripe', SECRETS);
      assert.match(textOf(asked), /Is it you\?/);
      if (theirs === null) await clear();
      else await service.call('PUT', '/v3/rail_credentials/stripe', { body: theirs });
      const again = await visitor.submit(asked, '/stripe', { confirm_password: PASSWORD });
      assert.equal(again.status, 422);
      assert.match(textOf(again), said);
      const mine = { ...SECRETS, secret_key: 'rk_test_mine0key0of0a0shop0min2' };
      assert.equal((await visitor.submit(again, '/stripe', mine)).status, 303, 'once it is seen, it counts');
      assert.equal((await stored())[0].hints.secret_key, 'min2');
    });

  test('that somebody has removed meanwhile are set by whoever is told so', async () => {
    await clear();
    await service.call('PUT', '/v3/rail_credentials/stripe', { body: SECRETS });
    const form = await owner.get(PATH);
    await clear();
    const late = await owner.submit(form, '/stripe', SECRETS);
    assert.equal(late.status, 422);
    assert.match(
      textOf(late),
      /none of its own.*Somebody has removed the credentials meanwhile\. Type the secrets once more to set yours\./,
    );
    assert.deepEqual(await stored(), []);
    assert.equal((await owner.submit(late, '/stripe', SECRETS)).status, 303);
  });

  test('do not stand in the page of a sign-in that has to come first', async () => {
    await clear();
    const { visitor } = await signedInVisitor(service, { email: 'gone@example.com' });
    const form = await visitor.get(PATH);
    await visitor.submit(form, '/sign-out');
    const page = await visitor.submit(form, '/stripe', SECRETS);
    assert.equal(page.status, 401);
    assertNoSecret(page);
  });

  test('are for owners alone, in forms with their token, in their own account, at rails that have some', async () => {
    await clear();
    const { owner: _, ...others } = visitors;
    const actions = [
      { method: 'GET', path: PATH },
      { method: 'POST', path: PATH, fields: SECRETS },
      { method: 'POST', path: `${PATH}/remove` },
    ] as const;
    for (const visitor of Object.values(others))
      for (const action of actions) await assertForbidden(visitor, action);
    await assertNotElsewhere(owner, actions);
    for (const { path } of actions.slice(1)) await assertTokenNeeded(owner, path, SECRETS);
    const { fields } = formIn(await owner.get(PATH), '/stripe');
    for (const rail of ['bank', 'nothing', '..%2f']) {
      const path = PATH.replace('stripe', rail);
      assert.equal((await owner.get(path)).status, 404);
      assert.equal((await owner.post(path, { ...fields, ...SECRETS })).status, 404);
      assert.equal((await owner.post(`${path}/remove`, fields)).status, 404);
    }
    assert.deepEqual(await stored(), []);
  });
});
