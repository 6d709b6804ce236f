/** Invitations accepted by an account at a provider, users without a password, and forms that outlast a sign-in there. */
import assert from 'node:assert/strict';
import { after, afterEach, suite, test } from 'node:test';
import { createProvider } from '../../src/dashboard/oidc.ts';
import type { User } from '../../src/users/user.ts';
import { looks, violationsOf } from '../support/axe.ts';
import { launchBrowser } from '../support/browser.ts';
import {
  createVisitor,
  formIn,
  invite,
  PASSWORD,
  type Page,
  resetLink,
  signedInVisitor,
  textOf,
  type Visitor,
} from '../support/dashboard.ts';
import { startProvider } from '../support/oidc-provider.ts';
import { startService } from '../support/service.ts';
import { changeUser } from '../support/users.ts';

const provider = await startProvider({ after });
let aheadMs = 0;
const clock = () => Date.now() + aheadMs;
const service = await startService({ after }, { env: provider.settings, realNow: clock });
const { url } = service;
const { store } = service.service;
const NAME = new URL(provider.issuer).host;
const MINUTE = 60_000;
afterEach(() => {
  provider.reset();
  aheadMs = 0;
});

/** A browser that keeps all cookies, of which the flow has one of its own. */
function browser() {
  const cookies = new Map<string, string>();
  async function send(path: string, init: RequestInit = {}): Promise<Page> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const address = path.startsWith('http') ? path : url + path;
    const headers = { cookie, 'sec-fetch-site': 'same-origin' };
    const response = await fetch(address, { redirect: 'manual', headers, ...init });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const location = response.headers.get('location');
    return { status: response.status, html: await response.text(), location, headers: response.headers };
  }
  const own = {
    cookies,
    get: (path: string) => send(path),
    post: (path: string, fields: Record<string, string>) =>
      send(path, { method: 'POST', body: new URLSearchParams(fields) }),
    submit(page: Page, action: string, fields: Record<string, string> = {}): Promise<Page> {
      const form = formIn(page, action);
      return own.post(form.action, { ...form.fields, ...fields });
    },
    isSignedIn: async () => (await send('/dashboard/profile')).status === 200,
  };
  return own;
}
type Browser = ReturnType<typeof browser>;

let count = 0;
async function invited() {
  const email = `invited${++count}@example.com`;
  const { link, user } = await invite(store, url, { role: 'support', email, name: 'Grace Hopper' });
  return { path: new URL(link).pathname, user, email, subject: `invited-${count}` };
}

const stored = async ({ id }: Pick<User, 'id'>): Promise<User> =>
  (await store.dashboardUsers.fetch(id)) ?? assert.fail('there is no such user');

/** The address at the provider to which the screen leads. */
function wayIn(page: Page): string {
  const [, address] = /<a class="button" href="([^"]*)">Go on to/.exec(page.html) ?? [];
  return (address ?? assert.fail(textOf(page))).replaceAll('&amp;', '&');
}

/** Begins at the screen of the link; gives the address at the provider. */
async function begin(guest: Browser, path: string, fields: Record<string, string> = {}): Promise<string> {
  const screen = await guest.get(path);
  const { fields: shown } = formIn(screen, path);
  const { name = '', email = '' } = shown;
  return wayIn(await guest.post(`${path}/oidc`, { name, email, ...fields }));
}

/** Somebody who has accepted an invitation by their account at the provider. */
async function member() {
  const made = await invited();
  const own = browser();
  const answer = await own.get(provider.approve(await begin(own, made.path), made.subject));
  assert.equal(answer.location, '/dashboard?done=welcome-by-provider', textOf(answer));
  return { ...made, own };
}

