/** Screens of the bank in a browser: everyone can use them, at any width, in the light and in the dark, and by keys. */
import assert from 'node:assert/strict';
import { after, afterEach, before, suite, test } from 'node:test';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { awaitTransfer, camt, configure, entered, eur, imported, receiving } from '../api/bank.ts';
import { fetchSession } from '../api/shop.ts';
import { looks, overflowOf, violationsOf } from '../support/axe.ts';
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

async function check(page: Page, name: string): Promise<void> {
  const folder = process.env.OPENTILL_TEST_PICTURES;
  const width = page.viewportSize()?.width;
  if (folder) await page.screenshot({ path: `${folder}/${name}-${width}.png`, fullPage: true });
  await page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })");
  assert.deepEqual(await violationsOf(page), [], name);
  assert.equal(await overflowOf(page), 0, `${name} is too wide`);
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
  for (const { colorScheme, width } of looks(process.env.OPENTILL_TEST_DATABASE)) {
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

/** Sends entries of a payer whom nobody expects, with sessions that they may be for. */
async function openBetween(...references: readonly string[]) {
  const amount = 1000 + Math.floor(Math.random() * 1_000_000);
  const all = [];
  for (const reference_id of references) all.push(await awaitTransfer(till, { amount, reference_id }));
  const entry = await entered(till, { amount, name: 'Nobody of these' });
  return { all, entry, amount };
}
const dialogs = (page: Page, accepts: boolean): string[] => {
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.message());
    void (accepts ? dialog.accept() : dialog.dismiss());
  });
  return asked;
};

/**
 * Drags until it has had its effect: Chromium takes a drag that begins in the very moment in which another one ends for a
 * click.
 */
async function drag(from: Locator, to: Locator, hasDone: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 20 && !(await hasDone()); tries++) await from.dragTo(to);
}

