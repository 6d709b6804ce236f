/** Passkeys in a real browser, with an authenticator that it plays. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { violationsOf } from '../support/axe.ts';
import { addAuthenticator, launchBrowser } from '../support/browser.ts';
import { createVisitor, invite, PASSWORD, textOf } from '../support/dashboard.ts';
import { startService } from '../support/service.ts';

let clock = Date.now();
const service = await startService({ after }, { env: { HOST: 'localhost' }, realNow: () => clock });
const { url } = service;
const { store } = service.service;
let browser: Browser;
before(async () => {
  browser = await launchBrowser();
});
after(() => browser.close());

const MINUTE = 60_000;

/** A window with an authenticator of its own, which verifies its user, or does not. */
async function windowWithKey({ isUserVerified = true } = {}): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await addAuthenticator(page, { isUserVerified });
  return page;
}

let count = 0;
async function signedIn(page: Page): Promise<string> {
  const email = `key${++count}@example.com`;
  const { link } = await invite(store, url, { name: 'Ada Lovelace', email });
  await page.goto(link);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Set the password' }).click();
  await page.getByText('Your password is set').waitFor();
  return email;
}

async function addPasskey(page: Page, name: string): Promise<void> {
  await page.goto(`${url}/dashboard/profile/passkeys`);
  await page.getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Add a passkey' }).click();
}

/** The fields of a form with a passkey that the page sends with this click. */
async function sentBy(page: Page, button: string): Promise<URLSearchParams> {
  const request = page.waitForRequest((each) => each.method() === 'POST');
  await page.getByRole('button', { name: button }).click();
  return new URLSearchParams((await request).postData() ?? '');
}

test('a passkey signs in by itself, proves anew who one is, and can be removed', async () => {
  const page = await windowWithKey();
  const email = await signedIn(page);
  await addPasskey(page, 'Laptop <b>');
  await page.getByText('The passkey is added.').waitFor();
  assert.deepEqual(await violationsOf(page), []);
  await page.getByRole('button', { name: 'Sign out' }).first().click();
  await page.getByText('You are signed out.').waitFor();
  assert.deepEqual(await violationsOf(page), []);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor();

  clock += 11 * MINUTE;
  await page.goto(`${url}/dashboard/profile/passkeys`);
  await page.getByRole('heading', { name: 'Is it you?' }).waitFor();
  assert.deepEqual(await violationsOf(page), []);
  await page.getByRole('button', { name: 'Go on with a passkey' }).click();
  await page.getByRole('heading', { name: 'Add a passkey' }).waitFor();
  await page.goto(`${url}/dashboard/profile`);
  await page.getByText('Laptop <b>').waitFor();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByText('The passkey is removed.').waitFor();
  assert.deepEqual((await store.dashboardUsers.fetchByEmail(email))?.passkeys, []);
  clock = Date.now();
});

test('what proved somebody once, or for something else, proves nothing again', async () => {
  const page = await windowWithKey();
  await signedIn(page);
  await addPasskey(page, 'Laptop');
  await page.getByText('The passkey is added.').waitFor();
  await page.getByRole('button', { name: 'Sign out' }).first().click();
  await page.getByText('You are signed out.').waitFor();
  const sent = Object.fromEntries(await sentBy(page, 'Sign in with a passkey'));
  await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor();

  const replay = async (fields: Record<string, string>) => {
    const visitor = createVisitor(url);
    const answer = await visitor.post('/dashboard/passkey', fields);
    assert.equal(answer.status, 422, textOf(answer));
    assert.equal(visitor.cookie(), '');
  };
  await replay(sent);
  const { passkey = '' } = sent;
  const changed = JSON.parse(passkey);
  await replay({
    passkey: JSON.stringify({ ...changed, response: { ...changed.response, signature: 'AAAA' } }),
  });

  // One that is made and kept back, until its time is over.
  clock = Date.now() + MINUTE;
  const other = await (await page.context()).newPage();
  await page.context().clearCookies();
  await page.goto(`${url}/dashboard/sign-in`);
  await page.route('**/dashboard/passkey', (route) => route.abort());
  const kept = Object.fromEntries(await sentBy(page, 'Sign in with a passkey'));
  clock += 5 * MINUTE;
  await replay(kept);
  clock -= 5 * MINUTE;
  // Within its time it is good, in whatever browser.
  const visitor = createVisitor(url);
  const answer = await visitor.post('/dashboard/passkey', kept);
  assert.equal(answer.status, 303, textOf(answer));
  await other.close();
  clock = Date.now();
});

test('a passkey without a look at its user is none', async () => {
  const page = await windowWithKey({ isUserVerified: false });
  const email = await signedIn(page);
  await addPasskey(page, 'Key');
  await page.getByText('The browser has given no passkey. Try again.').waitFor();
  assert.deepEqual((await store.dashboardUsers.fetchByEmail(email))?.passkeys, []);
});

test('a service without a name has no passkeys, and says so', async () => {
  const bare = await startService({ after });
  const page = await windowWithKey();
  const { link } = await invite(bare.service.store, bare.url, { email: 'bare@example.com' });
  await page.goto(`${bare.url}/dashboard/sign-in`);
  assert.equal(await page.getByRole('button', { name: 'passkey' }).count(), 0);
  await page.goto(link);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Set the password' }).click();
  await page.goto(`${bare.url}/dashboard/profile/passkeys`);
  await page.getByText('Browsers bind passkeys to a name.').waitFor();
});