suite('an invitation accepted by a provider', () => {
  test('makes a user without a password, who is signed in and comes back the same way', async () => {
    const { path, user, subject, own, email } = await member();
    const made = await stored(user);
    assert.deepEqual(
      [made.email, made.name, made.password, made.link, made.identity?.subject],
      [email, 'Grace Hopper', null, null, subject],
    );
    assert.ok(await own.isSignedIn());
    assert.equal((await own.get(path)).status, 404, 'the link is good once');
    const again = browser();
    const { location } = await again.get('/dashboard/oidc');
    await again.get(provider.approve(location ?? '', subject));
    assert.ok(await again.isSignedIn());
    const { rows } = await store.audit.list({ account: 1, mode: 'live' }, { subject: user.id }, { limit: 5 });
    assert.equal(rows[0]?.action, 'accept_link_by_identity');
  });

  test('asks the provider to ask anew, with state, nonce and PKCE, and takes no older proof', async () => {
    const { path, subject, user } = await invited();
    const guest = browser();
    const asked = new URL(await begin(guest, path)).searchParams;
    assert.deepEqual(
      ['max_age', 'prompt', 'code_challenge_method'].map((name) => asked.get(name)),
      ['0', 'login', 'S256'],
    );
    assert.ok((asked.get('state') ?? '').length > 20 && (asked.get('nonce') ?? '').length > 20);
    for (const play of [
      { claims: { auth_time: Math.floor(clock() / 1000) - 60 } },
      { without: ['auth_time'] },
      { claims: { nonce: 'another' } },
    ]) {
      provider.reset();
      Object.assign(provider.play, play);
      const answer = await guest.get(provider.approve(await begin(guest, path), subject));
      assert.equal(answer.status, 422);
      assert.match(textOf(answer), /Welcome .*has not confirmed who you are/);
    }
    assert.equal((await stored(user)).identity, undefined);
    assert.equal(await guest.isSignedIn(), false);
    assert.equal((await guest.get(path)).status, 200, 'the link is still good');
  });

  test('is of the browser that has begun, and of no cookie that is not ours', async () => {
    const { path, subject, user } = await invited();
    const [guest, other] = [browser(), browser()];
    const back = provider.approve(await begin(guest, path), subject);
    assert.match(textOf(await other.get(back)), /was not begun in this browser/);
    const flow = '__Host-opentill-oidc';
    const cookie = guest.cookies.get(flow) ?? assert.fail('no cookie');
    const content = JSON.parse(Buffer.from(cookie.split('.')[0] ?? '', 'base64url').toString());
    const forged = Buffer.from(
      JSON.stringify({ ...content, accepts: { ...content.accepts, email: 'm@m.example' } }),
    );
    other.cookies.set(flow, `${forged.toString('base64url')}.${cookie.split('.')[1]}`);
    assert.match(textOf(await other.get(back)), /was not begun in this browser/);
    assert.equal((await stored(user)).identity, undefined);
  });

  test('says what is wrong beside the fields, and keeps what was typed, before and behind the provider', async () => {
    const { path, subject, user } = await invited();
    const guest = browser();
    const wrong = await guest.post(`${path}/oidc`, { name: '', email: 'nobody' });
    assert.equal(wrong.status, 422);
    for (const name of ['name', 'email']) assert.match(wrong.html, new RegExp(`id="field-${name}-wrong"`));
    assert.equal(formIn(wrong, path).fields.email, 'nobody');
    const { email } = await member();
    const answer = await guest.get(
      provider.approve(await begin(guest, path, { name: 'Typed & kept', email }), subject),
    );
    assert.equal(answer.status, 422);
    assert.match(
      answer.html,
      /id="field-email-wrong">Another user has this e-mail address\. If it is you, sign in/,
    );
    const { fields } = formIn(answer, path);
    assert.deepEqual([fields.name, fields.email], ['Typed & kept', email]);
    assert.equal((await stored(user)).identity, undefined);
  });

  test('is refused with an account of the provider that is somebody else’s', async () => {
    const { subject } = await member();
    const { path, user } = await invited();
    const guest = browser();
    const answer = await guest.get(provider.approve(await begin(guest, path), subject));
    assert.equal(answer.status, 422);
    assert.match(textOf(answer), /Somebody else signs in with this account of the provider\. If it is you/);
    assert.equal((await stored(user)).identity, undefined);
  });

  test('is over where the link was used, or has expired, meanwhile', async () => {
    const { path, subject, user } = await invited();
    const guest = browser();
    const back = provider.approve(await begin(guest, path), subject);
    await browser().post(path, { name: 'Grace', email: 'grace1@example.com', password: PASSWORD });
    const answer = await guest.get(back);
    assert.equal(answer.status, 404);
    assert.match(textOf(answer), /The link is no longer good/);
    assert.equal((await stored(user)).identity, undefined);
    const used = await guest.post(`${path}/oidc`, { name: 'Grace', email: 'grace1@example.com' });
    assert.equal(used.status, 404);
  });

  test('is not offered to somebody who has lost the way in, nor without a provider', async () => {
    const { user } = await member();
    const path = new URL(await resetLink(store, url, user)).pathname;
    const screen = await browser().get(path);
    assert.match(textOf(screen), /A new password/);
    assert.doesNotMatch(screen.html, /\/oidc"/);
    const forced = await browser().post(`${path}/oidc`, { name: 'Grace', email: 'g@example.com' });
    assert.equal(forced.status, 404);
    await browser().post(path, { password: 'four other words here' });
    assert.deepEqual(
      [(await stored(user)).identity, (await stored(user)).password === null],
      [undefined, false],
    );
    const plain = await startService({ after });
    const { link } = await invite(plain.service.store, plain.url);
    const visitor = createVisitor(plain.url);
    assert.doesNotMatch((await visitor.get(link)).html, /\/oidc"/);
    const refused = await visitor.post(`${new URL(link).pathname}/oidc`, {
      name: 'A',
      email: 'a@example.com',
    });
    assert.equal(refused.status, 404);
  });

  test('goes on with another way where the provider does not answer', async () => {
    const { path } = await invited();
    const guest = browser();
    provider.play.status = 500;
    aheadMs = 2 * 3_600_000;
    const answer = await guest.post(`${path}/oidc`, { name: 'Typed', email: 'typed@example.com' });
    assert.equal(answer.status, 422);
    assert.match(textOf(answer), /does not answer as it should/);
    assert.equal(formIn(answer, path).fields.name, 'Typed');
  });
});

suite('a user without a password', () => {
  test('proves who they are by the provider alone, and cannot disconnect it', async () => {
    const { own, user } = await member();
    const profile = await own.get('/dashboard/profile');
    assert.match(textOf(profile), /You have none, and sign in without one/);
    assert.doesNotMatch(profile.html, /identity\/remove/);
    const token = { form_token: formIn(profile, '/sign-out').fields.form_token ?? '' };
    const removed = await own.post('/dashboard/profile/identity/remove', token);
    assert.match(textOf(removed), /You can disconnect it once you have a password\./);
    assert.ok((await stored(user)).identity);
    aheadMs = 11 * MINUTE;
    const asked = await own.get('/dashboard/profile/first-password');
    assert.match(textOf(asked), /Is it you\? .*Prove it with/);
    assert.doesNotMatch(asked.html, /confirm_password/);
  });

  test('sets a first one, and has both ways then', async () => {
    const { own, user, email } = await member();
    const screen = await own.get('/dashboard/profile/first-password');
    const weak = await own.submit(screen, '/first-password', { new_password: 'Password12345' });
    assert.equal(weak.status, 422);
    assert.match(weak.html, /id="field-new_password-wrong">The password is a common one/);
    const set = await own.submit(weak, '/first-password', { new_password: PASSWORD });
    assert.equal(set.location, '/dashboard/profile?done=first-password');
    const again = browser();
    await again.post('/dashboard/sign-in', { email, password: PASSWORD });
    assert.ok(await again.isSignedIn());
    const profile = await own.get('/dashboard/profile');
    assert.equal(
      (await own.submit(profile, '/identity/remove')).location,
      '/dashboard/profile?done=identity-removed',
    );
    assert.equal((await stored(user)).identity, undefined);
    assert.equal((await own.get('/dashboard/profile/first-password')).location, '/dashboard/profile');
  });

  test('has no password carried along while they prove who they are', async () => {
    const { own, user } = await member();
    const screen = await own.get('/dashboard/profile/first-password');
    aheadMs = 11 * MINUTE;
    const asked = await own.submit(screen, '/first-password', { new_password: 'four words typed here' });
    assert.match(textOf(asked), /Is it you\?/);
    assert.doesNotMatch(asked.html, /four words typed here/);
    assert.equal((await stored(user)).password, null);
  });

  test('is told the way back where the settings name another provider than theirs', async () => {
    const { own, user } = await member();
    const [signIn] = (await stored(user)).signIns;
    assert.ok(signIn);
    await changeUser(store, user.id, {
      ...{ type: 'link_identity', identity: { issuer: 'https://old.example.com', subject: '1' } },
      ...{ signIn: signIn.id, now: Date.now() },
    });
    const command = `opentill users reset ${user.id} on the server`;
    assert.match(textOf(await own.get('/dashboard/profile')), new RegExp(`no other way .*${command}`));
    const soon = await own.get('/dashboard/profile/first-password');
    assert.ok(formIn(soon, '/first-password'), 'they have proved a moment ago who they are');
    aheadMs = 11 * MINUTE;
    const profile = await own.get('/dashboard/profile');
    const asked = [
      await own.get('/dashboard/profile/first-password'),
      await own.submit(profile, '/profile/identity'),
    ];
    for (const screen of asked) {
      assert.match(textOf(screen), new RegExp(`no way left .*Ask an owner .*${command}`));
      assert.doesNotMatch(textOf(screen), /Prove it/);
    }
  });

  test('keeps the last passkey until they have set a password, also while the provider lets them in', async () => {
    for (const isGone of [false, true]) {
      const { own, user } = await member();
      for (const id of ['one', 'two'])
        await changeUser(store, user.id, {
          ...{ type: 'add_passkey', now: Date.now() },
          passkey: { id, publicKey: 'AA', counter: 0, name: `Phone ${id}` },
        });
      const remove = async (id: string, token: Record<string, string>) =>
        own.post('/dashboard/profile/passkeys/remove', { ...token, id });
      const tokenOf = (page: Page) => ({ form_token: formIn(page, '/sign-out').fields.form_token ?? '' });
      const [signIn] = (await stored(user)).signIns;
      assert.ok(signIn);
      const passkeyIds = async () => (await stored(user)).passkeys.map(({ id }) => id);
      const token = tokenOf(await own.get('/dashboard/profile'));
      if (isGone)
        await changeUser(store, user.id, {
          ...{ type: 'link_identity', identity: { issuer: 'https://old.example.com', subject: user.id } },
          ...{ signIn: signIn.id, now: Date.now() },
        });
      assert.equal((await remove('two', token)).location, '/dashboard/profile?done=passkey-removed');
      const profile = await own.get('/dashboard/profile');
      const words = 'You can remove the last passkey once you have a password.';
      assert.doesNotMatch(profile.html, /passkeys\/remove/);
      const [, section = ''] = /<section id="passkeys">(.*?)<\/section>/s.exec(profile.html) ?? [];
      assert.ok(section.includes(words), 'the screen says it before anybody tries');
      assert.ok(textOf(profile).includes('You can disconnect it once you have a password.'));
      const refused = await remove('one', token);
      assert.equal(refused.status, 422);
      assert.ok(textOf(refused).includes(words), textOf(refused));
      assert.deepEqual(await passkeyIds(), ['one']);
      const first = await own.get('/dashboard/profile/first-password');
      assert.match(textOf(first), new RegExp(`You sign in as ${user.email} with it\\.`));
      assert.doesNotMatch(textOf(first), /beside/);
      await own.submit(first, '/first-password', { new_password: PASSWORD });
      const after = await own.submit(await own.get('/dashboard/profile'), '/passkeys/remove');
      assert.equal(after.location, '/dashboard/profile?done=passkey-removed');
      assert.deepEqual(await passkeyIds(), []);
    }
  });

  test('signs in by no password', async () => {
    const { email } = await member();
    for (const password of ['', PASSWORD]) {
      const guest = browser();
      assert.equal((await guest.post('/dashboard/sign-in', { email, password })).status, 422);
      assert.equal(await guest.isSignedIn(), false);
    }
  });
});

/** A form that was sent by somebody who was signed out meanwhile, as the page keeps it. */
async function keptForm(): Promise<{ visitor: Visitor; page: Page; user: User; subject: string }> {
  const { own, user, subject } = await member();
  const visitor = createVisitor(url, { cookie: `__Host-opentill=${own.cookies.get('__Host-opentill')}` });
  const form = formIn(await visitor.get('/dashboard/profile'), '/profile/name');
  const profile = await visitor.get('/dashboard/profile');
  await visitor.submit(profile, '/sign-out');
  const page = await visitor.post(form.action, { ...form.fields, name: 'Typed & kept' });
  assert.equal(page.status, 401);
  return { visitor, page, user, subject };
}

suite('a form that was kept', () => {
  test('outlasts a sign-in at the provider, in another window of the browser', async () => {
    const { page, user, subject } = await keptForm();
    const own = browser();
    const [, href = ''] =
      /<a href="([^"]*)" target="_blank" rel="noopener">Sign in with/.exec(page.html) ?? [];
    const early = await own.submit(page, '/go-on');
    assert.match(textOf(early), /You are not signed in yet/);
    const { location } = await own.get(href.replaceAll('&amp;', '&'));
    const back = await own.get(provider.approve(location ?? '', subject));
    assert.equal(back.location, '/dashboard/signed-in');
    assert.match(textOf(await own.get(back.location ?? '')), /You are signed in Close this window/);
    const kept = await own.submit(early, '/go-on');
    assert.match(textOf(kept), /What you had typed is kept/);
    const sent = await own.submit(kept, '/profile/name');
    assert.equal(sent.location, '/dashboard/profile?done=renamed');
    assert.equal((await stored(user)).name, 'Typed & kept');
  });

  test('is for whoever has typed it', async () => {
    const { page } = await keptForm();
    const { own: other } = await member();
    assert.equal((await other.submit(page, '/go-on')).location, '/dashboard');
  });
});

