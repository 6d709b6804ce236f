/**
 * `npm run pictures`: takes a picture of each screen of the dashboard, over a small shop that it makes for that, and writes
 * the page that shows them. The rows of `test/dashboard/doors.ts` say where the screens are.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { createAccount } from '../src/accounts/account.ts';
import type { Declared } from '../src/dashboard/screen.ts';
import { createSession, order, pay } from '../test/api/shop.ts';
import { doors } from '../test/dashboard/doors.ts';
import { makeThings } from '../test/dashboard/things.ts';
import { launchBrowser } from '../test/support/browser.ts';
import { invite, PASSWORD, signedInVisitor } from '../test/support/dashboard.ts';
import { startService, type TestService } from '../test/support/service.ts';
import { changeUser } from '../test/support/users.ts';
import { FOLDER, fileOf, furtherOf, pictureOf } from './pictures/names.ts';
import { formatted } from './reference/markdown.ts';

const root = join(import.meta.dirname, '..');
const usual = { width: 1000, height: 700 };
const narrow = { width: 320, height: 1100 };
/** Letters stay sharp, and a picture has some 20 KB. */
const QUALITY = 75;

const people = [
  ['Margaret Hamilton', 'US', 'EUR'],
  ['Grace Hopper', 'US', 'USD'],
  ['Katherine Johnson', 'US', 'EUR'],
  ['Hedy Lamarr', 'AT', 'EUR'],
  ['Mary Jackson', 'US', 'GBP'],
  ['Emmy Noether', 'DE', 'EUR'],
] as const;

/** Sessions of some days, some of which are paid, partially paid or expired; gives one of which much is to be told. */
async function furnish(service: TestService): Promise<string> {
  let told = '';
  for (let number = 0; number < 18; number++) {
    const [name, country, currency] = people[number % people.length] ?? people[0];
    const email = `${name.split(' ')[0]?.toLowerCase()}@example.com`;
    const session = await createSession(service, {
      ...order,
      invoice_currency: currency,
      items: [{ name: number % 2 === 0 ? 'Widget' : 'Gadget', quantity: 1 + (number % 4), unit_price: 1250 }],
      reference_id: `order-${1041 + number}`,
      customer_details: { name, email, country },
    });
    if (number % 3 === 0) await pay(service, session.id);
    if (number % 7 === 5) await pay(service, session.id, { amount: 500 });
    if (number % 9 === 4) await service.call('POST', `/v3/checkout/${session.id}/expire`);
    if (number === 15) {
      told = session.id;
      await service.call('POST', '/v3/refund', { body: { payin: told, amount: 500, reason: 'Damaged' } });
    }
    await service.call('POST', '/v3/test_helpers/clock/advance', { body: { seconds: 4 * 3_600 } });
  }
  // The request that the row of its screen names.
  const headers = { 'x-request-id': 'req_5f3a9c1b0e7d-1' };
  await service.call('POST', '/v3/checkout', { body: { items: [{ name: '', quantity: 0 }] }, headers });
  return told;
}

/** Takes a picture of what the window shows. Playwright has no WebP. */
async function screenshot(page: Page, file: string): Promise<void> {
  const browser = await page.context().newCDPSession(page);
  const { data } = await browser.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
  await browser.detach();
  writeFileSync(join(root, FOLDER, file), Buffer.from(data, 'base64'));
}

/** Takes all pictures of a screen; gives the lines that show them. */
async function picturesOf(page: Page, name: string): Promise<string> {
  const title = (await page.locator('h1').first().textContent()) ?? name;
  const shown = [`![${title}](dashboard/${fileOf(name)})`];
  await screenshot(page, fileOf(name));
  for (const further of furtherOf(name)) {
    if (further === 'dark') await page.emulateMedia({ colorScheme: 'dark' });
    else await page.setViewportSize(narrow);
    await screenshot(page, fileOf(name, further));
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(usual);
    shown.push(`![${title}, ${further}](dashboard/${fileOf(name, further)})`);
  }
  return `## ${title}\n\n${shown.join('\n')}`;
}

const ends: Array<() => Promise<void>> = [];
const browser = await launchBrowser();
try {
  const service = await startService({ after: (hook) => ends.push(hook) }, { requestLogMs: 1 });
  const session = await furnish(service);
  const things = { ...(await makeThings(service)), session };
  const { visitor, user } = await signedInVisitor(service, { account: service.account.number });
  const { store } = service.service;
  await createAccount(store, 'Neighbour', Date.now());
  let isOperator = false;
  /** Screens of the installation are for its operators, whom the others show more than an owner. */
  async function comeFor({ needs }: Declared): Promise<void> {
    const wanted = typeof needs === 'object' && 'installation' in needs;
    if (wanted !== isOperator)
      await changeUser(store, user.id, { type: 'set_operator', isOperator: wanted, now: Date.now() });
    isOperator = wanted;
  }
  const { link } = await invite(store, service.url, {
    role: 'finance',
    email: 'grace@example.com',
  });
  rmSync(join(root, FOLDER), { recursive: true, force: true });
  mkdirSync(join(root, FOLDER), { recursive: true });

  const context = await browser.newContext({ viewport: usual, locale: 'en-US' });
  const page = await context.newPage();
  const shown: string[] = [];
  async function take(name: string, address: string): Promise<void> {
    const answer = await page.goto(address);
    // A screen that asks for a proof first gets it.
    const proof = page.locator('[name=confirm_password]');
    if ((await proof.count()) > 0) {
      await proof.fill(PASSWORD);
      await page.getByRole('button', { name: 'Go on', exact: true }).click();
    }
    if (answer === null || answer.status() >= 500) throw new Error(`${address}: ${answer?.status()}`);
    shown.push(await picturesOf(page, name));
  }

  // Screens for people who are not signed in come first, as they do in life.
  await take('sign-in', `${service.url}/dashboard/sign-in`);
  await take('link-token', link);
  const [name = '', value = ''] = visitor.cookie().split(/=(.*)/s);
  await context.addCookies([{ name, value, domain: '127.0.0.1', path: '/', secure: true }]);
  const own = { account: String(service.account.number), mode: 'test' };
  for (const screen of service.service.screens) {
    const picture = pictureOf(screen);
    if (picture === null || picture === 'sign-in' || picture === 'link-token') continue;
    const params: Readonly<Record<string, string>> = {
      ...own,
      ...doors[`${screen.method} ${screen.path}`]?.params?.(things),
    };
    const path = screen.path.replaceAll(/:(\w+)/g, (named, key: string) => params[key] ?? named);
    await comeFor(screen);
    await take(picture, `${service.url}/dashboard${path}`);
  }
  const intro =
    'Each screen of the [dashboard](../guides/dashboard.md), over a small shop in test mode; those that are used most also in the dark, and at 320 pixels. `npm run pictures` takes them anew.';
  const text = ['# Screens of the dashboard', `**Reference.** ${intro}`, ...shown].join('\n\n');
  writeFileSync(join(root, 'docs/reference/dashboard.md'), formatted(`${text}\n`));
} finally {
  await browser.close();
  for (const end of ends) await end();
}
