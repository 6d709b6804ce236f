/** Screens of payments in a browser: everyone can use them, at any width, in the light and in the dark, and by keys. */
import assert from 'node:assert/strict';
import { after, afterEach, before, suite, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Browser, BrowserContextOptions, Page, Response } from 'playwright-core';
import { startReceiver } from '../api/receiver.ts';
import { advance, createSession, order, pay } from '../api/shop.ts';
import { looks, overflowOf, violationsOf } from '../support/axe.ts';
import { launchBrowser } from '../support/browser.ts';
import { signedInVisitor } from '../support/dashboard.ts';
import { startService, type TestService } from '../support/service.ts';

const ends: Array<() => Promise<void>> = [];
let till: TestService;
let browser: Browser;
let cookie: string;
const paths: string[] = [
  '',
  '?status=gone&invoice_currency=EUR&amount[gte]=x&metadata[order_id]=A-7&q=order',
];

before(async () => {
  till = await startService({ after: (hook) => ends.push(hook) });
  browser = await launchBrowser();
  const { visitor } = await signedInVisitor(till);
  cookie = visitor.cookie();
  for (let number = 1; number <= 8; number++) {
    const session = await createSession(till, { ...order, reference_id: `order-${1000 + number}` });
    if (number % 2 === 0) await pay(till, session.id, number % 4 === 0 ? {} : { amount: 1200 });
    if (number === 1) paths.push(`/${session.id}`, `/${session.id}/items`, `/${session.id}/pay`, '/new');
  }
  // One of which everything is to be told.
  const receiver = await startReceiver({ after: (hook) => ends.push(async () => hook()) }, () => 500);
  const full = await createSession(till, {
    ...order,
    reference_id: 'order-1009',
    webhook_url: receiver.url,
    billing_details: { name: 'Ada Lovelace', address: { line1: '12 St James’s Square', city: 'London' } },
  });
  await pay(till, full.id, { outcome: 'failed' });
  await pay(till, full.id, { amount: 1000 });
  await pay(till, full.id);
  await till.call('POST', '/v3/refund', { body: { payin: full.id, amount: 700, reason: 'It was blue.' } });
  await receiver.received(1);
  await advance(till, 30 * 86_400);
  paths.push(`/${full.id}`, `/${full.id}/refund`);
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

const LIST = '/dashboard/1/test/sessions';
suite('axe finds nothing', () => {
  for (const { colorScheme, width } of looks(process.env.OPENTILL_TEST_DATABASE)) {
    test(`${colorScheme}, ${width} px`, async () => {
      const page = await open({ colorScheme, viewport: { width, height: 900 } });
      const problems: string[] = [];
      page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
      for (const [place, path] of paths.entries()) {
        await page.goto(`${till.url}${LIST}${path}`);
        const folder = process.env.OPENTILL_TEST_PICTURES;
        if (folder) {
          await page.screenshot({ path: `${folder}/${place}-${colorScheme}-${width}.png`, fullPage: true });
        }
        await page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })");
        assert.deepEqual(await violationsOf(page), [], path);
        assert.equal(await overflowOf(page), 0, `${path} is too wide`);
      }
      const expected = 'Failed to load resource: the server responded with a status of 422';
      assert.deepEqual(
        problems.filter((text) => !text.startsWith(expected)),
        [],
      );
    });
  }
});

const focused = (page: Page) =>
  page.evaluate('document.activeElement.textContent || document.activeElement.name');

suite('keys', () => {
  test('go along the rows, open one, search and show what they do', async () => {
    const page = await open();
    await page.goto(`${till.url}${LIST}`);
    await page.keyboard.press('j');
    assert.equal(await focused(page), 'order-1009');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    assert.equal(await focused(page), 'order-1008');
    await page.keyboard.press('/');
    assert.equal(await focused(page), 'q');
    await page.keyboard.type('jk/?');
    assert.equal(await page.inputValue('[name=q]'), 'jk/?');
    // What is typed is searched for, and nothing is found.
    await page.goto(`${till.url}${LIST}`);
    await page.locator('main').focus();
    await page.keyboard.press('?');
    assert.equal(await page.locator('#keys').getAttribute('open'), '');
    await page.locator('main').focus();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/sessions/chk_*');
  });

  test('can be turned off, and stay so', async () => {
    const page = await open();
    await page.goto(`${till.url}${LIST}`);
    await page.keyboard.press('?');
    await page.getByRole('button', { name: 'Turn the keys off' }).click();
    await page.reload();
    await page.keyboard.press('j');
    assert.notEqual(await focused(page), 'order-1009');
  });
});

test('the link of a session is copied by a button', async () => {
  const session = await createSession(till, { reference_id: 'copied' });
  const page = await open({ permissions: ['clipboard-read', 'clipboard-write'] });
  await page.goto(`${till.url}${LIST}/${session.id}`);
  await page.getByRole('button', { name: 'Copy the link' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), session.url);
});

