/** Signing in to the dashboard, over HTTP as a browser without JavaScript does it. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { createAccount } from '../../src/accounts/account.ts';
import { installation, type User } from '../../src/users/user.ts';
import {
  createVisitor,
  formIn,
  invite,
  PASSWORD,
  type Page,
  resetLink,
  signedInVisitor,
  textOf,
  totpCode,
  type Visitor,
} from '../support/dashboard.ts';
import { startService } from '../support/service.ts';

let clock = Date.now();
const service = await startService({ after }, { realNow: () => clock });
const { url } = service;
const { store } = service.service;
const MINUTE = 60_000;

let count = 0;
const nextEmail = () => `user${++count}@example.com`;
const newVisitor = (role: 'owner' | 'support' = 'owner') =>
  signedInVisitor(service, { role, email: nextEmail(), name: 'Ada Lovelace' });

async function signIn(email: string, password = PASSWORD, visitor = createVisitor(url)) {
  const page = await visitor.get('/dashboard/sign-in');
  return { visitor, answer: await visitor.submit(page, '/dashboard/sign-in', { email, password }) };
}

const profile = (visitor: Visitor): Promise<Page> => visitor.get('/dashboard/profile');
const isSignedIn = async (visitor: Visitor): Promise<boolean> => (await profile(visitor)).status === 200;

async function setTotp(visitor: Visitor): Promise<{ secret: string; codes: string[] }> {
  const page = await visitor.get('/dashboard/profile/second-factor');
  const { secret = '' } = formIn(page, '/profile/second-factor').fields;
  assert.ok(secret, textOf(page));
  const done = await visitor.submit(page, '/profile/second-factor', { code: totpCode(secret, clock) });
  const codes = [...done.html.matchAll(/<code>([0-9a-z-]+)<\/code>/g)].map(([, code = '']) => code);
  assert.equal(codes.length, 10, textOf(done));
  return { secret, codes };
}

async function actionsOf({ id }: Pick<User, 'id'>): Promise<string[]> {
  const { rows } = await store.audit.list(installation, { subject: id }, { limit: 100 });
  // The clock of the test stands still beside that of the machine, by which links are made.
  return rows.map(({ action }) => action).sort();
}

suite('a link', () => {
  test('leads to a password, and then into the dashboard, once', async () => {
    const { link, user } = await invite(store, url, { name: 'Ada', email: nextEmail() });
    const path = link.slice(url.length);
    const visitor = createVisitor(url);
    const page = await visitor.get(link);
    assert.equal(page.status, 200);
    assert.equal(page.headers.get('cache-control'), 'no-store');
    assert.equal(page.headers.get('referrer-policy'), 'no-referrer');
    const short = await visitor.submit(page, path, { name: '', email: 'none', password: 'short' });
    assert.equal(short.status, 422);
    for (const sentence of [
      'Your name has 1 to 100 characters',
      'This is no e-mail address.',
      'The password needs 12 characters at least.',
    ])
      assert.ok(textOf(short).includes(sentence), sentence);
    assert.ok(!short.html.includes('value="short"'));
    for (const [password, words] of [
      ['Ada Lovelace in 1843', 'your name'],
      [`${user.email.split('@')[0]} and more`, 'your e-mail address'],
      ['my TestShop is open', 'the name of an account'],
      ['Test-Shop! is open', 'the name of an account'],
      ['opentill for me alone', 'the name of this service'],
      ['passwordpassword', 'common one'],
      ['LeaveMeAlone!', 'common one'],
    ] as const) {
      const weak = await visitor.submit(page, path, { name: 'Ada Lovelace', password });
      assert.equal(weak.status, 422, password);
      assert.match(weak.html, new RegExp(`id="field-password-wrong">The password [^<]*${words}`), password);
      assert.equal(formIn(weak, path).fields.password, '');
    }
    assert.equal(visitor.cookie(), '');
    const done = await visitor.submit(short, path, {
      name: 'Ada King',
      email: user.email,
      password: PASSWORD,
    });
    assert.equal(done.status, 303);
    assert.ok(await isSignedIn(visitor));
    assert.ok(textOf(await profile(visitor)).includes('Ada King'));
    for (const again of [
      await createVisitor(url).get(link),
      await createVisitor(url).post(path, { password: PASSWORD }),
    ]) {
      assert.equal(again.status, 404);
      assert.ok(textOf(again).includes('no longer good'));
    }
    assert.deepEqual(await actionsOf(user), ['accept_link', 'invite_user', 'reset_user']);
  });

  test('that is guessed, cut or of another user leads nowhere, and all say the same', async () => {
    const { link, user } = await invite(store, url, { email: nextEmail() });
    const { link: other } = await invite(store, url, { email: nextEmail() });
    const secretOf = (address: string) => address.split('.').at(-1);
    const base = `/dashboard/link/${user.id}`;
    const bad = [
      base,
      `${base}.`,
      `${base}.${'0'.repeat(40)}`,
      `${base}.${secretOf(other)}`,
      link.slice(url.length, -1),
    ];
    const texts = new Set<string>();
    for (const path of bad) {
      const answer = await createVisitor(url).get(path);
      assert.equal(answer.status, path === base ? 404 : 404, path);
      texts.add(textOf(answer));
    }
    assert.equal(texts.size, 1);
    assert.equal((await createVisitor(url).get(link)).status, 200);
  });

  test('ends after three days', async () => {
    const { link } = await invite(store, url, { email: nextEmail() });
    // The link is made by the clock of the machine.
    clock = Date.now() + 3 * 24 * 60 * MINUTE + MINUTE;
    assert.equal((await createVisitor(url).get(link)).status, 404);
    clock = Date.now();
  });

  test('gives somebody who is signed in one role more, and not the address that it was made for', async () => {
    const { visitor, user } = await newVisitor();
    const second = await createAccount(store, 'Second <Shop>', clock);
    const { link, user: invited } = await invite(store, url, {
      account: second.number,
      role: 'support',
      email: nextEmail(),
    });
    const page = await visitor.get(link);
    assert.ok(textOf(page).includes('You are invited to Second <Shop>'), textOf(page));
    assert.doesNotMatch(textOf(page), /operator/);
    const done = await visitor.submit(page, '/join');
    assert.equal(done.status, 303, textOf(done));
    const { roles, email } = (await store.dashboardUsers.fetch(user.id)) ?? user;
    assert.deepEqual([roles, email], [{ ...user.roles, [second.number]: 'support' }, user.email]);
    assert.equal(await store.dashboardUsers.fetch(invited.id), null);
    assert.equal((await visitor.get(link)).status, 404);
    assert.equal((await visitor.submit(page, '/join')).status, 404);
  });

  test('says that it makes an operator, and gives a role only to who proves anew who they are', async () => {
    const { visitor, user } = await newVisitor();
    const second = await createAccount(store, 'Third', clock);
    const { link } = await invite(store, url, { account: second.number, email: '', isOperator: true });
    assert.match(textOf(await createVisitor(url).get(link)), /You become an operator of the installation/);
    clock += 11 * MINUTE;
    const page = await visitor.get(link);
    assert.match(textOf(page), /You become an operator of the installation as well/);
    const asked = await visitor.submit(page, '/join');
    assert.match(textOf(asked), /Is it you\?/);
    const before = await store.dashboardUsers.fetch(user.id);
    assert.deepEqual([before?.roles, before?.isOperator], [user.roles, undefined]);
    const done = await visitor.submit(asked, '/join', { confirm_password: 'four words of a test' });
    assert.equal(done.status, 303, textOf(done));
    const joined = await store.dashboardUsers.fetch(user.id);
    assert.deepEqual(
      [joined?.roles, joined?.isOperator],
      [{ ...user.roles, [second.number]: 'owner' }, true],
    );
    clock = Date.now();
  });

  test('for who lost the way ends all sign-ins and takes the second factor away, once it is used', async () => {
    const { visitor, user } = await newVisitor();
    await setTotp(visitor);
    const link = await resetLink(store, url, user);
    assert.ok(await isSignedIn(visitor));
    const elsewhere = createVisitor(url);
    const page = await elsewhere.get(link);
    assert.ok(textOf(page).includes(user.email));
    await elsewhere.submit(page, link.slice(url.length), {
      password: 'another four words',
      email: 'x@example.com',
    });
    assert.ok(!(await isSignedIn(visitor)));
    assert.equal((await signIn(user.email)).answer.status, 422);
    assert.equal((await signIn(user.email, 'another four words')).answer.status, 303);
    assert.equal((await signIn('x@example.com', 'another four words')).answer.status, 422);
  });
});

suite('signing in', () => {
  test('needs the password, says the same of nobody, and leads back to what was wanted', async () => {
    const { user } = await newVisitor();
    const visitor = createVisitor(url);
    const asked = await visitor.get('/dashboard/profile?x=1');
    assert.equal(asked.status, 401);
    const wrong = await visitor.submit(asked, '/dashboard/sign-in', { email: user.email, password: 'wrong' });
    const nobody = await visitor.submit(asked, '/dashboard/sign-in', {
      email: 'nobody@example.com',
      password: 'wrong',
    });
    assert.equal(wrong.status, 422);
    assert.equal(textOf(wrong), textOf(nobody));
    assert.ok(wrong.html.includes(`value="${user.email}"`) && !wrong.html.includes('value="wrong"'));
    const given = { email: ` ${user.email.toUpperCase()} `, password: PASSWORD };
    const done = await visitor.submit(wrong, '/dashboard/sign-in', given);
    assert.equal(done.location, '/dashboard/profile?x=1');
    assert.ok(await isSignedIn(visitor));
    // Who is signed in has no use for the screen.
    assert.equal((await visitor.get('/dashboard/sign-in')).location, '/dashboard');
  });

  test('leads to no other site', async () => {
    const { user } = await newVisitor();
    for (const next of [
      'https://evil.example',
      '//evil.example',
      '/dashboard/../../evil',
      '/dashboard\\evil',
      '/dashboard/\r\nx: y',
      '/dashboardx',
    ]) {
      const visitor = createVisitor(url);
      const answer = await visitor.post('/dashboard/sign-in', {
        email: user.email,
        password: PASSWORD,
        next,
      });
      assert.equal(answer.location, '/dashboard', next);
    }
  });

  test('gives a cookie that scripts and other sites do not get, with a secret of its own each time', async () => {
    const { user } = await newVisitor();
    const { answer, visitor } = await signIn(user.email);
    const [line = ''] = answer.headers.getSetCookie();
    assert.match(line, /^__Host-opentill=[\w.]+; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    const { visitor: second } = await signIn(user.email);
    assert.notEqual(visitor.cookie(), second.cookie());
    const stored = JSON.stringify(await store.dashboardUsers.fetch(user.id));
    for (const each of [visitor, second]) assert.ok(!stored.includes(each.cookie().split('.').at(-1) ?? ''));
    // Neither the id of another sign-in nor a changed secret will do.
    const [, signInOfSecond] = second.cookie().split('.');
    const [name, , secret] = visitor.cookie().split('.');
    for (const cookie of [
      `${name}.${signInOfSecond}.${secret}`,
      visitor.cookie().slice(0, -1),
      `${visitor.cookie()}0`,
    ])
      assert.equal((await profile(createVisitor(url, { cookie }))).status, 401);
  });

  test('goes on with a new cookie, whatever cookie there was before', async () => {
    const { user } = await newVisitor();
    const planted = '__Host-opentill=usr_01kf00000000000000000000a1.sgn_01kf00000000000000000000a1.'.padEnd(
      130,
      '0',
    );
    const visitor = createVisitor(url, { cookie: planted });
    await signIn(user.email, PASSWORD, visitor);
    assert.notEqual(visitor.cookie(), planted);
    assert.ok(await isSignedIn(visitor));
    assert.ok(!(await isSignedIn(createVisitor(url, { cookie: planted }))));
  });

  test('is looked at once in a minute behind ten wrong passwords, by however many at once', async () => {
    const { user, visitor: own } = await newVisitor();
    const tries = Array.from({ length: 25 }, () => signIn(user.email, 'wrong'));
    for (const { answer } of await Promise.all(tries)) assert.equal(answer.status, 422);
    const { answer } = await signIn(user.email);
    assert.equal(answer.status, 422);
    // Nothing tells that from what is said of nobody.
    assert.equal(textOf(answer), textOf((await signIn('nobody@example.com')).answer));
    assert.equal((await store.dashboardUsers.fetch(user.id))?.failures.count, 10);
    // Who is signed in goes on.
    assert.ok(await isSignedIn(own));
    clock += MINUTE;
    assert.equal((await signIn(user.email)).answer.status, 303);
    clock = Date.now();
  });

  test('at once from several browsers works in each', async () => {
    const { user } = await newVisitor();
    const all = await Promise.all(Array.from({ length: 8 }, () => signIn(user.email)));
    for (const { visitor } of all) assert.ok(await isSignedIn(visitor));
    assert.equal((await store.dashboardUsers.fetch(user.id))?.signIns.length, 9);
  });

  test('ends after a day without use, by signing out, and from another browser', async () => {
    const { user, visitor } = await newVisitor();
    const { visitor: second } = await signIn(user.email);
    const { visitor: third } = await signIn(user.email);
    const page = await profile(visitor);
    const done = await visitor.follow(visitor.submit(page, '/profile/sign-out-others'));
    assert.ok(textOf(done).includes('All other browsers are signed out.'));
    for (const each of [second, third]) assert.ok(!(await isSignedIn(each)));
    const cookie = visitor.cookie();
    const out = await visitor.follow(visitor.submit(await profile(visitor), '/dashboard/sign-out'));
    assert.ok(textOf(out).includes('You are signed out.'));
    assert.equal(visitor.cookie(), '');
    assert.ok(!(await isSignedIn(createVisitor(url, { cookie }))));

    const { visitor: last } = await signIn(user.email);
    clock += 24 * 60 * MINUTE;
    assert.ok(!(await isSignedIn(last)));
    clock = Date.now();
  });

  test('in one browser is ended by its own button in another', async () => {
    const { user, visitor } = await newVisitor();
    const { visitor: second } = await signIn(user.email);
    const page = await profile(visitor);
    await visitor.submit(page, '/profile/sign-out');
    assert.ok(await isSignedIn(visitor));
    assert.ok(!(await isSignedIn(second)));
  });
});

test('a service that other machines reach over HTTP says that nobody can sign in, before a link is used up', async (t) => {
  const plain = await startService(t, { env: { PUBLIC_URL: 'http://pay.example' } });
  const { link } = await invite(plain.service.store, plain.url, { email: 'plain@example.com' });
  for (const path of ['/dashboard/sign-in', link]) {
    assert.ok(
      textOf(await createVisitor(plain.url).get(path)).includes('Ask the operator for HTTPS first'),
      path,
    );
    assert.ok(!textOf(await createVisitor(url).get('/dashboard/sign-in')).includes('HTTPS'));
  }
});

suite('a cookie', () => {
  test('that was copied is worth nothing behind a proof or another sign-in', async () => {
    const { user, visitor } = await newVisitor();
    const copy = visitor.cookie();
    const page = await profile(visitor);
    clock += 11 * MINUTE;
    const asked = await visitor.get('/dashboard/profile/passkeys');
    const proven = await visitor.submit(asked, '/profile/passkeys', { confirm_password: PASSWORD });
    assert.equal(proven.status, 200, textOf(proven));
    assert.equal((await profile(createVisitor(url, { cookie: copy }))).status, 401);
    const before = visitor.cookie();
    // No form that is open elsewhere is lost by that.
    const name = await visitor.submit(page, '/profile/name', { name: 'Typed before', email: user.email });
    assert.equal(name.status, 303, textOf(name));
    await visitor.post('/dashboard/sign-in', { email: user.email, password: PASSWORD });
    assert.notEqual(visitor.cookie(), before);
    assert.equal((await profile(createVisitor(url, { cookie: before }))).status, 401);
    clock = Date.now();
  });

  test('of another user ends as well when somebody signs in', async () => {
    const { visitor } = await newVisitor();
    const { user: other } = await newVisitor();
    const before = visitor.cookie();
    await visitor.post('/dashboard/sign-in', { email: other.email, password: 'wrong' });
    assert.ok(await isSignedIn(createVisitor(url, { cookie: before })));
    await visitor.post('/dashboard/sign-in', { email: other.email, password: PASSWORD });
    assert.ok(await isSignedIn(visitor));
    assert.ok(!(await isSignedIn(createVisitor(url, { cookie: before }))));
  });
});

suite('a second factor', () => {
  test('is asked for behind the password, and only then is the sign-in worth something', async () => {
    const { user, visitor } = await newVisitor();
    const { secret, codes } = await setTotp(visitor);
    const { visitor: other, answer } = await signIn(user.email);
    assert.equal(answer.status, 200);
    assert.ok(textOf(answer).includes('Second factor'));
    const half = other.cookie();
    assert.ok(!(await isSignedIn(createVisitor(url, { cookie: half }))));
    // The code with which it was set is used.
    const replayed = await other.submit(answer, '/dashboard/code', { code: totpCode(secret, clock) });
    assert.equal(replayed.status, 422);
    clock += 30_000;
    const code = totpCode(secret, clock);
    const done = await other.submit(replayed, '/dashboard/code', {
      code: `${code.slice(0, 3)} ${code.slice(3)}`,
    });
    assert.equal(done.status, 303);
    assert.ok(await isSignedIn(other));
    assert.notEqual(other.cookie(), half);
    assert.ok(!(await isSignedIn(createVisitor(url, { cookie: half }))));

    const { visitor: third, answer: page } = await signIn(user.email);
    assert.equal((await third.submit(page, '/dashboard/code', { code })).status, 422);
    const [recovery = ''] = codes;
    assert.equal((await third.submit(page, '/dashboard/code', { code: recovery })).status, 303);
    const { visitor: fourth, answer: again } = await signIn(user.email);
    assert.equal((await fourth.submit(again, '/dashboard/code', { code: recovery })).status, 422);
    assert.ok(textOf(await profile(third)).includes('9 recovery codes are left'));
    clock = Date.now();
  });

  test('takes one code once, though two browsers send it at the same moment', async () => {
    const { user, visitor } = await newVisitor();
    const { codes } = await setTotp(visitor);
    const [code = ''] = codes;
    const both = [await signIn(user.email), await signIn(user.email)];
    const answers = await Promise.all(
      both.map(({ visitor: each, answer }) => each.submit(answer, '/dashboard/code', { code })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 422]);
  });

  test('is gone for who removes it, who proves lately who they are', async () => {
    const { user, visitor } = await newVisitor();
    const { codes } = await setTotp(visitor);
    clock += 11 * MINUTE;
    const page = await profile(visitor);
    const asked = await visitor.submit(page, '/profile/second-factor/remove');
    assert.ok(textOf(asked).includes('Is it you?'));
    assert.ok((await store.dashboardUsers.fetch(user.id))?.totp);
    const action = '/profile/second-factor/remove';
    const without = await visitor.submit(asked, action, { confirm_password: PASSWORD, confirm_code: '' });
    assert.equal(without.status, 422);
    const wrong = await visitor.submit(asked, action, {
      confirm_password: 'x',
      confirm_code: codes[0] ?? '',
    });
    assert.equal(wrong.status, 422);
    const done = await visitor.submit(asked, action, {
      confirm_password: PASSWORD,
      confirm_code: codes[0] ?? '',
    });
    assert.equal(done.status, 303);
    assert.equal((await store.dashboardUsers.fetch(user.id))?.totp, null);
    clock = Date.now();
  });

  test('has new recovery codes as long as it is there, and none once it is removed in another window', async () => {
    const { user, visitor } = await newVisitor();
    const { codes } = await setTotp(visitor);
    const form = await profile(visitor);
    const anew = await visitor.submit(form, '/profile/recovery-codes');
    assert.match(textOf(anew), /Your recovery codes/);
    assert.ok(!anew.html.includes(codes[0] ?? ''));
    const removed = await visitor.follow(visitor.submit(form, '/profile/second-factor/remove'));
    assert.match(textOf(removed), /The second factor is removed\./);
    const actions = await actionsOf(user);
    const late = await visitor.submit(form, '/profile/recovery-codes');
    assert.equal(late.status, 422);
    assert.match(textOf(late), /This was not done You have no second factor\. Set one up/);
    assert.doesNotMatch(late.html, /<code>/);
    assert.deepEqual((await store.dashboardUsers.fetch(user.id))?.recoveryCodes, []);
    const again = await visitor.follow(visitor.submit(form, '/profile/second-factor/remove'));
    assert.match(textOf(again), /There was nothing left to change\./);
    assert.deepEqual(await actionsOf(user), actions, 'and the log has nothing of it');
  });
});

suite('the profile', () => {
  test('changes name and address, and a password ends all other sign-ins', async () => {
    const { user, visitor } = await newVisitor();
    const { visitor: second } = await signIn(user.email);
    const email = nextEmail();
    const renamed = await visitor.follow(
      visitor.submit(await profile(visitor), '/profile/name', {
        name: 'A. <b>',
        email: ` ${email.toUpperCase()}`,
      }),
    );
    assert.ok(textOf(renamed).includes('A. <b>') && !renamed.html.includes('<b>'));
    assert.ok(textOf(renamed).includes('Your name and e-mail address are changed.'));
    const actions = await actionsOf(user);
    const asItIs = await visitor.follow(visitor.submit(renamed, '/profile/name'));
    assert.ok(textOf(asItIs).includes('There was nothing left to change.'), textOf(asItIs));
    assert.deepEqual(await actionsOf(user), actions);
    const { user: other } = await newVisitor();
    const taken = await visitor.submit(renamed, '/profile/name', { email: other.email, name: 'B' });
    assert.equal(taken.status, 422);
    assert.ok(textOf(taken).includes('Another user has this e-mail address.'));
    const next = 'five other words of a test';
    const wrong = await visitor.submit(await profile(visitor), '/profile/password', {
      current_password: 'x',
      new_password: next,
    });
    assert.equal(wrong.status, 422);
    assert.ok(await isSignedIn(second));
    const done = await visitor.submit(await profile(visitor), '/profile/password', {
      current_password: PASSWORD,
      new_password: next,
    });
    assert.equal(done.status, 303);
    assert.ok(await isSignedIn(visitor));
    assert.ok(!(await isSignedIn(second)));
    assert.equal((await signIn(email)).answer.status, 422);
    assert.equal((await signIn(email, next)).answer.status, 303);
  });
});

suite('a form', () => {
  test('of somebody who was signed out meanwhile is kept, and sent again behind the sign-in', async () => {
    const { user, visitor } = await newVisitor();
    const page = await profile(visitor);
    clock += 25 * 60 * MINUTE;
    const asked = await visitor.submit(page, '/profile/name', {
      name: 'Typed “before” & kept',
      email: user.email,
    });
    assert.equal(asked.status, 401);
    assert.ok(textOf(asked).includes('Nothing was changed.'));
    const back = await visitor.submit(asked, '/dashboard/sign-in', { email: user.email, password: PASSWORD });
    assert.ok(textOf(back).includes('What you had typed is kept.'));
    const done = await visitor.submit(back, '/profile/name');
    assert.equal(done.status, 303);
    assert.equal((await store.dashboardUsers.fetch(user.id))?.name, 'Typed “before” & kept');
    clock = Date.now();
  });

  test('is not sent by somebody else who signs in', async () => {
    const { visitor } = await newVisitor();
    const { user: other } = await newVisitor();
    const page = await profile(visitor);
    clock += 25 * 60 * MINUTE;
    const asked = await visitor.submit(page, '/profile/name', { name: 'Not theirs', email: nextEmail() });
    const back = await visitor.submit(asked, '/dashboard/sign-in', {
      email: other.email,
      password: PASSWORD,
    });
    assert.equal(back.location, '/dashboard');
    clock = Date.now();
  });

  test('with characters that nobody can see gets an answer in words', async () => {
    const { visitor, user } = await newVisitor();
    assert.equal((await signIn(`a\0${user.email}`)).answer.status, 422);
    const renamed = await visitor.submit(await profile(visitor), '/profile/name', {
      name: 'A',
      email: `a\0@b.c`,
    });
    assert.equal(renamed.status, 422);
    const named = Buffer.from('usr_\0').toString('base64url');
    const passkey = JSON.stringify({ id: 'a', response: { userHandle: named } });
    assert.equal((await visitor.post('/dashboard/passkey', { passkey })).status, 422);
    for (const form_token of ['é'.repeat(64), 'é'.repeat(32)])
      assert.equal((await visitor.post('/dashboard/profile/name', { form_token })).status, 403);
    for (const done of ['%0d%0aX', '%E2%82%AC', 'welcome'])
      assert.equal((await visitor.get(`/dashboard?done=${done}`)).status, 303, done);
  });

  test('never keeps a password', async () => {
    const visitor = createVisitor(url);
    const asked = await visitor.post('/dashboard/profile/password', {
      current_password: 'CANARY-1',
      new_password: 'CANARY-2',
      confirm_password: 'CANARY-3',
    });
    assert.equal(asked.status, 401);
    assert.ok(!asked.html.includes('CANARY'));
  });

  test('that is too large, or is none, gets an answer in words', async () => {
    const { visitor } = await newVisitor();
    const large = await visitor.post('/dashboard/profile/name', { name: 'x'.repeat(300_000) });
    assert.equal(large.status, 413);
    assert.ok(textOf(large).includes('cannot be read'));
    const response = await fetch(`${url}/dashboard/profile/name`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json', cookie: visitor.cookie() },
    });
    assert.equal(response.status, 415);
  });
});
