/** API keys in the dashboard. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { createAccount } from '../../src/accounts/account.ts';
import { texts } from '../pages/script-carriers.ts';
import { formIn, PASSWORD, signedInVisitor, textOf } from '../support/dashboard.ts';
import { startService } from '../support/service.ts';
import {
  assertForbidden,
  assertNotElsewhere,
  assertSameShape,
  assertTokenNeeded,
  visitorsOf,
} from './roles.ts';

const PATH = '/dashboard/1/test/keys';
const SECRET = /sk_test_[0-9a-z]+/;

let realNow = Date.now;
const service = await startService({ after }, { realNow: () => realNow() });
const visitors = await visitorsOf(service);

const keys = async () => (await service.call('GET', '/v3/api_key?limit=100')).json.data;
const fieldsOf = (name: string) => ({ name, 'permissions.read': 'on', 'permissions.refund': 'on' });

suite('API keys', () => {
  test('are made with the permissions that are checked, and the secret is in one answer alone', async () => {
    const { owner } = visitors;
    const page = await owner.get(PATH);
    assert.equal(page.status, 200);
    assert.match(textOf(page), new RegExp(service.key.id));
    assert.doesNotMatch(page.html, SECRET);
    const made = await owner.submit(page, '/keys', fieldsOf('Till 2'));
    assert.equal(made.status, 200);
    assert.equal(made.headers.get('cache-control'), 'no-store');
    const [secret = ''] = SECRET.exec(made.html) ?? assert.fail(textOf(made));
    const [newest] = await keys();
    assert.deepEqual([newest.name, newest.permissions], ['Till 2', ['read', 'refund']]);
    assert.ok(made.html.includes(newest.id));
    const used = await fetch(`${service.url}/v3/checkout`, {
      headers: { authorization: `Bearer ${secret}` },
    });
    assert.equal(used.status, 200);
    const list = await owner.get(PATH);
    assert.doesNotMatch(list.html, SECRET);
    assert.ok(list.html.includes(newest.id));
    assert.match(textOf(list), /Till 2 ak_test_\w+ read, refund/);
  });

  test('are made once by a form that is sent twice, which does not show the secret again', async () => {
    const { owner } = visitors;
    const page = await owner.get(PATH);
    const { length } = await keys();
    const first = await owner.submit(page, '/keys', fieldsOf('Twice'));
    assert.match(first.html, SECRET);
    const second = await owner.submit(page, '/keys', fieldsOf('Twice'));
    assert.equal(second.status, 200);
    assert.doesNotMatch(second.html, SECRET);
    assert.match(textOf(second), /sent twice, and has created one key/);
    assert.equal((await keys()).length, length + 1);
    const other = await owner.submit(await owner.get(PATH), '/keys', fieldsOf('Twice'));
    assert.match(other.html, SECRET);
    assert.equal((await keys()).length, length + 2);
  });

  test('need what the API asks for, which stands beside the fields with what was typed', async () => {
    const { owner } = visitors;
    const { length } = await keys();
    const page = await owner.submit(await owner.get(PATH), '/keys', { name: 'N'.repeat(101) });
    assert.equal(page.status, 422);
    assert.match(
      page.html,
      /id="field-name" name="name" aria-describedby="[^"]*field-name-wrong" aria-invalid="true"/,
    );
    assert.match(page.html, /<p class="wrong" id="field-name-wrong">name must have at most 100 characters/);
    assert.match(
      page.html,
      /<p class="wrong" id="field-permissions-wrong">permissions must have at least 1 element/,
    );
    assert.equal(formIn(page, '/keys').fields.name, 'N'.repeat(101));
    const again = await owner.submit(page, '/keys', { name: '\u0001', 'permissions.read': 'on' });
    assert.equal(formIn(again, '/keys').fields['permissions.read'], 'on');
    const unknown = await owner.submit(page, '/keys', { name: 'x', 'permissions.everything': 'on' });
    assert.equal(unknown.status, 422);
    assert.match(textOf(unknown), /permissions\/0 must be/);
    assert.equal((await keys()).length, length);
  });

  test('are revoked for good', async () => {
    const { owner } = visitors;
    const made = await owner.submit(await owner.get(PATH), '/keys', fieldsOf('Revoked'));
    const [secret = ''] = SECRET.exec(made.html) ?? [];
    const [{ id }] = await keys();
    const page = await owner.follow(owner.submit(await owner.get(PATH), `/keys/${id}/revoke`));
    assert.match(textOf(page), /The key is revoked\./);
    assert.throws(() => formIn(page, `/keys/${id}/revoke`));
    const [revoked] = await keys();
    assert.deepEqual([revoked.id, revoked.status], [id, 'revoked']);
    const used = await fetch(`${service.url}/v3/checkout`, {
      headers: { authorization: `Bearer ${secret}` },
    });
    assert.equal(used.status, 401);
  });

  test('of nobody, and of another account and mode, cannot be revoked', async () => {
    const { owner } = visitors;
    const other = await createAccount(service.service.store, 'Neighbour', Date.now());
    const foreign = await service.createKey({ account: other.number });
    const live = await service.createKey({ mode: 'live' });
    const { fields } = formIn(await owner.get(PATH), '/keys');
    for (const id of [foreign.id, live.id, 'ak_test_nobody', '..%2f..', 'x y'])
      assert.equal((await owner.post(`${PATH}/${id}/revoke`, fields)).status, 404, id);
    const { status } = await fetch(`${service.url}/v3/checkout`, {
      headers: { authorization: foreign.authorization },
    });
    assert.equal(status, 200);
  });

  test('come in pages', async () => {
    const { visitor } = await signedInVisitor(service, { email: 'pages@example.com' });
    for (let i = 0; i < 21; i++) await service.createKey();
    const first = await visitor.get(PATH);
    const [, next = ''] = /<a href="([^"]*)">Older<\/a>/.exec(first.html) ?? assert.fail('no next page');
    const second = await visitor.get(next);
    assert.equal(second.status, 200);
    const idsIn = ({ html }: { html: string }) =>
      [...html.matchAll(/<code>(ak_\w+)<\/code>/g)].map(([, id]) => id);
    assert.equal(idsIn(first).length, 20);
    assert.ok(idsIn(second).length > 0 && idsIn(second).every((id) => !idsIn(first).includes(id)));
    assert.match(second.html, /<a href="[^"]*\/keys">Newest<\/a>/);
    const refused = await visitor.submit(second, next.slice(next.indexOf('/keys')), {
      name: 'x'.repeat(999),
    });
    assert.equal(refused.status, 422);
    assert.deepEqual(idsIn(refused), idsIn(second), 'the page stays');
    const [, revoke = ''] =
      /action="([^"]*\/revoke\?after=[^"]*)"/.exec(second.html) ?? assert.fail('no form');
    const revoked = await visitor.submit(second, revoke);
    assert.equal(revoked.location, `${next}&done=key-revoked`, 'the page stays');
    assert.equal((await visitor.get(`${PATH}?after=nonsense`)).status, 400);
  });

  test('are for owners alone, in forms with their token, in their own account', async () => {
    const { owner, ...others } = visitors;
    const actions = [
      { method: 'GET', path: PATH },
      { method: 'POST', path: PATH, fields: fieldsOf('x') },
      { method: 'POST', path: `${PATH}/${service.key.id}/revoke` },
    ] as const;
    const before = await keys();
    for (const visitor of Object.values(others)) {
      for (const action of actions) await assertForbidden(visitor, action);
      const { html } = await visitor.get('/dashboard/1/test/webhooks');
      assert.doesNotMatch(html, /test\/keys/, 'no way to a screen that is refused');
    }
    await assertNotElsewhere(owner, actions);
    for (const { path } of actions.slice(1)) await assertTokenNeeded(owner, path);
    assert.deepEqual(await keys(), before);
  });

  test('ask anew who somebody is, and the form goes along', async (t) => {
    const { visitor } = await signedInVisitor(service, { email: 'later@example.com' });
    realNow = () => Date.now() + 11 * 60_000;
    t.after(() => {
      realNow = Date.now;
    });
    const { length } = await keys();
    const page = await visitor.get(PATH);
    assert.equal(page.status, 200, 'to look needs no proof');
    const asked = await visitor.submit(page, '/keys', fieldsOf('Proved'));
    assert.match(textOf(asked), /Is it you\?/);
    assert.doesNotMatch(asked.html, SECRET);
    const wrong = await visitor.submit(asked, '/keys', { confirm_password: 'not the password' });
    assert.equal(wrong.status, 422);
    assert.equal((await keys()).length, length);
    const made = await visitor.submit(wrong, '/keys', { confirm_password: PASSWORD });
    assert.match(made.html, SECRET);
    const [newest] = await keys();
    assert.deepEqual([newest.name, newest.permissions], ['Proved', ['read', 'refund']]);
  });

  test('show names as texts, whatever is in them', async () => {
    const { owner } = visitors;
    const page = await owner.get(PATH);
    const shown = async (name: string) => owner.submit(page, '/keys', { name });
    const plain = await shown('plain');
    for (const text of texts.filter(({ length }) => length <= 100)) {
      const refused = await shown(text);
      assert.equal(formIn(refused, '/keys').fields.name, text);
      assertSameShape(refused, plain, text);
    }
    const named = async (name: string) => {
      await owner.submit(await owner.get(PATH), '/keys', fieldsOf(name));
      return owner.get(`${PATH}?after=`);
    };
    const list = await named('plain');
    for (const text of texts.slice(0, 3)) assertSameShape(await named(text), list, text);
  });
});
