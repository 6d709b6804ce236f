/** Every screen of the dashboard in a browser: axe finds nothing, in the light and in the dark, at three widths; none is heavy. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Browser, Response } from 'playwright-core';
import { pictureOf } from '../../scripts/pictures/names.ts';
import { createAccount } from '../../src/accounts/account.ts';
import type { Declared } from '../../src/dashboard/screen.ts';
import { overflowOf, violationsOf } from '../support/axe.ts';
import { launchBrowser } from '../support/browser.ts';
import { invite, PASSWORD, signedInVisitor } from '../support/dashboard.ts';
import { startService, type TestService } from '../support/service.ts';
import { changeUser } from '../support/users.ts';
import { doors } from './doors.ts';
import { makeThings } from './things.ts';

const ends: Array<() => Promise<void>> = [];
let service: TestService;
let browser: Browser;
let cookie: string;
const addresses = new Map<string, string>();

before(async () => {
  service = await startService({ after: (hook) => ends.push(hook) });
  const things = await makeThings(service);
  const { store, screens } = service.service;
  await createAccount(store, 'Neighbour', Date.now());
  const { visitor, user } = await signedInVisitor(service);
  cookie = visitor.cookie();
  await changeUser(store, user.id, { type: 'set_operator', isOperator: true, now: Date.now() });
  const { link } = await invite(store, service.url, { email: 'grace@example.com' });
  const addressOf = ({ method, path }: Declared): string => {
    const own = { account: String(service.account.number), mode: 'test' };
    const params: Readonly<Record<string, string>> = {
      ...own,
      ...doors[`${method} ${path}`]?.params?.(things),
    };
    return `${service.url}/dashboard${path.replaceAll(/:(\w+)/g, (named, key: string) => params[key] ?? named)}`;
  };
  for (const screen of screens) {
    const name = pictureOf(screen);
    if (name !== null) addresses.set(name, name === 'link-token' ? link : addressOf(screen));
  }
  browser = await launchBrowser();
});
after(async () => {
  await browser.close();
  for (const end of ends) await end();
});

/** Chromium takes a secure cookie over HTTP from this machine, but is given one only for HTTPS. */
function ownCookie() {
  const [name = '', value = ''] = cookie.split('=', 2);
  const url = service.url.replace('http:', 'https:');
  return { name, value, url, secure: true, httpOnly: true, sameSite: 'Lax' } as const;
}

/** Shown to people who are not signed in. */
const forStrangers: ReadonlySet<string> = new Set(['sign-in', 'link-token']);

/** What each screen loads, compressed, may not have more than this. */
const MOST_BYTES = 100 * 1024;

test('every screen has no more than 100 KiB, compressed, and asks nobody else for anything', async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await context.addCookies([ownCookie()]);
  const elsewhere: string[] = [];
  for (const [screen, address] of addresses) {
    const loaded: Response[] = [];
    const note = (response: Response) => void loaded.push(response);
    page.on('response', note);
    await page.goto(address);
    page.off('response', note);
    const own = loaded.filter((response) => !response.url().startsWith('data:'));
    elsewhere.push(...own.map((response) => response.url()).filter((url) => !url.startsWith(service.url)));
    const bodies = await Promise.all(own.map((response) => response.body().catch(() => Buffer.alloc(0))));
    const bytes = bodies.reduce((sum, body) => sum + gzipSync(body).length, 0);
    assert.ok(bodies.length > 0 && bytes <= MOST_BYTES, `${screen}: ${bytes} bytes`);
  }
  assert.deepEqual(elsewhere, []);
  await context.close();
});

suite('axe finds nothing, and no screen is wider than its window', () => {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [320, 768, 1280])
      test(`${colorScheme}, ${width} px`, async () => {
        const options = { colorScheme, viewport: { width, height: 900 }, locale: 'en-US' };
        const contexts = {
          strangers: await browser.newContext(options),
          owner: await browser.newContext(options),
        };
        await contexts.owner.addCookies([ownCookie()]);
        const [strange, owned] = [await contexts.strangers.newPage(), await contexts.owner.newPage()];
        const found: Record<string, readonly string[]> = {};
        for (const [screen, address] of addresses) {
          const page = forStrangers.has(screen) ? strange : owned;
          const answer = await page.goto(address);
          assert.ok(answer?.ok(), `${screen}: ${answer?.status()}`);
          const proof = page.locator('[name=confirm_password]');
          if ((await proof.count()) > 0) {
            await proof.fill(PASSWORD);
            await page.getByRole('button', { name: 'Go on', exact: true }).click();
          }
          await page.evaluate(
            "document.querySelectorAll('details').forEach((each) => { each.open = true; })",
          );
          const wide = await overflowOf(page);
          const wrong = [...(await violationsOf(page)), ...(wide > 0 ? [`${wide} px too wide`] : [])];
          if (wrong.length > 0) found[screen] = wrong;
        }
        assert.deepEqual(found, {});
        await Promise.all(Object.values(contexts).map((context) => context.close()));
      });
});
