/** Screens about money in a browser: everyone can use them, at 320 px and wide, light and dark. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { awaitTransfer, configure, imported } from '../api/bank.ts';
import { createSession, type Data, pay, succeeded } from '../api/shop.ts';
import { createTill } from '../cli/db/money.ts';
import { looks, overflowOf, violationsOf } from '../support/axe.ts';
import { launchBrowser, textOfDownload } from '../support/browser.ts';
import { signedInVisitor } from '../support/dashboard.ts';
import { startService } from '../support/service.ts';

const BASE = '/dashboard/1/test';
/** A folder for pictures of all screens, for people to look at. */
const { OPENTILL_TEST_PICTURES: pictures } = process.env;
const ALWAYS = 'from=2020-01-01&before=2100-01-01';

const service = await startService({ after });
const { visitor } = await signedInVisitor(service);
const browser = await launchBrowser();
after(() => browser.close());

const refund = async (payin: string, amount: number): Promise<Data> =>
  succeeded(
    await service.call('POST', '/v3/refund', { body: { payin, amount, reason: 'It was blue.' } }),
    201,
  );

/** Something on every screen: payments with a fee and too much, refunds in a file, to be sent, and of nobody known. */
async function furnish() {
  const card = await createSession(service, {
    reference_id: 'order-1001',
    amount: 123_456,
    invoice_currency: 'EUR',
  });
  await pay(service, card.id);
  const tenant = { account: service.account.number, mode: 'test' } as const;
  await createTill(service.service.store, tenant, Date.now()).learnFee(card.id, 59, 'USD');
  const yen = await createSession(service, {
    reference_id: 'order-1002',
    amount: 300,
    invoice_currency: 'JPY',
  });
  await pay(service, yen.id, { amount: 400 });
  await refund(card.id, 250);
  await configure(service);
  const byBank = async (iban?: string) => {
    const { id, reference } = await awaitTransfer(service, { reference_id: 'order-1003' });
    await imported(service, [{ amount: 2500, reference, ...(iban === undefined ? {} : { iban }) }]);
    return refund(id, 1000);
  };
  await byBank();
  const file = succeeded(
    await service.call('POST', '/v3/payment_file', { body: { receiving_account: 'eur' } }),
    201,
  );
  const waiting = await byBank();
  await byBank('');
  return { card, waiting, file };
}

const { card, waiting, file } = await furnish();

const screens: Readonly<Record<string, string>> = {
  movements: '/movements',
  filtered: '/movements?type=refund&currency=EUR&payin=nonsense',
  none: '/movements?rail=none',
  session: `/sessions/${card.id}`,
  refund: `/refunds/${waiting.id}`,
  'payment-files': '/payment-files',
  'payment-file': `/payment-files/${file.id}`,
  reports: `/reports?${ALWAYS}`,
  'reports-wrong': `/reports/export?${ALWAYS}&format=datev`,
};

async function pageWith(
  width: number,
  colorScheme: 'light' | 'dark',
  javaScriptEnabled = true,
): Promise<Page> {
  const viewport = { width, height: 900 };
  const context = await browser.newContext({ viewport, colorScheme, javaScriptEnabled, locale: 'en-US' });
  const [name = '', value = ''] = visitor.cookie().split(/=(.*)/s);
  await context.addCookies([{ name, value, domain: '127.0.0.1', path: '/', secure: true }]);
  return context.newPage();
}

for (const { colorScheme, width } of looks(process.env.OPENTILL_TEST_DATABASE))
  test(`axe finds nothing at ${width} px, ${colorScheme}`, async () => {
    const page = await pageWith(width, colorScheme);
    for (const [name, path] of Object.entries(screens)) {
      await page.goto(service.url + BASE + path);
      if (pictures !== undefined) {
        const picture = join(pictures, `${name}-${width}-${colorScheme}.png`);
        await page.screenshot({ path: picture, fullPage: true });
      }
      await page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })");
      assert.deepEqual(await violationsOf(page), [], name);
      assert.equal(await overflowOf(page), 0, `${name} is too wide`);
    }
    await page.context().close();
  });

test('a number of a report leads to its rows, and a journal is downloaded, without JavaScript', async () => {
  const page = await pageWith(1280, 'light', false);
  await page.goto(`${service.url + BASE}/movements`);
  await page.getByRole('link', { name: 'Reports' }).click();
  await page.getByLabel('From').fill('2020-01-01');
  await page.getByLabel('Before').fill('2100-01-01');
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.getByLabel('Format').selectOption('hledger');
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  assert.match(await textOfDownload(await downloading), /\n {4}assets:opentill:sandbox {2}400 JPY\n/);
  await page.getByRole('link', { name: '¥400' }).first().click();
  await page.getByRole('link', { name: 'order-1002' }).click();
  await page.waitForURL('**/sessions/chk_*');
  await page.context().close();
});

test('an update of the movements leaves the focus on the row that has it, among others of one session', async () => {
  const page = await pageWith(1280, 'light');
  await page.clock.install();
  const { id } = await createSession(service, { amount: 100_000 });
  const path = `${BASE}/movements?payin=${id}`;
  const paid = (...amounts: readonly number[]) =>
    amounts.reduce(
      (before, amount) => before.then(() => pay(service, id, { amount })),
      Promise.resolve<unknown>(null),
    );
  const update = async (shows: string) => {
    const answered = page.waitForResponse((response) => response.url().endsWith(path));
    await page.clock.runFor(10_000);
    await answered;
    await page.locator('#found', { hasText: shows }).waitFor();
  };
  const row = () => page.evaluate("document.activeElement.closest('tr')?.textContent ?? ''");
  await paid(101);
  await page.goto(service.url + path);
  await page.locator('#found [data-row]').focus();
  const tenant = { account: service.account.number, mode: 'test' } as const;
  await createTill(service.service.store, tenant, Date.now()).learnFee(id, 59, 'USD');
  await paid(102);
  await update('1.02');
  assert.match(String(await row()), /1\.01.*0\.59/, 'the row has changed');
  await paid(103);
  await update('1.03');
  assert.match(String(await row()), /1\.01/, 'the row is as it was');
  await paid(...Array.from({ length: 17 }, (_, index) => 104 + index));
  await page.goto(service.url + path);
  assert.equal(await page.locator('#found [data-row]').count(), 20);
  await page.locator('#found [data-row]').nth(1).focus();
  await paid(121);
  await update('1.21');
  assert.match(String(await row()), /1\.19/, 'the last row is on the next page');
  await page.context().close();
});
