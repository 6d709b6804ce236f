/**
 * The dashboard at two instances on one PostgreSQL: a browser may be led to another one with each request, so that whatever
 * is begun at one goes on at the other, and what may happen once happens once.
 */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Browser, Page as Window } from 'playwright-core';
import { createSession, order, pay, succeeded } from '../api/shop.ts';
import { addAuthenticator, launchBrowser } from '../support/browser.ts';
import {
  createVisitor,
  formIn,
  invite,
  PASSWORD,
  type Page,
  signedInVisitor,
  textOf,
  totpCode,
  type Visitor,
} from '../support/dashboard.ts';
import { freshPostgres } from '../support/database-postgres.ts';
import { createHooks } from '../support/hooks.ts';
import { startProvider } from '../support/oidc-provider.ts';
import { startService } from '../support/service.ts';
import { changeUser } from '../support/users.ts';

const MINUTE = 60_000;
const hooks = createHooks();
after(hooks.run);
const database = await freshPostgres();
const provider = await startProvider(hooks);
let clock = Date.now();
const options = { database, realNow: () => clock };
const env = { ...provider.settings, HOST: 'localhost' };
const one = await startService(hooks, { ...options, env });
// One name stands in front of both.
const other = await startService(hooks, { ...options, env: { ...env, PUBLIC_URL: one.url } });
const { store } = one.service;
hooks.after(database.remove);

let count = 0;
const nextEmail = () => `user${++count}@example.com`;

/** The same browser, as the other instance sees it. */
const at = ({ url }: { readonly url: string }, visitor: Visitor) =>
  createVisitor(url, { cookie: visitor.cookie() });

/** Somebody who has signed in at one instance. */
async function signedIn() {
  const email = nextEmail();
  const { visitor: here, user } = await signedInVisitor(one, { email });
  return { here, there: at(other, here), user, email };
}

const profile = (visitor: Visitor): Promise<Page> => visitor.get('/dashboard/profile');
const statusesOf = (pages: readonly Page[]): number[] => pages.map(({ status }) => status).sort();

/** The API of the other instance, with the key of the first account. */
const callAtOther: typeof one.call = (method, path, given = {}) =>
  other.call(method, path, {
    ...given,
    headers: { authorization: one.key.authorization, ...given.headers },
  });

suite('a sign-in', () => {
  test('at one is one at the other, and ends at both when it ends at either', async () => {
    const { here, there, user } = await signedIn();
    assert.equal((await profile(there)).status, 200);
    await there.submit(await profile(there), '/sign-out');
    assert.equal((await profile(here)).status, 401);
    assert.deepEqual((await store.dashboardUsers.fetch(user.id))?.signIns, []);
  });

  test('is ended from a browser at the other instance', async () => {
    const { here, there, email } = await signedIn();
    const second = createVisitor(one.url);
    await second.post('/dashboard/sign-in', { email, password: PASSWORD });
    assert.equal((await profile(second)).status, 200);
    const done = await there.submit(await profile(there), '/sign-out-others');
    assert.equal(done.status, 303, textOf(done));
    assert.deepEqual([(await profile(second)).status, (await profile(here)).status], [401, 200]);
  });

  test('loses a role at both at once', async () => {
    const { here, there, user } = await signedIn();
    assert.equal((await here.get('/dashboard/1/test/keys')).status, 200);
    assert.equal((await there.get('/dashboard/1/test/keys')).status, 200);
    await changeUser(other.service.store, user.id, {
      type: 'set_role',
      account: 1,
      role: 'read_only',
      now: clock,
    });
    for (const visitor of [here, there])
      assert.equal((await visitor.get('/dashboard/1/test/keys')).status, 403);
  });
});