suite('a new password', () => {
  test('leaves other ways to sign in, which the next screen shows and closes', async () => {
    const { own, user } = await member();
    await own.submit(await own.get('/dashboard/profile/first-password'), '/first-password', {
      new_password: PASSWORD,
    });
    const changed = await own.submit(await own.get('/dashboard/profile'), '/profile/password', {
      current_password: PASSWORD,
      new_password: 'four other words here',
    });
    assert.equal(changed.location, '/dashboard/profile?done=password-other-ways');
    const shown = await own.get(changed.location ?? '');
    assert.match(
      textOf(shown),
      new RegExp(`Other ways to sign in They were not changed .*Your account of ${NAME}, connected`),
    );
    const closed = await own.submit(shown, '/identity/remove');
    assert.equal(closed.location, '/dashboard/profile?done=identity-removed');
    assert.equal((await stored(user)).identity, undefined);
  });

  test('says no more where there is no other way', async () => {
    const { visitor } = await signedInVisitor(service, { email: 'alone@example.com' });
    const changed = await visitor.submit(await visitor.get('/dashboard/profile'), '/profile/password', {
      current_password: PASSWORD,
      new_password: 'four other words here',
    });
    assert.equal(changed.location, '/dashboard/profile?done=password');
    assert.doesNotMatch(textOf(await visitor.get('/dashboard/profile')), /Other ways to sign in/);
  });
});

