/** Signing in by OpenID Connect, with a provider that plays along, that does not, and with attackers in between. */
import assert from 'node:assert/strict';
import { after, afterEach, before, suite, test } from 'node:test';
import { pino } from 'pino';
import type { Browser as ChromiumBrowser } from 'playwright-core';
import { StoreUnavailable } from '../../src/store/errors.ts';
import type { User } from '../../src/users/user.ts';
import { looks, violationsOf } from '../support/axe.ts';
import { launchBrowser } from '../support/browser.ts';
import {
  createVisitor,
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
/** The clock of the service, ahead of that of the provider as tests like. */
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

/** A browser that keeps all cookies. */
function browser(first: Visitor | null = null, at = url) {
  const cookies = new Map<string, string>();
  const keep = (pair: string) => {
    const at = pair.indexOf('=');
    const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
    if (value === '') cookies.delete(name);
    else cookies.set(name, value);
  };
  if (first !== null) keep(first.cookie());
  async function send(path: string, init: RequestInit = {}): Promise<Page> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { cookie, 'sec-fetch-site': 'same-origin' };
    const address = path.startsWith('http') ? path : at + path;
    const response = await fetch(address, { redirect: 'manual', headers, ...init });
    for (const line of response.headers.getSetCookie()) keep(line.split(';', 1)[0] ?? '');
    const location = response.headers.get('location');
    return { status: response.status, html: await response.text(), location, headers: response.headers };
  }
  return {
    cookies,
    get: (path: string) => send(path),
    post: (path: string, fields: Record<string, string>) =>
      send(path, { method: 'POST', body: new URLSearchParams(fields) }),
    isSignedIn: async () => (await send('/dashboard/profile')).status === 200,
  };
}
type Browser = ReturnType<typeof browser>;

/** Begins at the sign-in screen; gives the address at the provider. */
async function begin(guest: Browser, next = ''): Promise<string> {
  const answer = await guest.get(`/dashboard/oidc${next === '' ? '' : `?${new URLSearchParams({ next })}`}`);
  assert.equal(answer.status, 303);
  assert.ok(answer.location?.startsWith(`${provider.issuer}/authorize?`), `${answer.location}`);
  return answer.location ?? '';
}

const tokenIn = ({ html }: Page): Record<string, string> => ({
  form_token: /name="form_token" value="([^"]*)"/.exec(html)?.[1] ?? assert.fail('no token'),
});

let count = 0;
/** Somebody who has connected an account of the provider. */
async function linkedUser(): Promise<{ user: User; own: Browser; subject: string; email: string }> {
  const email = `oidc${++count}@example.com`;
  const { visitor, user } = await signedInVisitor(service, { role: 'owner', email });
  const own = browser(visitor);
  const subject = `subject-${count}`;
  const back = provider.approve(await linkAddress(own), subject);
  const linked = await own.get(back);
  assert.equal(linked.location, '/dashboard/profile?done=identity-linked', textOf(linked));
  return { user, own, subject, email };
}

async function linkAddress(own: Browser): Promise<string> {
  const page = await own.post('/dashboard/profile/identity', tokenIn(await own.get('/dashboard/profile')));
  const [, address = ''] = /<a class="button" href="([^"]*)">Go on to/.exec(page.html) ?? [];
  assert.ok(address, textOf(page));
  return address.replaceAll('&amp;', '&');
}

/** Nobody is signed in, and no sign-in was made. */
async function assertNobody(guest: Browser, answer: Page, said: RegExp): Promise<void> {
  assert.equal(answer.status, 422, textOf(answer));
  assert.match(textOf(answer), said);
  assert.equal(await guest.isSignedIn(), false);
}