suite('a search', () => {
  test('shows what it finds while it is typed, and its address follows', async () => {
    const page = await open();
    await page.goto(`${till.url}${LIST}?status=active`);
    await page.locator('#found', { hasText: 'order-1001' }).waitFor();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.locator('[name=q]').pressSequentially('order-1003', { delay: 20 });
    await page.locator('#told', { hasText: '1 on this page' }).waitFor();
    assert.deepEqual(await page.locator('#found [data-row]').allTextContents(), ['order-1003']);
    assert.equal(await focused(page), 'q');
    assert.equal(new URL(page.url()).search, '?q=order-1003&status=active');
    assert.match((await page.locator('#filters').textContent()) ?? '', /Search: order-1003/);
    assert.ok(asked.length < 10, `${asked.length} requests for 10 keys`);
    await page.locator('[name=q]').fill('none of them');
    await page.locator('#told', { hasText: 'Nothing is found' }).waitFor();
    assert.match((await page.locator('#found').textContent()) ?? '', /No session matches/);
    await page.locator('[name=q]').fill('');
    await page.locator('#found', { hasText: 'order-1001' }).waitFor();
    assert.equal(new URL(page.url()).search, '?status=active');
  });

  test('that is refused or fails says so in the place of what an earlier one has found', async () => {
    const page = await open();
    await page.goto(`${till.url}${LIST}`);
    await page.locator('[name=q]').fill('order-1003');
    await page.locator('#told', { hasText: '1 on this page' }).waitFor();
    await page.getByText('More filters').click();
    await page.getByLabel('Amount from').fill('5');
    await page.locator('[name=q]').fill('order-1004');
    await page.locator('#told', { hasText: 'An amount needs its currency' }).waitFor();
    assert.equal(await page.locator('#found [data-row]').count(), 0);
    assert.match((await page.locator('#found').textContent()) ?? '', /An amount needs its currency/);
    await page.getByLabel('Amount from').fill('');
    await page.route('**/sessions?q=*', (route) => route.abort());
    await page.locator('[name=q]').fill('order-1005');
    await page.locator('#found', { hasText: 'The search has failed' }).waitFor();
    await page.unroute('**/sessions?q=*');
    await page.locator('[name=q]').fill('order-1003');
    await page.locator('#told', { hasText: '1 on this page' }).waitFor();
    assert.deepEqual(await page.locator('#found [data-row]').allTextContents(), ['order-1003']);
  });

  test('does not pass off what is there for what it has found, whoever answers in the place of the service', async () => {
    const page = await open();
    await page.goto(`${till.url}${LIST}`);
    const body = '<main id="main"><h1>Sign in</h1></main>';
    await page.route('**/sessions?q=*', (route) => route.fulfill({ contentType: 'text/html', body }));
    await page.locator('[name=q]').fill('order-1003');
    await page.locator('#found', { hasText: 'The search has failed' }).waitFor();
    assert.equal(await page.locator('#found [data-row]').count(), 0);
  });

  test('is not overtaken by an earlier one that was slower', async () => {
    const page = await open();
    await page.goto(`${till.url}${LIST}`);
    const { promise: isOvertaken, resolve: overtake } = Promise.withResolvers<void>();
    await page.route('**/sessions?q=order-1001*', async (route) => {
      await isOvertaken;
      await route.continue().catch(() => {});
    });
    const asked = page.waitForRequest('**/sessions?q=order-1001*');
    await page.locator('[name=q]').fill('order-1001');
    const slow = await asked;
    await page.locator('[name=q]').fill('order-1003');
    await page.locator('#told', { hasText: '1 on this page' }).waitFor();
    overtake();
    // It has been given up; one that has not would be shown within a frame of its answer.
    await slow.response().catch(() => null);
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    assert.deepEqual(await page.locator('#found [data-row]').allTextContents(), ['order-1003']);
  });
});

