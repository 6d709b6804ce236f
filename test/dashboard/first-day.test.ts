/**
 * The first day of an operator in a real browser: from the link to a payment by bank transfer, a refund, a webhook that
 * failed, an export and the way out. With the mouse and a passkey, with the keyboard alone, and without JavaScript.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { camt, IBAN, startTransfer } from '../api/bank.ts';
import { deliveries } from '../api/endpoint.ts';
import { startReceiver } from '../api/receiver.ts';
import { fetchSession, until } from '../api/shop.ts';
import { addAuthenticator, launchBrowser, textOfDownload } from '../support/browser.ts';
import { invite, PASSWORD } from '../support/dashboard.ts';
import { freshDirectory } from '../support/process.ts';
import { combinations } from '../support/scale.ts';
import { startService, type TestService } from '../support/service.ts';

let browser: Browser;
before(async () => {
  browser = await launchBrowser();
});
after(() => browser.close());

const MINUTE = 60_000;

/** The way in which somebody uses the page. */
type Hand = {
  press(target: Locator): Promise<void>;
  type(target: Locator, text: string): Promise<void>;
  choose(target: Locator, path: string): Promise<void>;
};

const mouse: Hand = {
  press: (target) => target.click(),
  type: (target, text) => target.fill(text),
  choose: (target, path) => target.setInputFiles(path),
};

/** Moves with the keyboard alone. */
function keyboardOn(page: Page): Hand {
  async function reach(target: Locator): Promise<void> {
    await target.waitFor();
    // To look for it by its role and name at each step takes the browser longer than the step.
    let element = await target.elementHandle();
    for (let i = 0; i < 150; i++) {
      const isReached = await element
        ?.evaluate((each) => (each.isConnected ? each === each.ownerDocument.activeElement : null))
        .catch(() => null);
      if (isReached) return;
      // The page, or this part of it, is another one by now.
      if (isReached === null) element = await target.elementHandle();
      await page.keyboard.press('Tab');
    }
    assert.fail(`the keyboard does not come to ${target}`);
  }
  // Listened to from here on: the browser takes up a key before it has heard of a listener that has just come.
  page.on('filechooser', () => undefined);
  return {
    async press(target) {
      await reach(target);
      await page.keyboard.press('Enter');
    },
    async type(target, text) {
      await reach(target);
      await page.keyboard.press('Control+a');
      await page.keyboard.type(text);
    },
    async choose(target, path) {
      await reach(target);
      const chooser = page.waitForEvent('filechooser');
      await page.keyboard.press('Space');
      await (await chooser).setFiles(path);
    },
  };
}

type Day = {
  readonly service: TestService;
  readonly directory: string;
  readonly later: (ms: number) => void;
};