suite('signing in by a provider', () => {
  test('leads there and back, to whoever has connected the account, and to the screen that they wanted', async () => {
    const { user, subject } = await linkedUser();
    const guest = browser();
    const screen = await guest.get('/dashboard/1/live/keys');
    assert.equal(screen.status, 401);
    const [, href = ''] =
      new RegExp(`<a class="button quiet" href="([^"]*)">Sign in with ${NAME}</a>`).exec(screen.html) ?? [];
    const begun = await guest.get(href.replaceAll('&amp;', '&'));
    const asked = new URL(begun.location ?? '').searchParams;
    assert.deepEqual(
      ['response_type', 'client_id', 'scope', 'code_challenge_method', 'redirect_uri', 'max_age'].map(
        (name) => asked.get(name),
      ),
      ['code', 'opentill', 'openid', 'S256', `${url}/dashboard/oidc/callback`, null],
    );
    const line = begun.headers.getSetCookie().find((each) => each.startsWith('__Host-opentill-oidc='));
    assert.match(line ?? '', /; Path=\/; HttpOnly; Secure; SameSite=Lax; Max-Age=600$/);
    const answer = await guest.get(provider.approve(begun.location ?? '', subject));
    assert.equal(answer.location, '/dashboard/1/live/keys');
    assert.ok(!guest.cookies.has('__Host-opentill-oidc'));
    assert.equal((await guest.get('/dashboard/1/live/keys')).status, 200);
    const stored = await store.dashboardUsers.fetch(user.id);
    assert.equal(stored?.signIns.length, 2);
  });

  test('ends the sign-in that the browser has had', async () => {
    const { user, subject, own } = await linkedUser();
    const before = own.cookies.get('__Host-opentill');
    await own.get(provider.approve(await begin(own), subject));
    assert.notEqual(own.cookies.get('__Host-opentill'), before);
    assert.equal((await store.dashboardUsers.fetch(user.id))?.signIns.length, 1);
    const copy = browser();
    copy.cookies.set('__Host-opentill', before ?? '');
    assert.equal(await copy.isSignedIn(), false);
  });

  test('is for nobody who has not connected it, whatever address the provider tells', async () => {
    const { email } = await linkedUser();
    provider.play.claims = { email, email_verified: true };
    const guest = browser();
    await assertNobody(
      guest,
      await guest.get(provider.approve(await begin(guest), 'somebody else')),
      /Nobody here signs in with this account/,
    );
  });

  test('leads to no other site', async () => {
    const { subject } = await linkedUser();
    const long = `/dashboard/1/live/sessions?q=${'x'.repeat(3000)}`;
    for (const next of [long, 'https://evil.example', '//evil.example', '/dashboard/../x', '/v3/checkout']) {
      const guest = browser();
      const answer = await guest.get(provider.approve(await begin(guest, next), subject));
      assert.equal(answer.location, '/dashboard');
    }
  });
});

suite('an attack on the way back', () => {
  const changed = (address: string, name: string, value: string | null): string => {
    const back = new URL(address);
    if (value === null) back.searchParams.delete(name);
    else back.searchParams.set(name, value);
    return back.href;
  };

  test('brings another state, code or issuer, or none', async () => {
    const { subject } = await linkedUser();
    for (const [name, value] of [
      ['state', 'wrong'],
      ['state', null],
      ['code', 'wrong'],
      ['code', null],
      ['iss', 'https://evil.example'],
      ['iss', null],
    ] as const) {
      const guest = browser();
      const back = provider.approve(await begin(guest), subject);
      await assertNobody(guest, await guest.get(changed(back, name, value)), /has not confirmed who you are/);
    }
  });

  test('brings what somebody else was given, who has begun in another browser', async () => {
    const { subject } = await linkedUser();
    const attacker = browser();
    const back = provider.approve(await begin(attacker), subject);
    const victim = browser();
    await assertNobody(victim, await victim.get(back), /was not begun in this browser/);
    await begin(victim);
    await assertNobody(victim, await victim.get(back), /has not confirmed who you are/);
  });

  test('repeats what was brought before', async () => {
    const { subject } = await linkedUser();
    const guest = browser();
    const back = provider.approve(await begin(guest), subject);
    const flow = guest.cookies.get('__Host-opentill-oidc') ?? '';
    assert.equal((await guest.get(back)).status, 303);
    const copy = browser();
    await assertNobody(copy, await copy.get(back), /was not begun in this browser/);
    copy.cookies.set('__Host-opentill-oidc', flow);
    await assertNobody(copy, await copy.get(back), /has not confirmed who you are/);
  });

  test('comes too late, or with a cookie that is none', async () => {
    const { subject } = await linkedUser();
    const guest = browser();
    const back = provider.approve(await begin(guest), subject);
    aheadMs = 600_000;
    await assertNobody(guest, await guest.get(back), /too long ago/);
    aheadMs = 0;
    for (const text of [
      '',
      'x',
      Buffer.from('{}').toString('base64url'),
      Buffer.from('null').toString('base64url'),
    ]) {
      const other = browser();
      other.cookies.set('__Host-opentill-oidc', text);
      await assertNobody(other, await other.get(back), /was not begun in this browser/);
    }
  });

  test('has a token that is not for us, not of the provider, not of now, or not signed', async () => {
    const { subject } = await linkedUser();
    const now = Math.floor(Date.now() / 1000);
    const plays: ReadonlyArray<readonly [what: string, play: Partial<typeof provider.play>]> = [
      ['another nonce', { claims: { nonce: 'wrong' } }],
      ['no nonce', { without: ['nonce'] }],
      ['another audience', { claims: { aud: 'another' } }],
      ['several audiences and another party', { claims: { aud: ['opentill', 'another'], azp: 'another' } }],
      ['one audience and another party', { claims: { azp: 'another' } }],
      ['made in times to come', { claims: { iat: now + 900, exp: now + 1200 } }],
      ['asked in times to come', { claims: { auth_time: now + 900 } }],
      ['an empty subject', { claims: { sub: '' } }],
      ['a subject of another script', { claims: { sub: 'Ünal' } }],
      ['a subject without end', { claims: { sub: 'x'.repeat(256) } }],
      ['another issuer', { claims: { iss: 'https://evil.example' } }],
      ['expired', { claims: { iat: now - 900, exp: now - 600 } }],
      ['no end', { without: ['exp'] }],
      ['no subject', { without: ['sub'] }],
      ['no signature', { header: { alg: 'none' }, key: null }],
      ['a signature of another key', { key: provider.foreignKey }],
      ['a key that there is not', { header: { alg: 'RS256', kid: 'two' } }],
      ['another algorithm', { header: { alg: 'HS256', kid: 'one' } }],
    ];
    for (const [what, play] of plays) {
      provider.reset();
      Object.assign(provider.play, play);
      const guest = browser();
      const answer = await guest.get(provider.approve(await begin(guest), subject));
      assert.equal(answer.status, 422, what);
      await assertNobody(guest, answer, /has not confirmed who you are/);
    }
  });
});

