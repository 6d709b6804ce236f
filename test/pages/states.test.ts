/** Every state of the page, in a browser: what it says, with and without JavaScript, and that everyone can use it. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { BrowserContextOptions } from 'playwright-core';
import { readToken, receiptCode } from '../../src/checkout/token.ts';
import { violationsOf } from '../support/axe.ts';
import { exif, jpeg, png, squares, withSegments } from '../support/image.ts';
import { combinations } from '../support/scale.ts';
import { type StripeStandIn, startStripe } from '../support/stripe-stand-in.ts';
import { expected, type StateName, sessionsInAllStates } from './states.ts';
import { openTill, type Session, type Till, textIn } from './till.ts';

let stripe: StripeStandIn;
let till: Till;
const ends: Array<() => Promise<void>> = [];
let sessions: Record<StateName, Session>;
const names = Object.keys(expected) as StateName[];

before(async () => {
  stripe = await startStripe({ after: (hook) => ends.push(hook) });
  till = await openTill({ stripe });
  sessions = await sessionsInAllStates(till);
});
afterEach(() => till.closePages());
after(async () => {
  await till.close();
  for (const end of ends) await end();
});

const urlOf = (name: StateName) => sessions[name].url;

/** The parts of a page by which its state is told, asked for at once: each question is a way to the browser and back. */
const PARTS = `(() => {
  const all = (selector) => Array.from(document.querySelectorAll(selector), ({ textContent }) => textContent);
  return {
    states: Array.from(document.querySelectorAll('main'), ({ dataset }) => dataset.state),
    says: all('#state'),
    headings: all('h1'),
    namesPayee: /Acme Coffee/.test(document.title),
    banners: all('.banner').length,
    forms: all('form[action*="/pay"]').length,
    refreshes: all('head meta[http-equiv=refresh]').length,
  };
})()`;