test('an account of one organization is known where the settings name the provider of all of them', () => {
  const given = {
    clientId: 'a',
    clientSecret: 'b',
    callback: `${url}/dashboard/oidc/callback`,
    realNow: clock,
  };
  const knows = (issuer: string, of: string) =>
    createProvider({ ...given, issuer }).knows({ issuer: of, subject: '1' });
  const entra = (part: string) => `https://login.microsoftonline.com/${part}/v2.0`;
  const one = '9188040d-6c67-4c5b-b112-36a304b66dad';
  for (const many of ['common', 'organizations', 'consumers']) assert.ok(knows(entra(many), entra(one)));
  assert.ok(knows(`${entra('common')}/`, entra(one)));
  for (const [issuer, of] of [
    [entra(one), entra('11111111-6c67-4c5b-b112-36a304b66dad')],
    [entra('common'), `https://login.microsoftonline.com.evil.example/${one}/v2.0`],
    [entra('common'), entra('common/x')],
    [entra('common'), `${entra(one)}/more`],
    ['https://login.example.com/common/v2.0', entra(one)],
  ] as const)
    assert.equal(knows(issuer, of), false, of);
});

test('axe finds nothing on the screens of all this', async () => {
  const chromium = await launchBrowser();
  try {
    const { path } = await invited();
    const { own } = await member();
    for (const { colorScheme, width } of looks(process.env.OPENTILL_TEST_DATABASE)) {
      const context = await chromium.newContext({ colorScheme, viewport: { width, height: 900 } });
      const page = await context.newPage();
      await page.goto(url + path);
      assert.deepEqual(await violationsOf(page), [], 'link');
      const secure = { url: url.replace('http:', 'https:'), secure: true, httpOnly: true };
      const value = own.cookies.get('__Host-opentill') ?? '';
      await context.addCookies([{ name: '__Host-opentill', value, ...secure, sameSite: 'Lax' }]);
      for (const screen of ['/profile/first-password', '/profile?done=password-other-ways', '/signed-in']) {
        await page.goto(`${url}/dashboard${screen}`);
        assert.deepEqual(await violationsOf(page), [], screen);
      }
      await context.close();
    }
  } finally {
    await chromium.close();
  }
});