suite('a flow', () => {
  const FLOW = '__Host-opentill-oidc';
  const contentOf = (cookie: string): object =>
    JSON.parse(Buffer.from(cookie.split('.')[0] ?? '', 'base64url').toString());

  test('is none that the browser has written itself, or made of another', async () => {
    const { user, own } = await linkedUser();
    aheadMs = 30 * MINUTE;
    const back = provider.approve(await begin(own), 'of mallory');
    const cookie = own.cookies.get(FLOW) ?? '';
    const [content = '', mark = ''] = cookie.split('.');
    const signIn = (await store.dashboardUsers.fetch(user.id))?.signIns[0]?.id;
    const forged = Buffer.from(
      JSON.stringify({ ...contentOf(cookie), purpose: 'link', signIn, startedAt: clock() }),
    ).toString('base64url');
    for (const value of [forged, `${forged}.`, `${forged}.${mark}`, `${content}.${mark.slice(0, 40)}`]) {
      own.cookies.set(FLOW, value);
      const answer = await own.get(back);
      assert.equal(answer.status, 422);
      assert.match(textOf(answer), /was not begun in this browser/);
    }
    const identity = { issuer: provider.issuer, subject: 'of mallory' };
    assert.equal(await store.dashboardUsers.fetchByIdentity(identity), null);
  });

  test('is marked under a secret that is kept for all processes, and told to nobody', async () => {
    const { subject } = await linkedUser();
    const guest = browser();
    const back = provider.approve(await begin(guest), subject);
    const before = guest.cookies.get(FLOW) ?? '';
    const kept = await store.secrets.fetch('oidc_flows');
    assert.equal(kept?.length, 52);
    assert.ok(!before.includes(kept ?? ''));
    assert.equal((await guest.get(back)).status, 303);
  });
});

