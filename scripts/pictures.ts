/**
 * `npm run pictures`: takes a picture of each screen of the dashboard, over a small shop that it makes for that, and writes
 * the page that shows them. The rows of `test/dashboard/doors.ts` say where the screens are.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { createSession, order, pay } from '../test/api/shop.ts';
import { doors } from '../test/dashboard/doors.ts';
import { makeThings } from '../test/dashboard/things.ts';
import { launchBrowser } from '../test/support/browser.ts';
import { invite, PASSWORD, signedInVisitor } from '../test/support/dashboard.ts';
import { startService, type TestService } from '../test/support/service.ts';
import { FOLDER, pictureOf } from './pictures/names.ts';
import { formatted } from './reference/markdown.ts';

const root = join(import.meta.dirname, '..');
const WIDTH = 1000;
const HEIGHT = 700;

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

async function screenshot(page: Page, name: string): Promise<string> {
  await page.screenshot({ path: join(root, FOLDER, `${name}.png`), fullPage: false });
  return (await page.locator('h1').first().textContent()) ?? name;
}

const ends: Array<() => Promise<void>> = [];
const browser = await launchBrowser();
try {
  const service = await startService({ after: (hook) => ends.push(hook) }, { requestLogMs: 1 });
  const session = await furnish(service);
  const things = { ...(await makeThings(service)), session };
  const { visitor } = await signedInVisitor(service, { account: service.account.number });
  const { link } = await invite(service.service.store, service.url, {
    role: 'finance',
    email: 'grace@example.com',
  });
  rmSync(join(root, FOLDER), { recursive: true, force: true });
  mkdirSync(join(root, FOLDER), { recursive: true });

  const context = await browser.newContext({ viewport: { width: WIDTH, height: HEIGHT }, locale: 'en-US' });
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
    const title = await screenshot(page, name);
    shown.push(`## ${title}\n\n![${title}](dashboard/${name}.png)`);
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
    await take(picture, `${service.url}/dashboard${path}`);
  }
  const intro =
    'Each screen of the [dashboard](../guides/dashboard.md), over a small shop in test mode. `npm run pictures` takes them anew.';
  const text = ['# Screens of the dashboard', `**Reference.** ${intro}`, ...shown].join('\n\n');
  writeFileSync(join(root, 'docs/reference/dashboard.md'), formatted(`${text}\n`));
} finally {
  await browser.close();
  for (const end of ends) await end();
}