async function walk(page: Page, hand: Hand, { service, directory, later }: Day, hasPasskey: boolean) {
  const link = (name: string | RegExp) => page.getByRole('link', { name, exact: typeof name === 'string' });
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const field = (name: string) => page.getByLabel(name, { exact: true }).first();
  const heading = (name: string | RegExp) => page.getByRole('heading', { name }).first().waitFor();
  const into = (name: string) =>
    hand.press(page.getByRole('navigation', { name: 'Screens' }).getByText(name, { exact: true }));
  const reads = (text: string | RegExp) => page.getByText(text).first().waitFor();

  // The way in.
  const { link: invitation } = await invite(service.service.store, service.url);
  await page.goto(invitation);
  await hand.type(field('Password'), PASSWORD);
  await hand.press(button('Set the password'));
  await reads('Your password is set');
  if (hasPasskey) {
    await addAuthenticator(page);
    await hand.press(link('Ada Lovelace'));
    await hand.press(link('Add a passkey'));
    await hand.type(field('Name'), 'Laptop');
    await hand.press(button('Add a passkey'));
    await reads('The passkey is added.');
    await page.goto(`${service.url}/dashboard`);
  }
  await hand.press(link('To test mode'));

  // An account that money comes to.
  await into('Settings');
  await hand.press(link('Add a receiving account'));
  for (const [name, value] of [
    ['Id', 'eur'],
    ['Currency', 'EUR'],
    ['Name of the holder', 'Muster Handels GmbH'],
    ['Country', 'DE'],
    ['IBAN', IBAN],
  ] as const)
    await hand.type(field(name), value);
  await hand.press(button('Add the account'));
  await reads('Your changes are saved');

  // A receiver of webhooks, which is down.
  let isDown = true;
  const receiver = await startReceiver({ after }, () => (isDown ? 503 : 200));
  await into('Webhooks');
  await hand.press(link('Add an endpoint'));
  await hand.type(field('Address'), receiver.url);
  await hand.press(button('Add the endpoint'));
  await hand.press(link('I have kept it'));

  // A session, which its payer pays by transfer.
  await into('Payments');
  await hand.press(link('New session'));
  await hand.type(field('Currency'), 'EUR');
  await hand.type(field('Amount'), '42.50');
  await hand.type(field('Reference'), 'order-1');
  await hand.press(button('Create the session'));
  await reads('The session is created');
  const id = page.url().match(/chk_\w+/)?.[0] ?? assert.fail(page.url());
  const { reference } = await startTransfer(service, await fetchSession(service, id));
  const statement = join(directory, 'statement.xml');
  await writeFile(statement, camt([{ amount: 4250, reference }]));
  await into('Bank');
  await hand.press(link('Statements'));
  await hand.choose(field('File'), statement);
  await hand.press(button('Look at it'));
  await heading('Preview of a statement');
  await hand.press(button('Import it: 1 new'));
  await reads('The statement is imported');

  // The session and its history say that it is paid.
  await into('Payments');
  await hand.press(link('order-1'));
  await heading('order-1');
  assert.match(
    (await page.locator('#facts').textContent()) ?? '',
    /Paid\s*€42\.50[\s\S]*completed[\s\S]*paid/,
  );
  const history = (await page.locator('.history').textContent()) ?? '';
  assert.match(history, /The session was paid/);
  assert.match(history, /Evidence: bank entry ntc_\w+ of the statement bfl_\w+/);

  // A part goes back, for which somebody proves who they are.
  later(11 * MINUTE);
  await hand.press(link('Refund'));
  await hand.type(field('Amount in EUR'), '12.50');
  await hand.press(button('Refund'));
  await heading('Is it you?');
  if (hasPasskey) await hand.press(button('Go on with a passkey'));
  else {
    await hand.type(field('Password'), PASSWORD);
    await hand.press(button('Go on'));
  }
  await reads('The refund is on its way');
  assert.match((await page.locator('#course').textContent()) ?? '', /€12\.50/);

  // The receiver is off for so long that webhooks to it are given up; then it is back.
  const failed = async () => (await deliveries(service, '&status=failed')).length;
  await until(async () => (await deliveries(service)).some(({ attempts }) => attempts > 0));
  const [endpoint] = (await service.call('GET', '/v3/webhook_endpoint')).json.data;
  for (const status of ['disabled', 'enabled'])
    await until(async () => {
      await service.call('PUT', `/v3/webhook_endpoint/${endpoint.id}`, { body: { status } });
      return status === 'enabled' || (await failed()) > 0;
    });
  isDown = false;
  await into('Overview');
  let presses = 0;
  const counted: Hand['press'] = (target) => {
    presses += 1;
    return hand.press(target);
  };
  await counted(link(/webhooks?$/).first());
  await counted(button('Resend').first());
  await reads('The event is sent again');
  assert.ok(presses <= 3, `${presses} clicks`);
  await until(async () => (await deliveries(service, '&status=delivered')).length > 0);

  // An export, and the way out.
  await into('Payments');
  const download = page.waitForEvent('download');
  await hand.press(link('CSV'));
  const [, line = ''] = (await textOfDownload(await download)).split('\r\n');
  assert.match(line, /,order-1,.*,EUR,42\.50,42\.50,completed,paid,/);
  await hand.press(button('Sign out'));
  await reads('You are signed out.');
  await page.goto(`${service.url}/dashboard`);
  await heading('Sign in');
}

const ways: ReadonlyArray<readonly [string, BrowserContextOptions, (page: Page) => Hand, boolean]> = [
  ['with a passkey', {}, () => mouse, true],
  ['with the keyboard alone', {}, keyboardOn, false],
  ['without JavaScript', { javaScriptEnabled: false }, () => mouse, false],
];

/** The first in `npm test`: pages without JavaScript, and keys, have tests of their own beside these. */
for (const [name, options, handOn, hasPasskey] of combinations(ways, ways.slice(0, 1)))
  test(`a first day ${name}`, async (t) => {
    let ahead = 0;
    const service = await startService(t, { env: { HOST: 'localhost' }, realNow: () => Date.now() + ahead });
    const context = await browser.newContext({ acceptDownloads: true, locale: 'en-US', ...options });
    const page = await context.newPage();
    const later = (ms: number) => {
      ahead += ms;
    };
    await walk(page, handOn(page), { service, directory: freshDirectory(t), later }, hasPasskey);
    await context.close();
  });