suite('a provider in trouble', () => {
  test('is told of, and other ways of signing in work', async () => {
    const { subject, email } = await linkedUser();
    for (const play of [{ status: 503 }, { padding: 300_000 }]) {
      const guest = browser();
      const back = provider.approve(await begin(guest), subject);
      Object.assign(provider.play, play);
      await assertNobody(guest, await guest.get(back), new RegExp(`${NAME} does not answer`));
      provider.reset();
    }
    const guest = browser();
    const form = { email, password: PASSWORD };
    assert.equal((await guest.post('/dashboard/sign-in', form)).status, 303);
  });

  test('that does not answer at the first use is asked again', async () => {
    const other = await startService({ after }, { env: provider.settings, realNow: clock });
    provider.play.status = 500;
    const before = provider.requests.length;
    const away = await fetch(`${other.url}/dashboard/oidc`, { redirect: 'manual' });
    assert.equal(away.status, 422);
    assert.match(await away.text(), /does not answer/);
    provider.reset();
    // Nobody who comes by sets the pace.
    for (let i = 0; i < 5; i++)
      assert.equal((await fetch(`${other.url}/dashboard/oidc`, { redirect: 'manual' })).status, 422);
    assert.equal(provider.requests.length, before + 1);
    aheadMs = 5_000;
    assert.equal((await fetch(`${other.url}/dashboard/oidc`, { redirect: 'manual' })).status, 303);
  });
});

test('who begins again and again has to wait, and can come back from what was begun', async () => {
  const other = await startService({ after }, { env: { ...provider.settings, ADDRESS_RATE_LIMIT: '100' } });
  const guest = browser(null, other.url);
  const statuses: number[] = [];
  for (let i = 0; i < 4; i++) statuses.push((await guest.get('/dashboard/oidc')).status);
  assert.deepEqual([statuses[0], statuses.at(-1)], [303, 429]);
  assert.equal((await guest.get('/dashboard/oidc/callback')).status, 422);
});

suite('what is told of a failure', () => {
  /** A service with a log; gives its lines of sign-ins that failed. */
  async function logged(env: Record<string, string> = {}) {
    const lines: string[] = [];
    const logger = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
    const other = await startService({ after }, { env: { ...provider.settings, ...env }, logger });
    return { other, failures: () => lines.filter((line) => line.includes('sign-in at a provider failed')) };
  }

  test('is one line in a minute for each reason, with no text that anybody sends', async () => {
    const { other, failures } = await logged();
    for (const error of ['access_denied', 'x'.repeat(5000), 'A line\nof mine', 'access_denied']) {
      const guest = browser(null, other.url);
      const state = new URL(await begin(guest)).searchParams.get('state') ?? '';
      const query = new URLSearchParams({ error, state, iss: provider.issuer });
      assert.equal((await guest.get(`/dashboard/oidc/callback?${query}`)).status, 422);
    }
    const reasons = failures().map((line) => JSON.parse(line).reason);
    assert.deepEqual(reasons, [
      'OAUTH_AUTHORIZATION_RESPONSE_ERROR access_denied',
      'OAUTH_AUTHORIZATION_RESPONSE_ERROR',
    ]);
  });

  test('says that the settings are wrong to whoever can mend them, and not that nobody was confirmed', async () => {
    for (const [env, reason] of [
      [{ OIDC_ISSUER: `${provider.issuer}/another` }, /status 404/],
      [{ OIDC_ISSUER: 'http://localhost:9999' }, /ECONNREFUSED/],
    ] as const) {
      const { other, failures } = await logged(env);
      const answer = await browser(null, other.url).get('/dashboard/oidc');
      assert.match(textOf(answer), /does not answer as it should/);
      assert.match(failures().join(), reason);
    }
    const { other, failures } = await logged({ OIDC_CLIENT_SECRET: 'wrong' });
    const guest = browser(null, other.url);
    const answer = await guest.get(provider.approve(await begin(guest), 'anybody'));
    assert.match(textOf(answer), /does not answer as it should/);
    assert.match(failures().join(), /refuses this client: \w+ invalid_client/);
  });

  test('is not laid upon the provider where the database is away', async (context) => {
    const { subject } = await linkedUser();
    const guest = browser();
    const back = provider.approve(await begin(guest), subject);
    const away = async () => {
      throw new StoreUnavailable('the database is away');
    };
    const assertAway = (answer: Page) => {
      assert.equal(answer.status, 503);
      assert.match(textOf(answer), /Something is wrong with the service/);
    };
    context.mock.method(store.dashboardUsers, 'fetchByIdentity', away);
    assertAway(await guest.get(back));
    context.mock.method(store.secrets, 'keep', away);
    assertAway(await guest.get('/dashboard/oidc'));
  });
});