suite('by dragging', () => {
  test('an entry is assigned to a session that it may be for, once a person says so', async () => {
    const { all, entry } = await openBetween('drag-one', 'drag-two');
    const [, two] = all;
    const page = await open();
    const asked = dialogs(page, false);
    await page.goto(`${till.url}${BANK}/entries/${entry.id}`);
    const grip = page.locator('strong[data-drag="entry"]');
    const zone = page.locator('form[data-session="drag-two"]');
    await grip.dragTo(zone);
    assert.equal((await fetchSession(till, two?.id ?? '')).payment_status, 'unpaid', 'it was not wanted');
    assert.match(asked[0] ?? '', /^Assign €[\d.,]+ to drag-two\? A booking is final\.$/);
    page.removeAllListeners('dialog');
    dialogs(page, true);
    await grip.dragTo(zone);
    await page.getByText('The money is booked.').waitFor();
    assert.equal((await fetchSession(till, two?.id ?? '')).payment_status, 'paid');
  });

  test('sessions, the rest of an entry and amounts fill the parts of a split', async () => {
    const { all, entry, amount } = await openBetween('part-one', 'part-two');
    const page = await open();
    await page.goto(`${till.url}${BANK}/entries/${entry.id}`);
    const part = (place: number) => page.locator('fieldset.item').nth(place);
    const fields = async (place: number) => {
      const inputs = part(place).locator('input');
      return [await inputs.nth(0).inputValue(), await inputs.nth(1).inputValue()];
    };
    const due = (amount / 100).toFixed(2);
    const [one = '', two = ''] = all.map(({ id }) => id);
    const has =
      (place: number, ...values: string[]) =>
      async () =>
        JSON.stringify(await fields(place)) === JSON.stringify(values);
    await drag(page.getByRole('link', { name: 'part-one' }), part(0), has(0, one, due));
    await drag(page.getByRole('link', { name: 'part-two' }), part(1), has(1, two, due));
    assert.deepEqual(
      [await fields(0), await fields(1)],
      [
        [one, due],
        [two, due],
      ],
    );
    await part(0).getByLabel('Amount in EUR').fill('1,5');
    await part(1).getByLabel('Amount in EUR').fill('');
    const rest = ((amount - 150) / 100).toFixed(2);
    await drag(page.locator('strong[data-drag="entry"]'), part(1), has(1, two, rest));
    assert.deepEqual(await fields(1), [two, rest]);
    await drag(part(0).getByText('Drag the amount'), part(1), has(1, two, due));
    assert.deepEqual(
      [await fields(0), await fields(1)],
      [
        [one, ''],
        [two, due],
      ],
    );
    await part(0).getByLabel('Session').fill('');
    await page.getByRole('button', { name: 'Assign', exact: true }).click();
    await page.getByText('The money is booked.').waitFor();
    assert.equal((await fetchSession(till, two)).payment_status, 'paid');
  });

  test('an entry of the inbox goes to the session beside another one', async () => {
    const one = await openBetween('inbox-one');
    const other = await openBetween('inbox-other');
    const page = await open();
    dialogs(page, true);
    await page.goto(`${till.url}${BANK}`);
    const grip = page.locator(`a[data-row][href$="${one.entry.id}"]`);
    await grip.dragTo(page.locator('form[data-session="inbox-other"]'));
    await page.getByText('The money is booked.').waitFor();
    assert.ok(page.url().includes(one.entry.id));
    const [session] = other.all;
    assert.equal((await fetchSession(till, session?.id ?? '')).amount_paid, one.amount);
  });

  test('to another session, and not wanted, leaves the button to its own session', async () => {
    const one = await openBetween('kept-one');
    const other = await openBetween('kept-other');
    const page = await open();
    const asked = dialogs(page, false);
    await page.goto(`${till.url}${BANK}`);
    const grip = page.locator(`a[data-row][href$="${one.entry.id}"]`);
    const zone = page.locator('form[data-session="kept-other"]');
    await drag(grip, zone, async () => asked.length > 0);
    await page.getByRole('button', { name: 'Assign to kept-one' }).click();
    await page.getByText('The money is booked.').waitFor();
    const paid = async ({ all: [session] }: typeof one) =>
      (await fetchSession(till, session?.id ?? '')).amount_paid;
    assert.deepEqual([await paid(one), await paid(other)], [one.amount, 0]);
  });

  test('to another session leaves no trace on a page to which somebody comes back', async () => {
    const one = await openBetween('back-one');
    await openBetween('back-other');
    const page = await open();
    dialogs(page, true);
    await page.goto(`${till.url}${BANK}`);
    const forms = () =>
      page.evaluate(
        `[...document.forms].map((form) => [form.id, form.dataset.sent, ...new FormData(form).values()])`,
      );
    const before = await forms();
    // Nothing comes of it: the page stays, as one from the cache of a browser does.
    let sent: string | null = null;
    await page.route('**/assign', (route) => {
      sent = route.request().postData();
      return route.fulfill({ status: 204 });
    });
    const grip = page.locator(`a[data-row][href$="${one.entry.id}"]`);
    await drag(grip, page.locator('form[data-session="back-other"]'), async () => sent !== null);
    await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))");
    assert.deepEqual(await forms(), before);
  });

  test('is not offered without JavaScript, where the forms do the same', async () => {
    const { entry } = await openBetween('plain-one');
    const page = await open({ javaScriptEnabled: false });
    await page.goto(`${till.url}${BANK}/entries/${entry.id}`);
    assert.equal(await page.getByText('Drag the amount').first().isVisible(), false);
    await page.getByRole('button', { name: 'Assign to plain-one' }).click();
    await page.getByText('The money is booked.').waitFor();
  });
});

/** A little more than the smallest file whose sending the page shows; a larger one does the same, and longer. */
const LARGE_BYTES = 1.1 * 2 ** 20;