suite('a proof anew of who one is', () => {
  test('is asked for at one, given at the other, and counts at both', async () => {
    const { here, there } = await signedIn();
    const before = here.cookie();
    clock += 11 * MINUTE;
    const asked = await here.get('/dashboard/profile/passkeys');
    assert.match(textOf(asked), /Is it you\?/);
    const proven = await there.submit(asked, '/profile/passkeys', { confirm_password: PASSWORD });
    assert.doesNotMatch(textOf(proven), /Is it you\?/);
    const after = at(one, there);
    assert.doesNotMatch(textOf(await after.get('/dashboard/profile/passkeys')), /Is it you\?/);
    // The cookie before is worth nothing, at both.
    for (const { url } of [one, other])
      assert.equal((await profile(createVisitor(url, { cookie: before }))).status, 401);
    clock = Date.now();
  });

  test('takes the form along that was sent to the other', async () => {
    const { here, there } = await signedIn();
    clock += 11 * MINUTE;
    const asked = await here.submit(await here.get('/dashboard/1/test/members'), '/members', {
      role: 'finance',
    });
    assert.match(textOf(asked), /Is it you\?/);
    const done = await there.submit(asked, '/members', { confirm_password: PASSWORD });
    assert.match(textOf(done), /dashboard\/link\//);
    clock = Date.now();
  });
});

suite('a form', () => {
  test('that was opened at one is sent to the other, and acts once though both get it', async () => {
    const { here, there } = await signedIn();
    const page = await here.get('/dashboard/1/test/sessions/new');
    const { action, fields } = formIn(page, '/sessions/new');
    const typed = { ...fields, invoice_currency: 'EUR', amount: '12.50', reference_id: 'sent-twice' };
    const answers = await Promise.all([here.post(action, typed), there.post(action, typed)]);
    assert.deepEqual(statusesOf(answers), [303, 303], answers.map(textOf).join());
    assert.equal(answers[0]?.location, answers[1]?.location);
    const found = succeeded(await one.call('GET', '/v3/checkout?reference_id=sent-twice'));
    assert.equal(found.length, 1);
  });

  test('of a sign-in that has ended is kept by one, and sent again at the other', async () => {
    const { here, there, user, email } = await signedIn();
    const page = await profile(here);
    clock += 25 * 60 * MINUTE;
    const asked = await here.submit(page, '/profile/name', { name: 'Typed before', email });
    assert.equal(asked.status, 401);
    const back = await there.submit(asked, '/dashboard/sign-in', { email, password: PASSWORD });
    const again = at(one, there);
    assert.equal((await again.submit(back, '/profile/name')).status, 303);
    assert.equal((await store.dashboardUsers.fetch(user.id))?.name, 'Typed before');
    clock = Date.now();
  });
});

suite('what may be used once', () => {
  test('is a link, though it is opened at both and sent to both at the same moment', async () => {
    for (let round = 0; round < 5; round++) {
      const { link, user } = await invite(store, one.url, { email: nextEmail() });
      const path = link.slice(one.url.length);
      const visitors = [createVisitor(one.url), createVisitor(other.url)];
      const pages = await Promise.all(visitors.map((visitor) => visitor.get(path)));
      assert.deepEqual(statusesOf(pages), [200, 200]);
      const answers = await Promise.all(
        visitors.map((visitor, index) => visitor.submit(pages[index] as Page, path, { password: PASSWORD })),
      );
      assert.deepEqual(statusesOf(answers), [303, 404], answers.map(textOf).join());
      assert.equal((await store.dashboardUsers.fetch(user.id))?.signIns.length, 1);
      assert.equal(visitors.filter((visitor) => visitor.cookie() !== '').length, 1);
    }
  });

  test('is the code of an app, though both get it at the same moment', async () => {
    const { here, email } = await signedIn();
    const page = await here.get('/dashboard/profile/second-factor');
    const { secret = '' } = formIn(page, '/profile/second-factor').fields;
    await here.submit(page, '/profile/second-factor', { code: totpCode(secret, clock) });
    clock += MINUTE;
    const visitors = [createVisitor(one.url), createVisitor(other.url)];
    const asked = await Promise.all(
      visitors.map((visitor) => visitor.post('/dashboard/sign-in', { email, password: PASSWORD })),
    );
    const code = totpCode(secret, clock);
    const answers = await Promise.all(
      visitors.map((visitor, index) => visitor.submit(asked[index] as Page, '/dashboard/code', { code })),
    );
    assert.deepEqual(statusesOf(answers), [303, 422], answers.map(textOf).join());
    clock = Date.now();
  });
});

suite('in a browser', () => {
  let browser: Browser;
  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser.close());

  async function windowOf(visitor: Visitor | null): Promise<Window> {
    const context = await browser.newContext();
    if (visitor !== null) {
      const [name = '', value = ''] = visitor.cookie().split(/=(.*)/s);
      // Chromium takes a secure cookie over HTTP from this machine, but is given one only for HTTPS.
      const secure = { url: one.url.replace('http:', 'https:'), secure: true, httpOnly: true };
      await context.addCookies([{ name, value, ...secure, sameSite: 'Lax' }]);
    }
    return context.newPage();
  }

  test('a passkey that was asked for by one is shown to the other, and is good once at both', async () => {
    const { here, user } = await signedIn();
    const window = await windowOf(here);
    await addAuthenticator(window);
    await window.goto(`${one.url}/dashboard/profile/passkeys`);
    await window.getByLabel('Name').fill('Laptop');
    await window.getByRole('button', { name: 'Add a passkey' }).click();
    await window.getByText('The passkey is added.').waitFor();
    await window.context().clearCookies();
    // Its challenge has to be newer than the passkey.
    clock += MINUTE;
    await window.goto(`${one.url}/dashboard/sign-in`);
    await window.route('**/dashboard/passkey', (route) => route.abort());
    const sent = window.waitForRequest((each) => each.method() === 'POST');
    await window.getByRole('button', { name: 'Sign in with a passkey' }).click();
    const fields = new URLSearchParams((await sent).postData() ?? '');
    const answers = await Promise.all(
      [other, one].map(({ url }) => createVisitor(url).post('/dashboard/passkey', fields)),
    );
    assert.deepEqual(statusesOf(answers), [303, 422], answers.map(textOf).join());
    assert.equal((await store.dashboardUsers.fetch(user.id))?.signIns.length, 2);
    await window.context().close();
    clock = Date.now();
  });

  test('a screen of one shows by itself what changes at the other', async () => {
    const { here } = await signedIn();
    const session = await createSession(one, { ...order, reference_id: 'live-at-both' });
    const window = await windowOf(here);
    await window.clock.install();
    await window.goto(`${one.url}/dashboard/1/test/sessions/${session.id}`);
    await window.locator('#facts', { hasText: 'active' }).waitFor();
    await pay({ ...one, call: callAtOther }, session.id);
    await window.clock.runFor(10_000);
    await window.locator('#facts', { hasText: 'completed' }).waitFor();
    await window.context().close();
  });
});

test('a way to a provider that was begun at one comes back to the other', async () => {
  const { here, user } = await signedIn();
  const own = here.cookie();
  const page = await here.submit(await profile(here), '/profile/identity');
  const [, address = ''] = /<a class="button" href="([^"]*)">Go on to/.exec(page.html) ?? [];
  const flow = page.headers.getSetCookie().find((each) => each.startsWith('__Host-opentill-oidc='));
  const [pair = ''] = (flow ?? '').split(';', 1);
  const back = new URL(provider.approve(address.replaceAll('&amp;', '&'), 'subject-of-both'));
  const cookie = `${own}; ${pair}`;
  const headers = { cookie, 'sec-fetch-site': 'same-origin' };
  const answer = await fetch(`${other.url}${back.pathname}${back.search}`, { headers, redirect: 'manual' });
  assert.equal(answer.headers.get('location'), '/dashboard/profile?done=identity-linked');
  assert.equal((await store.dashboardUsers.fetch(user.id))?.identity?.subject, 'subject-of-both');
});