suite('an account of the provider', () => {
  test('is told from one of a provider before it, which proves nothing and can be disconnected', async () => {
    const plain = await startService({ after });
    for (const each of [service, plain]) {
      const { store } = each.service;
      const { visitor, user } = await signedInVisitor(each, { role: 'owner', email: 'old@example.com' });
      const [signIn] = (await store.dashboardUsers.fetch(user.id))?.signIns ?? [];
      assert.ok(signIn);
      const identity = { issuer: 'https://old.example.com/realms/one', subject: '1' };
      await changeUser(store, user.id, {
        type: 'link_identity',
        identity,
        signIn: signIn.id,
        now: Date.now(),
      });
      const own = browser(visitor, each.url);
      const profile = await own.get('/dashboard/profile');
      assert.match(
        textOf(profile),
        /You have connected an account of old\.example\.com, with which nobody signs in/,
      );
      assert.equal((await own.get('/dashboard/oidc/confirm')).status, 404);
      const removed = await own.post('/dashboard/profile/identity/remove', tokenIn(profile));
      assert.equal(removed.location, '/dashboard/profile?done=identity-removed');
      assert.equal(await store.dashboardUsers.fetchByIdentity(identity), null);
    }
  });

  test('is of one user', async () => {
    const { subject } = await linkedUser();
    const { visitor } = await signedInVisitor(service, { role: 'owner', email: 'second@example.com' });
    const other = browser(visitor);
    const answer = await other.get(provider.approve(await linkAddress(other), subject));
    assert.equal(answer.status, 422);
    assert.match(textOf(answer), /Somebody else signs in with this account/);
  });

  test('is connected to nobody but whoever has begun', async () => {
    const { visitor } = await signedInVisitor(service, { role: 'owner', email: 'victim@example.com' });
    const { visitor: hers } = await signedInVisitor(service, { role: 'owner', email: 'mallory@example.com' });
    const [victim, mallory] = [browser(visitor), browser(hers)];
    const back = provider.approve(await linkAddress(mallory), 'of mallory');
    assert.match(textOf(await victim.get(back)), /was not begun in this browser/);
    victim.cookies.set('__Host-opentill-oidc', mallory.cookies.get('__Host-opentill-oidc') ?? '');
    assert.match(textOf(await victim.get(back)), /signed out meanwhile/);
    assert.equal(
      await store.dashboardUsers.fetchByIdentity({ issuer: provider.issuer, subject: 'of mallory' }),
      null,
    );
  });

  test('is connected by nobody whose proof of who they are is too old meanwhile', async () => {
    const { visitor } = await signedInVisitor(service, { role: 'owner', email: 'slow@example.com' });
    const own = browser(visitor);
    aheadMs = 9 * MINUTE;
    const back = provider.approve(await linkAddress(own), 'of somebody slow');
    aheadMs = 11 * MINUTE;
    const answer = await own.get(back);
    assert.equal(answer.status, 422);
    assert.match(textOf(answer), /You proved too long ago who you are/);
    const identity = { issuer: provider.issuer, subject: 'of somebody slow' };
    assert.equal(await store.dashboardUsers.fetchByIdentity(identity), null);
  });

  test('is disconnected by its user, and by a link that brings them back', async () => {
    const { user, own, subject } = await linkedUser();
    const removed = await own.post(
      '/dashboard/profile/identity/remove',
      tokenIn(await own.get('/dashboard/profile')),
    );
    assert.equal(removed.location, '/dashboard/profile?done=identity-removed');
    const identity = { issuer: provider.issuer, subject };
    assert.equal(await store.dashboardUsers.fetchByIdentity(identity), null);
    await own.get(provider.approve(await linkAddress(own), subject));
    assert.equal((await store.dashboardUsers.fetchByIdentity(identity))?.id, user.id);
    const link = await resetLink(store, url, user);
    const guest = createVisitor(url);
    await guest.submit(await guest.get(link), link.slice(url.length), { password: 'four other good words' });
    assert.equal(await store.dashboardUsers.fetchByIdentity(identity), null);
  });
});