suite('a large file', () => {
  const large = (bytes: number) => ({
    name: 'large.xml',
    content: `${camt([{ amount: 88, text: 'In a large file' }])}${`<!--${' '.repeat(1016)}-->`.repeat(bytes / 1024)}`,
  });

  test('shows how far it has come, and then its preview, which imports it', async () => {
    const page = await open();
    const file = large(3 * 2 ** 20);
    await choose(page, `${BANK}/statements`, file);
    const words = page.evaluate(`new Promise((resolve) => {
      const told = document.querySelector('form[data-max-bytes] [role="status"]');
      const seen = [];
      new MutationObserver(() => {
        const bar = document.querySelector('progress');
        if (told.textContent) seen.push([told.textContent, bar && bar.hasAttribute('value')]);
        if (!told.isConnected || /being read/.test(told.textContent)) resolve(seen);
      }).observe(document, { subtree: true, childList: true, characterData: true });
    })`);
    await page.getByRole('button', { name: 'Look at it' }).click();
    const seen = (await words) as [string, boolean][];
    assert.match(seen[0]?.[0] ?? '', /^\d+ % of the file is sent\.$/);
    assert.deepEqual(seen.at(-1), ['The file is sent, and is being read. This may take a moment.', false]);
    await page.getByRole('heading', { name: 'Preview of a statement', level: 1 }).waitFor();
    assert.equal(await page.title(), await page.evaluate('document.title'));
    assert.equal(await page.evaluate('document.activeElement.id'), 'main');
    await page.getByText('In a large file').first().waitFor();
    await check(page, 'large-preview');
    await page.setInputFiles('input[type="file"]', {
      name: 'large.xml',
      mimeType: 'application/octet-stream',
      buffer: Buffer.from(file.content),
    });
    await page.getByRole('button', { name: 'Import it' }).click();
    await page.getByText('The statement is imported.').waitFor();
    assert.match(page.url(), /\/bank\/statements\/bfl_\w+\?done=statement-imported$/);
  });

  test('that is too large is not sent, and its form can be used again', async () => {
    const page = await open();
    await page.goto(`${till.url}${BANK}/statements`);
    await page.evaluate("document.querySelector('form[data-max-bytes]').dataset.maxBytes = '2000000'");
    await choose(page, `${BANK}/statements`, large(3 * 2 ** 20));
    await page.evaluate("document.querySelector('form[data-max-bytes]').dataset.maxBytes = '2000000'");
    let isSent = false;
    page.on('request', () => {
      isSent = true;
    });
    await page.getByRole('button', { name: 'Look at it' }).click();
    await page.getByText('The file is too large: at most 64 MiB').waitFor();
    assert.equal(isSent, false);
    await page.setInputFiles('input[type="file"]', {
      name: 'small.xml',
      mimeType: 'application/octet-stream',
      buffer: Buffer.from(camt([{ amount: 89 }])),
    });
    await page.getByRole('button', { name: 'Look at it' }).click();
    await page.getByRole('button', { name: 'Import it' }).waitFor();
  });

  test('that does not arrive says so', async () => {
    const page = await open();
    await choose(page, `${BANK}/statements`, large(LARGE_BYTES));
    await page.route('**/preview', (route) => route.abort());
    await page.getByRole('button', { name: 'Look at it' }).click();
    await page.getByText('The file has not arrived. Send it again.').waitFor();
    await page.unroute('**/preview');
    await page.getByRole('button', { name: 'Look at it' }).click();
    await page.getByRole('heading', { name: 'Preview of a statement' }).waitFor();
  });

  const answers = [
    { status: 413, says: 'A proxy in front of this service', body: '<center><h1>413</h1></center>' },
    { status: 504, says: 'has not answered as expected (504)', body: '<h1>504 Gateway Time-out</h1>' },
    { status: 502, says: 'has not answered as expected (502)', body: '{}', contentType: 'application/json' },
    { status: 200, says: 'has not answered as expected (200)', body: '<main>Sign in to the network</main>' },
  ];
  /** On SQLite the one of which the page says more, and the one that looks like a success; all on PostgreSQL. */
  const isTried = ({ status }: { readonly status: number }) =>
    process.env.OPENTILL_TEST_DATABASE === 'postgres' || status === 413 || status === 200;
  for (const { status, says, body, contentType = 'text/html' } of answers.filter(isTried))
    test(`keeps its form where a proxy answers with ${status}`, async () => {
      const page = await open();
      await choose(page, `${BANK}/statements`, large(LARGE_BYTES));
      await page.route('**/preview', (route) => route.fulfill({ status, contentType, body }));
      await page.getByRole('button', { name: 'Look at it' }).click();
      await page.getByText(says).waitFor();
      await page.unroute('**/preview');
      await page.getByRole('button', { name: 'Look at it' }).click();
      await page.getByRole('heading', { name: 'Preview of a statement' }).waitFor();
    });

  test('is looked at without JavaScript as any other', async () => {
    const page = await open({ javaScriptEnabled: false });
    await choose(page, `${BANK}/statements`, large(LARGE_BYTES));
    await page.getByRole('button', { name: 'Look at it' }).click();
    await page.getByRole('heading', { name: 'Preview of a statement' }).waitFor();
  });
});
