/** Screens of the bank in a browser: everyone can use them, at any width, in the light and in the dark, and by keys. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, afterEach, before, suite, test } from 'node:test';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { awaitTransfer, camt, configure, entered, eur, imported, receiving } from '../api/bank.ts';
import { fetchSession } from '../api/shop.ts';
import { launchBrowser } from '../support/browser.ts';
import { signedInVisitor } from '../support/dashboard.ts';
import { startService, type TestService } from '../support/service.ts';
import { csv, csvMapping, OUR_IBAN } from '../support/statements.ts';

const ends: Array<() => Promise<void>> = [];
let till: TestService;
let browser: Browser;
let cookie: string;
const BANK = '/dashboard/1/test/bank';
const paths: string[] = [
  BANK,
  `${BANK}?status=gone`,
  `${BANK}?status=done`,
  `${BANK}/statements`,
  `${BANK}/mappings`,
];
const payer = { customer_details: { name: 'Alan Turing', email: 'alan@example.com' } };

before(async () => {
  till = await startService({ after: (hook) => ends.push(hook) });
  browser = await launchBrowser();
  const { visitor } = await signedInVisitor(till);
  cookie = visitor.cookie();
  const euros = receiving({ id: 'euros', currency: 'EUR', iban: OUR_IBAN });
  await configure(till, { receivingAccounts: [eur, euros], csvMappings: { 'my-bank': csvMapping } });
  const one = await awaitTransfer(till, { amount: 4200, reference_id: 'one-4200', ...payer });
  const other = await awaitTransfer(till, { amount: 4200, reference_id: 'other-4200', ...payer });
  const open = await entered(till, {
    amount: 4200,
    name: 'Alan Turing',
    text: 'Both of these are long texts of a payer',
  });
  const several = await entered(till, { amount: 9000, text: `${one.reference} ${other.reference}` });
  const ignored = await entered(till, { amount: 12, text: 'Interest' });
  await till.call('POST', `/v3/bank_entry/${ignored.id}/ignore`, { body: { reason: 'Interest.' } });
  await imported(till, [{ amount: 5, direction: 'debit' }]);
  paths.push(...[open, several, ignored].map(({ id }) => `${BANK}/entries/${id}`));
  paths.push(`${BANK}/statements/${open.statement}`, '/dashboard/1/test/settings/receiving-accounts/eur');
});
afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()));
});
after(async () => {
  await browser.close();
  for (const end of ends) await end();
});

async function open(options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-US', ...options });
  const [name = '', value = ''] = cookie.split('=', 2);
  // Chromium takes a secure cookie over HTTP from this machine, but is given one only for HTTPS.
  const url = till.url.replace('http:', 'https:');
  await context.addCookies([{ name, value, url, secure: true, httpOnly: true, sameSite: 'Lax' }]);
  return context.newPage();
}

const axe = readFile(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');

async function check(page: Page, name: string): Promise<void> {
  const folder = process.env.OPENTILL_TEST_PICTURES;
  const width = page.viewportSize()?.width;
  if (folder) await page.screenshot({ path: `${folder}/${name}-${width}.png`, fullPage: true });
  await page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })");
  await page.evaluate(await axe);
  const { violations } = (await page.evaluate("axe.run({ resultTypes: ['violations'] })")) as AxeResults;
  assert.deepEqual(
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`)),
    [],
    name,
  );
  const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  assert.ok(Number(overflow) <= 0, `${name}: ${overflow} px too wide`);
}

async function choose(page: Page, path: string, file: { name: string; content: string }): Promise<void> {
  await page.goto(`${till.url}${path}`);
  await page.setInputFiles('input[type="file"]', {
    name: file.name,
    mimeType: 'application/octet-stream',
    buffer: Buffer.from(file.content),
  });
}

const wrong = csv([
  { amount: '12.50', text: 'one', reference: 'R-0000000001' },
  { amount: '1,2,3', text: 'two', reference: 'R-0000000002' },
]);

suite('axe finds nothing', () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [320, 1280]) {
      test(`${colorScheme}, ${width} px`, async () => {
        const page = await open({ colorScheme, viewport: { width, height: 900 } });
        for (const [place, path] of paths.entries()) {
          await page.goto(`${till.url}${path}`);
          await check(page, `${colorScheme}-${place}`);
        }
        await choose(page, `${BANK}/statements`, { name: 'wrong.csv', content: wrong });
        await page.getByLabel('Columns of a CSV').selectOption('my-bank');
        await page.getByRole('button', { name: 'Look at it' }).click();
        await page.getByRole('heading', { name: 'Mistakes' }).waitFor();
        await check(page, `${colorScheme}-mistakes`);
        await choose(page, `${BANK}/statements`, { name: 'right.xml', content: camt([{ amount: 77 }]) });
        await page.getByRole('button', { name: 'Look at it' }).click();
        await page.getByRole('button', { name: 'Import it' }).waitFor();
        await check(page, `${colorScheme}-preview`);
        await choose(page, `${BANK}/mappings`, { name: 'wrong.csv', content: wrong });
        await page.getByRole('button', { name: 'Show its columns' }).click();
        await page.getByRole('button', { name: 'Try it' }).waitFor();
        await check(page, `${colorScheme}-columns`);
        await page.getByLabel('Column 1', { exact: true }).selectOption('booked_on');
        await page.getByLabel('Column 2', { exact: true }).selectOption('signed');
        await page.getByLabel('Column 3', { exact: true }).selectOption('signed');
        await page.getByRole('button', { name: 'Try it' }).click();
        await page.getByText('Another column is the same.').waitFor();
        await check(page, `${colorScheme}-columns-wrong`);
      });
    }
  }
});

test('an entry is found, assigned and followed by the next one with keys alone', async () => {
  const fields = { amount: 6300, reference_id: 'keys-6300' };
  const one = await awaitTransfer(till, {
    ...fields,
    customer_details: { name: 'Grace Hopper', email: 'g@example.com' },
  });
  await awaitTransfer(till, { amount: 6300, reference_id: 'rest-6300' });
  const page = await open();
  await entered(till, { amount: 6300, name: 'Graze Hopper' });
  await page.goto(`${till.url}${BANK}`);
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'It may be for' }).waitFor();
  await page.getByRole('button', { name: 'Assign to keys-6300' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('The money is booked.').waitFor();
  assert.equal((await fetchSession(till, one.id)).payment_status, 'paid');
  await page.getByRole('link', { name: 'Next that waits' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Assign' }).waitFor();
});
