/** A person's way into the dashboard in a real browser: with the keyboard alone, without JavaScript, and for everyone. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { overflowOf, violationsOf } from '../support/axe.ts';
import { launchBrowser } from '../support/browser.ts';
import { invite, PASSWORD, totpCode } from '../support/dashboard.ts';
import { startService } from '../support/service.ts';

const service = await startService({ after });
const { url } = service;
const { store } = service.service;
let browser: Browser;
before(async () => {
  browser = await launchBrowser();
});
after(() => browser.close());

let count = 0;
const nextEmail = () => `walker${++count}@example.com`;
const invited = (email = nextEmail()) => invite(store, url, { name: 'Ada Lovelace', email });

/** Moves with the keyboard to what has this name, as its label or its text. */
async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const target = page
    .getByLabel(name)
    .or(page.getByRole('button', { name }))
    .or(page.getByRole('link', { name }))
    .first();
  for (let i = 0; i < 60; i++) {
    if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`the keyboard does not come to ${name}`);
}

async function setUpTotp(page: Page): Promise<string> {
  const secret = (await page.locator('.secret').textContent()) ?? '';
  await page.getByLabel('Code').fill(totpCode(secret, Date.now()));
  await page.getByRole('button', { name: 'Set it up' }).click();
  return secret;
}

suite('the way in', () => {
  test('by the keyboard alone, with a second factor', async () => {
    const page = await browser.newPage();
    const { link } = await invited();
    await page.goto(link);
    const email = await page.getByLabel('E-mail address').inputValue();
    await tabTo(page, 'Password');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByText('Your password is set').waitFor();
    await tabTo(page, 'Ada Lovelace');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your profile' }).waitFor();
    await tabTo(page, 'Set up a second factor');
    await page.keyboard.press('Enter');
    await page.locator('.secret').waitFor();
    const secret = (await page.locator('.secret').textContent()) ?? '';
    await tabTo(page, 'Code');
    await page.keyboard.type(totpCode(secret, Date.now()));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
    const [code = ''] = await page.locator('.codes code').allTextContents();
    await tabTo(page, 'Sign out');
    await page.keyboard.press('Enter');
    await page.getByText('You are signed out.').waitFor();
    await tabTo(page, 'E-mail address');
    await page.keyboard.type(email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Second factor' }).waitFor();
    await tabTo(page, 'Code');
    await page.keyboard.type(code);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor();
    await page.close();
  });

  test('without JavaScript', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    const { link } = await invited();
    await page.goto(link);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByText('Your password is set').waitFor();
    await page.goto(`${url}/dashboard/profile/second-factor`);
    await setUpTotp(page);
    await page.getByRole('link', { name: 'I have kept them' }).click();
    await page.getByText('10 recovery codes are left').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed out.').waitFor();
    await context.close();
  });

  test('keeps the cookie to this host, over http on this machine as well', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto((await invited()).link);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Set the password' }).click();
    const cookies = await context.cookies();
    assert.deepEqual(
      cookies.map(({ name, httpOnly, secure, sameSite, path }) => [name, httpOnly, secure, sameSite, path]),
      [['__Host-opentill', true, true, 'Lax', '/']],
    );
    await context.close();
  });
});

/** One here, and the others on PostgreSQL. */
const views: ReadonlyArray<readonly [string, BrowserContextOptions]> =
  process.env.OPENTILL_TEST_DATABASE === 'postgres'
    ? [
        ['light', { colorScheme: 'light', viewport: { width: 1280, height: 800 } }],
        ['dark at 768 px', { colorScheme: 'dark', viewport: { width: 768, height: 900 } }],
        ['light at 320 px', { colorScheme: 'light', viewport: { width: 320, height: 640 } }],
      ]
    : [['dark at 320 px', { colorScheme: 'dark', viewport: { width: 320, height: 640 } }]];

for (const [view, options] of views) {
  test(`axe finds nothing on the way in: ${view}`, async () => {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const holds = async (what: string): Promise<void> => {
      assert.deepEqual(await violationsOf(page), [], `${what} ${view}`);
      assert.equal(await overflowOf(page), 0, `${what} ${view}`);
    };
    const { link } = await invited();
    await page.goto(`${url}/dashboard`);
    await holds('the sign-in');
    await page.goto(link);
    await holds('the invitation');
    await page.getByLabel('Password').fill('short');
    await page.getByRole('button', { name: 'Set the password' }).click();
    await holds('a mistake');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.goto(`${url}/dashboard/profile/second-factor`);
    await holds('the second factor');
    await setUpTotp(page);
    await holds('the recovery codes');
    await page.goto(`${url}/dashboard/profile`);
    await holds('the profile');
    await page.goto(`${url}/dashboard/no/such/page`);
    await holds('no such page');
    await context.close();
  });
}