suite('proving anew who one is', () => {
  test('is needed behind a sign-in for which the provider has asked nothing, or does not tell when', async () => {
    const { subject } = await linkedUser();
    const now = Math.floor(Date.now() / 1000);
    for (const [play, isAsked] of [
      [{ claims: { auth_time: now - 3600 } }, true],
      [{ without: ['auth_time'] }, true],
      [{ claims: { auth_time: now - 300 } }, false],
    ] as const) {
      provider.reset();
      Object.assign(provider.play, play);
      const guest = browser();
      assert.equal((await guest.get(provider.approve(await begin(guest), subject))).status, 303);
      const form = {
        ...tokenIn(await guest.get('/dashboard/1/test/keys')),
        name: 'One',
        'permissions.read': 'on',
      };
      const asked = await guest.post('/dashboard/1/test/keys', form);
      assert.match(textOf(asked), isAsked ? /Is it you\?/ : /Your new key/);
      const proved = await guest.post('/dashboard/1/test/keys', { ...form, confirm_password: PASSWORD });
      assert.match(textOf(proved), /Your new key/);
    }
  });

  const confirmAddress = async (own: Browser): Promise<string> =>
    (await own.get('/dashboard/oidc/confirm')).location ?? assert.fail('no way to the provider');

  test('asks the provider to ask anew, and goes on with the form that was sent', async () => {
    const { own, subject } = await linkedUser();
    aheadMs = 11 * MINUTE;
    const token = tokenIn(await own.get('/dashboard/1/test/keys'));
    const key = { ...token, name: 'Proved', 'permissions.read': 'on' };
    const asked = await own.post('/dashboard/1/test/keys', key);
    assert.match(textOf(asked), new RegExp(`Is it you\\?.*Prove it with ${NAME}`));
    const address = await confirmAddress(own);
    const { searchParams } = new URL(address);
    assert.deepEqual([searchParams.get('max_age'), searchParams.get('prompt')], ['0', 'login']);
    provider.play.claims = { auth_time: Math.floor(clock() / 1000) };
    const proved = await own.get(provider.approve(address, subject));
    assert.match(textOf(proved), /You have proved who you are/);
    assert.match(textOf(await own.post('/dashboard/1/test/keys', key)), /Your new key/);
  });

  test('is no proof by an old sign-in there, without its time, or by another account', async () => {
    const { own, subject } = await linkedUser();
    aheadMs = 11 * MINUTE;
    const token = tokenIn(await own.get('/dashboard/1/test/keys'));
    const fresh = Math.floor(clock() / 1000);
    for (const [play, who, said] of [
      [{ claims: { auth_time: fresh - 60 } }, subject, /has not confirmed/],
      [{ without: ['auth_time'] }, subject, /has not confirmed/],
      [{ claims: { auth_time: fresh } }, 'another', /You do not sign in with this account/],
    ] as const) {
      provider.reset();
      Object.assign(provider.play, play);
      const answer = await own.get(provider.approve(await confirmAddress(own), who));
      assert.equal(answer.status, 422);
      assert.match(textOf(answer), said);
      const asked = await own.post('/dashboard/1/test/keys', { ...token, 'permissions.read': 'on' });
      assert.match(textOf(asked), /Is it you\?/);
    }
  });
});

suite('axe finds nothing', () => {
  let chromium: ChromiumBrowser;
  before(async () => {
    chromium = await launchBrowser();
  });
  after(() => chromium.close());

  for (const { colorScheme, width } of looks(process.env.OPENTILL_TEST_DATABASE))
    test(`${colorScheme}, ${width} px`, async () => {
      const { own } = await linkedUser();
      const context = await chromium.newContext({ colorScheme, viewport: { width, height: 900 } });
      const page = await context.newPage();
      const folder = process.env.OPENTILL_TEST_PICTURES;
      for (const path of ['/dashboard/sign-in', '/dashboard/profile']) {
        await page.goto(url + path);
        if (folder)
          await page.screenshot({
            path: `${folder}/oidc${path.replaceAll('/', '-')}-${colorScheme}-${width}.png`,
            fullPage: true,
          });
        assert.deepEqual(await violationsOf(page), [], path);
        const secure = { url: url.replace('http:', 'https:'), secure: true, httpOnly: true };
        const value = own.cookies.get('__Host-opentill') ?? '';
        await context.addCookies([{ name: '__Host-opentill', value, ...secure, sameSite: 'Lax' }]);
      }
      await context.close();
    });

  test('and a browser follows the way to the provider and back', async () => {
    const { subject } = await linkedUser();
    const context = await chromium.newContext();
    const page = await context.newPage();
    provider.play.signedIn = subject;
    await page.goto(`${url}/dashboard/1/live/log`);
    await page.getByRole('link', { name: `Sign in with ${NAME}` }).click();
    await page.getByRole('heading', { name: 'Log of changes' }).waitFor();
    assert.equal(new URL(page.url()).pathname, '/dashboard/1/live/log');
    await context.close();
  });
});