suite('live updates', () => {
  test('show what has changed, and leave the focus where it is', async () => {
    const page = await open();
    await page.clock.install();
    const { id } = await createSession(till, { ...order, reference_id: 'live-1' });
    for (const path of ['?q=live-1', `/${id}`]) {
      await page.goto(`${till.url}${LIST}${path}`);
      if (path.startsWith('?')) await page.keyboard.press('j');
      await pay(till, id, { amount: 100 });
      const answered = page.waitForResponse((response) => response.url().endsWith(path));
      await page.clock.runFor(10_000);
      await answered;
      const amount = path.startsWith('?') ? '€1.00' : '€2.00';
      await page.locator('[data-live]', { hasText: amount }).first().waitFor();
      if (path.startsWith('?')) assert.equal(await focused(page), 'live-1');
    }
  });

  const action = (page: Page, name: string) => page.locator('#actions a', { hasText: name });
  const summary = (page: Page) => page.locator('#ending summary');
  async function openSession(reference: string) {
    const page = await open();
    await page.clock.install();
    const { id } = await createSession(till, { ...order, reference_id: reference });
    await page.goto(`${till.url}${LIST}/${id}`);
    return {
      page,
      id,
      async update() {
        const answered = page.waitForResponse((response) => response.url().endsWith(`/${id}`));
        await page.clock.runFor(10_000);
        await answered;
      },
    };
  }

  test('take away what can no longer be done with a session, and offer what can', async () => {
    const { page, id, update } = await openSession('live-2');
    await action(page, 'Edit the items').waitFor();
    await pay(till, id);
    await update();
    await action(page, 'Refund').waitFor();
    assert.equal(await action(page, 'Edit the items').count(), 0);
    assert.equal(await summary(page).count(), 0);
  });

  test('leave the focus in the page where what had it is gone', async () => {
    const { page, id, update } = await openSession('live-5');
    await action(page, 'Edit the items').focus();
    await pay(till, id);
    await update();
    await action(page, 'Refund').waitFor();
    assert.equal(await page.evaluate('document.activeElement.id'), 'main');
    assert.equal(await page.evaluate('scrollY'), 0);
  });

  test('bring forms for the session as it is, each of which is sent once, and leave the focus on them', async () => {
    const { page, id, update } = await openSession('live-3');
    await summary(page).focus();
    await till.call('PUT', `/v3/checkout/${id}`, { body: { metadata: { shelf: 'B-17' } } });
    await update();
    await page.locator('#facts', { hasText: 'B-17' }).waitFor();
    assert.equal(await focused(page), 'Expire');
    const sent = await page.evaluate(
      '[1, 2].map(() => document.querySelector("#ending form").dispatchEvent(new Event("submit", { cancelable: true })))',
    );
    assert.deepEqual(sent, [true, false]);
    await page.reload();
    await page.evaluate("document.querySelector('#ending').dataset.seen = 'true'");
    // All that has changed are the keys of the forms. By the second update the first one is over.
    await update();
    await update();
    assert.equal(await page.locator('#ending[data-seen]').count(), 1);
    await till.call('PUT', `/v3/checkout/${id}`, { body: { metadata: { shelf: 'C-1' } } });
    await update();
    await page.locator('#facts', { hasText: 'C-1' }).waitFor();
    await summary(page).click();
    await page.getByRole('button', { name: 'Expire the session' }).click();
    await page.getByText('The session is expired. Nobody can pay it any more.').waitFor();
  });

  test('leave a form that is open, whose answer says what has changed and is followed by updates', async () => {
    const { page, id, update } = await openSession('live-4');
    await summary(page).click();
    await pay(till, id);
    await update();
    await action(page, 'Refund').waitFor();
    await page.getByRole('button', { name: 'Expire the session' }).click();
    await page.getByText('The session has changed meanwhile').waitFor();
    assert.equal(await summary(page).count(), 0);
    await till.call('POST', '/v3/refund', { body: { payin: id, reason: 'It was green.' } });
    await update();
    await page.locator('#course', { hasText: 'It was green.' }).waitFor();
    await page.getByText('The session has changed meanwhile').waitFor();
    assert.equal(await action(page, 'Refund').count(), 0);
  });

  test('can be turned off, and stay so', async () => {
    const page = await open();
    await page.clock.install();
    await page.goto(`${till.url}${LIST}`);
    await page.getByRole('button', { name: 'Turn live updates off' }).click();
    await page.reload();
    let asked = 0;
    page.on('request', () => {
      asked += 1;
    });
    await page.clock.runFor(60_000);
    assert.equal(asked, 0);
    await page.getByRole('button', { name: 'Turn live updates on' }).waitFor();
  });

  test('end where nobody uses the page', async () => {
    const page = await open();
    await page.clock.install();
    await page.goto(`${till.url}${LIST}`);
    let asked = 0;
    page.on('request', () => {
      asked += 1;
    });
    await page.clock.runFor(3_600_000);
    assert.ok(asked > 0 && asked <= 90, String(asked));
  });
});

test('every screen comes with no more than 100 KiB, compressed', async () => {
  const page = await open();
  for (const path of paths) {
    const bodies: Array<Promise<Buffer>> = [];
    const note = (response: Response) => void bodies.push(response.body());
    page.on('response', note);
    await page.goto(`${till.url}${LIST}${path}`);
    page.off('response', note);
    const bytes = (await Promise.all(bodies)).reduce((sum, body) => sum + gzipSync(body).length, 0);
    assert.ok(bodies.length >= 3, `${bodies.length} files`);
    assert.ok(bytes <= 100 * 1024, `${path}: ${bytes} bytes`);
  }
});