for (const javaScriptEnabled of [true, false]) {
  test(`every state says what it is ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async () => {
    const page = await till.page({ javaScriptEnabled });
    for (const name of names) {
      const response = await page.goto(urlOf(name));
      assert.equal(response?.status(), 200, name);
      const [state, heading] = expected[name];
      const expectedParts = {
        states: [state],
        says: [heading],
        headings: ['Payment to Acme Coffee'],
        namesPayee: true,
        banners: name === 'unavailable' ? 0 : 1,
        forms: state === 'payable' ? 1 : 0,
        refreshes: state === 'in_progress' && !javaScriptEnabled ? 1 : 0,
      };
      assert.deepEqual(await page.evaluate(PARTS), expectedParts, name);
    }
  });
}

const texts: ReadonlyArray<readonly [StateName, readonly RegExp[]]> = [
  [
    'payable',
    [
      /Filter coffee.*€29\.00.*2 × €14\.50.*whole beans/s,
      /Canvas bag.*€13\.50/s,
      /Total\s*€42\.50/,
      /Pay €42\.50/,
    ],
  ],
  ['payable', [/Please pay by \w+ \d+, \d{4}/, /Back to the shop/]],
  ['described', [/Invoice 2030-17/, /¥12,345/]],
  ['many_items', [/All items \(12\)/, /Discount\s*−€1\.00/]],
  ['declined', [/declined and you have not been charged/]],
  [
    'partly_paid',
    [
      /We have received €20\.00\. You can pay the remaining €22\.50 now/,
      /Still to pay\s*€22\.50/,
      /Pay €22\.50/,
    ],
  ],
  ['transfer', [/transfer exactly €42\.50/, /CH93 0076 2011 6238 5295 7/, /PostFinance/, /Back to the shop/]],
  ['transfer_left', [/Back to the transfer details/, /Pay €42\.50/]],
  ['card_page', [/Your payment of €42\.50 \(Card\) continues/, /Continue to the card page/]],
  ['refunded', [/Refunded\s*€10\.00/, /Refunds/]],
  ['step', [/Your payment of €42\.50 with Card is waiting/]],
  ['paid', [/Your payment to Acme Coffee is complete/, /Return to Acme Coffee/, /Card\s*€42\.50/]],
  ['paid_in_excess', [/You have paid €7\.50 too much/]],
  ['paid_late', [/arrived after the time to pay was over/]],
  ['expired_by_time', [/The time to pay is over/]],
  ['expired_by_merchant', [/Acme Coffee has closed this payment request/]],
  ['expired_partly_paid', [/You have already paid €10\.00/]],
  ['unavailable', [/No payment method is available for this order at the moment/]],
  ['exhausted', [/too many attempts/]],
];

test('the page says what is paid, to whom, how much and until when', async () => {
  const page = await till.page();
  for (const [name, patterns] of texts) {
    await page.goto(urlOf(name));
    const text = await textIn(page, 'main');
    for (const pattern of patterns) assert.match(text, pattern, name);
  }
});

test('the deadline is in UTC without a script and in the time zone of the payer with one', async () => {
  const [plain, scripted] = await Promise.all(
    [false, true].map(async (javaScriptEnabled) => {
      const page = await till.page({ javaScriptEnabled, timezoneId: 'Asia/Tokyo', locale: 'en-GB' });
      await page.goto(urlOf('payable'));
      const time = page.locator('.deadline time');
      return { text: await time.textContent(), instant: await time.getAttribute('datetime') };
    }),
  );
  assert.match(plain?.text ?? '', /UTC$/);
  assert.match(scripted?.text ?? '', /(GMT\+9|JST)$/);
  assert.equal(plain?.instant, scripted?.instant);
});

test('links lead to the shop and to the receipt', async () => {
  const page = await till.page();
  await page.goto(urlOf('paid'));
  const home = page.getByRole('link', { name: 'Return to Acme Coffee' });
  assert.equal(await home.getAttribute('href'), 'https://shop.example/thanks');
  await page.goto(urlOf('payable'));
  const back = page.getByRole('link', { name: 'Back to the shop' });
  assert.equal(await back.getAttribute('href'), 'https://shop.example/basket');
});

test('the receipt lists items and payments, and is not there before', async () => {
  const page = await till.page();
  const none = await page.goto(`${urlOf('payable')}/receipt`);
  assert.equal(none?.status(), 404);
  assert.match(await textIn(page, 'main'), /There is no receipt yet/);
  await page.goto(urlOf('paid'));
  await page.getByRole('link', { name: 'View the receipt' }).click();
  await page.waitForURL('**/receipt');
  const text = await textIn(page, 'main');
  const { id, reference_id } = sessions.paid;
  for (const part of ['Receipt from Acme Coffee', id, reference_id, '€42.50', 'Canvas bag', 'pay_']) {
    assert.ok(text.includes(String(part)), String(part));
  }
  assert.ok(await page.getByRole('button', { name: 'Print' }).isVisible());
  await page.getByRole('link', { name: 'Back to the payment' }).click();
  await page.waitForURL(urlOf('paid'));
});

type View = readonly [name: string, BrowserContextOptions, query: string];

const plainView: View = ['light', { colorScheme: 'light' }, ''];
const otherView: View = [
  'dark at 320 px in Arabic',
  { colorScheme: 'dark', viewport: { width: 320, height: 640 } },
  '?lang=ar',
];
const views: readonly View[] = [
  plainView,
  ['dark', { colorScheme: 'dark' }, ''],
  ['light at 320 px', { colorScheme: 'light', viewport: { width: 320, height: 640 } }, ''],
  otherView,
];

/** All combinations in longer runs, but on PostgreSQL, where a page looks as on SQLite. */
const tried = <T>(all: readonly T[], few: readonly T[]): readonly T[] =>
  process.env.OPENTILL_TEST_DATABASE === 'postgres' ? few : combinations(all, few);

const viewsHere = tried(views, [plainView, otherView]);

for (const [place, [view, options, query]] of viewsHere.entries()) {
  test(`axe finds nothing: ${view}`, async () => {
    const page = await till.page(options);
    // The redirect leads nowhere, so that the page before it stays to be looked at.
    await page.route(`${stripe.url}/**`, (route) => route.fulfill({ status: 204 }));
    const all = [
      ...names.map(urlOf),
      `${urlOf('refunded')}/receipt`,
      `${urlOf('card_page')}/go`,
      `${till.base}/transaction/unknown`,
      `${till.base}/receipt/${receiptCodeOf(sessions.refunded)}`,
      `${till.base}/receipt/unknown`,
    ];
    // Views of each page: one in `npm test`, all in longer runs.
    const inTurn = all.filter((_, index) => index % viewsHere.length === place);
    for (const address of tried(all, inTurn)) {
      await page.goto(address.includes('?') ? address + query.replace('?', '&') : address + query);
      const details = page.locator('details');
      for (let i = 0; i < (await details.count()); i++) await details.nth(i).locator('summary').click();
      assert.deepEqual(await violationsOf(page), [], `${address} ${view}`);
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      assert.ok(Number(overflow) <= 0, `${address} ${view}: ${overflow} px too wide`);
    }
  });
}

/** A light color, a dark one, one that is hardly there, and none. */
const accents = ['#FFD60A', '#03045e', '#fdfdfd', ''];

for (const [place, colorScheme] of (['light', 'dark'] as const).entries()) {
  test(`axe finds nothing in the color of an account, ${colorScheme}`, async () => {
    const page = await till.page({ colorScheme });
    const fills = new Set<unknown>();
    const accentsHere = tried(
      accents,
      accents.filter((_, index) => index % 2 === place),
    );
    for (const accent_color of accentsHere) {
      await till.api('PUT', '/account_settings', { branding: { accent_color } });
      for (const name of ['payable', 'paid', 'transfer'] as const) {
        await page.goto(urlOf(name));
        assert.deepEqual(await violationsOf(page), [], `${name} in ${accent_color}`);
      }
      await page.goto(urlOf('payable'));
      const button = page.getByRole('button', { name: /^Pay/ });
      fills.add(
        await button.evaluate((element) => element.computedStyleMap().get('background-color')?.toString()),
      );
      await page.getByRole('radio').first().check();
      assert.deepEqual(await violationsOf(page), [], `a choice in ${accent_color}`);
    }
    assert.equal(fills.size, accentsHere.length, [...fills].join(', '));
  });
}

const logoLooks = [
  ['light', 320],
  ['dark', 1280],
] as const;

for (const [index, [what, image]] of (
  [
    ['a wide PNG', png({ width: 1000, height: 250 })],
    ['a tall PNG', png({ width: 100, height: 1000 })],
    ['a JPEG', jpeg()],
    ['a JPEG that is to be turned', withSegments(squares([[0, 90, 180, 250]]), exif(6))],
  ] as const
).entries()) {
  test(`a logo keeps its place before it comes, and is legible in the dark: ${what}`, async () => {
    const { status } = await till.ask('PUT', '/logo', image);
    assert.ok(status < 300, String(status));
    const inTurn = logoLooks.filter((_, place) => place === index % logoLooks.length);
    for (const [colorScheme, width] of tried(logoLooks, inTurn)) {
      const page = await till.page({ colorScheme, viewport: { width, height: 800 } });
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      await page.route('**/logo/*', async (route) => {
        await held;
        await route.continue();
      });
      await page.goto(urlOf('payable'), { waitUntil: 'domcontentloaded' });
      const logo = page.locator('img.logo');
      const places = () => Promise.all([logo.boundingBox(), page.locator('h1').boundingBox()]);
      const before = await places();
      release();
      await page.evaluate("document.querySelector('img.logo').decode()");
      assert.deepEqual(await places(), before);
      const [place, title] = before;
      assert.ok(place && title);
      assert.equal(place.height, 40);
      assert.ok(
        place.width > 8 && place.width < width / 2 && title.width > width / 8,
        JSON.stringify(before),
      );
      const background = await logo.evaluate((element) =>
        element.computedStyleMap().get('background-color')?.toString(),
      );
      assert.equal(background, 'rgb(255, 255, 255)');
      assert.deepEqual(await violationsOf(page), []);
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      assert.ok(Number(overflow) <= 0);
      // The name beside it says whose it is.
      assert.equal(await logo.getAttribute('alt'), '');
    }
    await till.ask('DELETE', '/logo');
  });
}

/** The code of a receipt, from its token; other tests read it off the page's address. */
function receiptCodeOf({ id, url }: Session): string {
  const token = url.slice(url.lastIndexOf('/') + 1);
  return receiptCode({ id, token, tenant: readToken(token)?.tenant ?? assert.fail(url) });
}
