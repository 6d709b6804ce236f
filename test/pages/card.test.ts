/** Paying by card as payers do: to the page of the provider, and back however it went. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type StripeStandIn, startStripe } from '../support/stripe-stand-in.ts';
import { openTill, type Session, type Till, textIn } from './till.ts';

let stripe: StripeStandIn;
let till: Till;
const ends: Array<() => Promise<void>> = [];
before(async () => {
  stripe = await startStripe({ after: (hook) => ends.push(hook) });
  till = await openTill({ stripe });
});
afterEach(() => till.closePages());
after(async () => {
  await till.close();
  for (const end of ends) await end();
});

const newSession = () => till.session({ payment_methods: ['card'] });
const heading = (page: Page) => page.locator('#state').textContent();
const statusesOf = async ({ id }: Session) =>
  ((await till.fetch(id)).payment_attempts as ReadonlyArray<{ status: string }>).map(({ status }) => status);
const calls = (pattern: RegExp) =>
  stripe.calls.filter(({ method, path }) => pattern.test(`${method} ${path}`)).length;

async function begin(page: Page, session: Session): Promise<void> {
  await page.goto(session.url);
  await page.getByRole('button', { name: /^Pay / }).click();
}

for (const javaScriptEnabled of [true, false]) {
  const suffix = javaScriptEnabled ? 'with JavaScript' : 'without JavaScript';

  test(`a payer is declined, goes back, comes again and pays, ${suffix}`, async () => {
    const session = await newSession();
    const page = await till.page({ javaScriptEnabled });
    await begin(page, session);
    await page.waitForURL(`${stripe.url}/c/pay/*`);
    await page.getByRole('button', { name: 'declined' }).click();
    await page.waitForURL(`${stripe.url}/c/pay/*`);

    await page.getByRole('link', { name: 'Back' }).click();
    await page.waitForURL(session.url);
    assert.equal(await heading(page), 'One more step');
    assert.match(await textIn(page, '.panel'), /Your payment of €42\.50 \(Card\) continues/);

    await page.getByRole('link', { name: 'Continue to the card page' }).click();
    await page.waitForURL(`${stripe.url}/c/pay/*`);
    await page.getByRole('button', { name: 'Pay', exact: true }).click();
    await page.waitForURL(session.url);
    assert.equal(await heading(page), 'Payment received');
    assert.match(await textIn(page, '.payments'), /Card\s*€42\.50/);
    assert.deepEqual(await statusesOf(session), ['succeeded']);
  });

  test(`a payer whose card page cannot be opened is told so, and can try again, ${suffix}`, async () => {
    const session = await newSession();
    const page = await till.page({ javaScriptEnabled });
    stripe.next('reset_before', { times: 2, on: /^POST \/v1\/checkout\/sessions$/ });
    await page.goto(session.url);
    const [response] = await Promise.all([
      page.waitForResponse('**/go'),
      page.getByRole('button', { name: /^Pay / }).click(),
    ]);
    assert.equal(response.status(), 503);
    assert.ok(Number(response.headers()['retry-after']) > 0);
    await page.getByRole('alert').waitFor();
    assert.match(
      (await page.getByRole('alert').textContent()) ?? '',
      /could not be opened, and you have not been/,
    );
    await page.getByRole('link', { name: 'Continue to the card page' }).click();
    await page.waitForURL(`${stripe.url}/c/pay/*`);
    assert.deepEqual(await statusesOf(session), ['requires_action']);
  });

  test(`a payer goes back to the choice, and the card page is closed, ${suffix}`, async () => {
    const session = await newSession();
    const page = await till.page({ javaScriptEnabled });
    await begin(page, session);
    await page.waitForURL(`${stripe.url}/c/pay/*`);
    const cardPage = page.url();
    await page.getByRole('link', { name: 'Back' }).click();
    await page.getByRole('button', { name: 'Choose another payment method' }).click();
    await page.locator('main[data-state=payable]').waitFor();
    assert.deepEqual(await statusesOf(session), ['cancelled']);
    // The worker tells the provider in its own time.
    await till.until(cardPage, /This page is closed/);
  });
}

test('a page of ours leads on to the card page, because forms may lead nowhere else', async () => {
  const session = await newSession();
  const page = await till.page({ javaScriptEnabled: false });
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  await begin(page, session);
  await page.waitForURL(`${stripe.url}/c/pay/*`);
  const prepare = /^POST \/v1\/checkout\/sessions$/;
  const before = calls(prepare);
  const answer = await fetch(`${session.url}/go?lang=de`, { redirect: 'manual' });
  assert.equal(answer.status, 200);
  assert.equal(calls(prepare), before, 'the address is known already');
  const text = await answer.text();
  assert.match(text, /class="banner".*Testmodus/);
  assert.match(text, /<meta http-equiv="refresh" content="0;url=http[^"]*\/c\/pay\/[^"]*">/);
  assert.match(
    text,
    /<a class="button primary" href="http[^"]*\/c\/pay\/[^"]*">Weiter zur Kartenzahlung<\/a>/,
  );
  assert.deepEqual(problems, []);
});

test('coming back again and again asks the provider seldom, and changes nothing', async () => {
  const session = await newSession();
  const page = await till.page();
  await begin(page, session);
  await page.waitForURL(`${stripe.url}/c/pay/*`);
  const before = calls(/^GET \/v1\/checkout\/sessions\/./);
  const known = await till.fetch(session.id);
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => fetch(`${session.url}/return?lang=de`, { redirect: 'manual' })),
  );
  for (const { status, headers } of answers) {
    assert.equal(status, 303);
    assert.equal(new URL(headers.get('location') ?? '', session.url).href, `${session.url}?lang=de`);
  }
  const asked = calls(/^GET \/v1\/checkout\/sessions\/./) - before;
  assert.ok(asked >= 1 && asked <= 2, `asked ${asked} times`);
  assert.deepEqual(await till.fetch(session.id), known);
});

test('there is nothing to go on with, or to come back from, where no card was chosen', async () => {
  const session = await newSession();
  for (const part of ['go', 'return']) {
    const answer = await fetch(`${session.url}/${part}`, { redirect: 'manual' });
    assert.equal(answer.status, 303);
    assert.equal(new URL(answer.headers.get('location') ?? '', session.url).href, session.url);
    assert.equal((await fetch(`${session.url}/${part}`, { method: 'HEAD', redirect: 'manual' })).status, 404);
    assert.equal((await fetch(`${till.base}/transaction/unknown/${part}`)).status, 404);
  }
  assert.deepEqual(await statusesOf(session), []);
});

test('a card page that asks for another amount is shown to nobody', async () => {
  const session = await newSession();
  const page = await till.page();
  stripe.next('wrong_amount', { on: /^POST \/v1\/checkout\/sessions$/ });
  await begin(page, session);
  await page.waitForURL(session.url);
  assert.match((await page.getByRole('alert').textContent()) ?? '', /declined and you have not been charged/);
  assert.deepEqual(await statusesOf(session), ['failed']);
});
