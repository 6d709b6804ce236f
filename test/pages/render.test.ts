/** The parts of pages that need no browser: links, languages, amounts, and the clock. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Account, createAccount } from '../../src/accounts/account.ts';
import { allPermissions, createApiKey } from '../../src/accounts/api-key.ts';
import { type AccountSettings, defaultSettings } from '../../src/accounts/settings.ts';
import { currencies, currencyExponent, MAX_AMOUNT } from '../../src/checkout/money.ts';
import type { Attempt, Checkout, JsonObject, Refund, Reversal } from '../../src/checkout/session.ts';
import { receiptCode } from '../../src/checkout/token.ts';
import { readConfig } from '../../src/config/read.ts';
import { english, languages } from '../../src/i18n/languages/all.ts';
import { isolated, localeOf, money } from '../../src/i18n/locale.ts';
import { createService } from '../../src/main.ts';
import type { ReceivingAccount } from '../../src/methods/bank/receiving-account.ts';
import { findMethod } from '../../src/methods/catalogue.ts';
import { sandbox } from '../../src/methods/sandbox/sandbox.ts';
import { outwardLink } from '../../src/pages/links.ts';
import { pageOf } from '../../src/pages/page.ts';
import { receiptOf } from '../../src/pages/receipt.ts';
import { createRenderedPages } from '../../src/pages/rendered.ts';
import { verifiedReceipt } from '../../src/pages/verification.ts';
import { stateOf, type Visit } from '../../src/pages/visit.ts';
import type { Store } from '../../src/store/store.ts';
import { attempt, checkout, payment, T } from '../checkout/build.ts';
import { refund, reversal } from '../checkout/build-refunds.ts';
import { DE_IBAN, OUR_RF, QRR, account as receivingAccount } from '../methods/bank/build.ts';
import { freshTestDatabase } from '../support/database.ts';

test('only addresses of the web become links', () => {
  assert.equal(outwardLink('https://shop.example/a?b=c'), 'https://shop.example/a?b=c');
  assert.equal(outwardLink('http://localhost:8080/'), 'http://localhost:8080/');
  for (const address of [
    '',
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    '//evil.example',
    '/path',
    'https://user:secret@evil.example/',
    'https://shop.example@evil.example/',
    'https://:secret@evil.example/',
    'blob:https://a.example/x',
    'https://',
  ]) {
    assert.equal(outwardLink(address), null, address);
  }
});

test('the language is the best of those the browser asks for, unless one was chosen', () => {
  const cases: Array<readonly [string | undefined, unknown, string, string]> = [
    [undefined, undefined, 'en', 'en'],
    ['de-CH, en;q=0.8', undefined, 'de', 'de-CH'],
    ['xx, fr;q=0.3, pt-BR;q=0.7', undefined, 'pt', 'pt-BR'],
    ['tlh, nl', undefined, 'nl', 'nl'],
    ['zh-Hant-TW', undefined, 'zh', 'zh-Hans-TW'],
    ['EN-gb', undefined, 'en', 'en-GB'],
    ['de;q=0, sv', undefined, 'sv', 'sv'],
    ['de-CH, fr-CA', 'fr', 'fr', 'fr-CA'],
    ['de-CH', 'ar', 'ar', 'ar'],
    ['es-419,en;q=0.9', undefined, 'es', 'es'],
    ['en;q=0.5, de-CH-1996, fr;q=0.9', undefined, 'de', 'de-CH'],
    ['ar-001-u-nu-latn', undefined, 'ar', 'ar'],
    ['es-', undefined, 'en', 'en'],
    ['de', 'klingon', 'de', 'de'],
    ['de', ['fr', 'it'], 'de', 'de'],
    ['*, ;;q=, x-y-z', undefined, 'en', 'en'],
    ['de-u-nu-thai', undefined, 'de', 'de'],
    ['de,'.repeat(5_000), undefined, 'de', 'de'],
  ];
  for (const [header, chosen, id, formatTag] of cases) {
    const locale = localeOf(header, chosen);
    assert.deepEqual([locale.language.id, locale.formatTag], [id, formatTag], `${header} ${chosen}`);
    assert.equal(locale.query, typeof chosen === 'string' && chosen === id ? `?lang=${id}` : '');
  }
});

test('amounts have the digits of their currency and lose none', () => {
  const locale = localeOf('en', undefined);
  assert.equal(money(locale, MAX_AMOUNT, 'USD'), '$9,999,999,999,999.99');
  assert.equal(money(locale, MAX_AMOUNT, 'JPY'), '¥999,999,999,999,999');
  assert.equal(money(locale, 1_234, 'KWD').replace(/\s/g, ' '), 'KWD 1.234');
  assert.equal(money(localeOf('de', undefined), 1_234_567, 'EUR').replace(/\s/g, ' '), '12.345,67 €');
  for (const { id } of languages) {
    for (const currency of currencies) {
      const text = money(localeOf(undefined, id), 123_456_789_012_345, currency);
      const digits = text.replace(/\p{L}|\.\s|[^\p{Nd}]/gu, '');
      assert.equal(digits.length, 15, `${id} ${currency} ${currencyExponent(currency)} ${text}`);
    }
  }
});

test('names keep their direction to themselves', () => {
  const [en, ar] = [localeOf(undefined, 'en'), localeOf(undefined, 'ar')];
  assert.equal(isolated(en, 'Acme'), 'Acme');
  assert.equal(isolated(en, 'مقهى'), '\u2068مقهى\u2069');
  assert.equal(isolated(ar, 'Acme'), '\u2068Acme\u2069');
});

const card = findMethod('card');

const account: Account = {
  number: 1,
  name: 'Acme',
  webhookSecrets: { test: 'whsec_a', live: 'whsec_b' },
  createdAt: 0,
  previousWebhookSecrets: { test: null, live: null },
  testClockOffsetMs: 0,
  settings: { test: defaultSettings, live: defaultSettings },
  railCredentials: { test: {}, live: {} },
  logos: { test: null, live: null },
};

const LOGO = '0123456789abcdef-320x96.png';
const inOrange: AccountSettings = { ...defaultSettings, branding: { accentColor: '#e8590c' } };

/** An attempt to pay by a transfer into an account of this kind. */
function transfer(method: string, into: Partial<ReceivingAccount>): Attempt {
  return attempt('requires_action', {
    rail: 'bank',
    method,
    reference: into.qrIban ? QRR : OUR_RF,
    traits: { standing: true },
    details: { account: receivingAccount(into) as JsonObject },
  });
}

function visit(given: Partial<Visit> = {}): Visit {
  return {
    checkout: checkout(),
    payee: 'Acme',
    locale: localeOf(undefined, undefined),
    path: '/transaction/token1',
    account,
    offers: card ? [{ method: card, rail: sandbox }] : [],
    missing: [],
    leavesPage: false,
    isChoosing: false,
    now: T,
    ...given,
  };
}

test('every language says everything, on every page', () => {
  const sessions = [
    checkout({ amount: 0 }),
    checkout({ expiresAt: T }),
    checkout({ attempts: [attempt('requires_action', { rail: 'sandbox' })] }),
    checkout({ attempts: [attempt('processing')] }),
    checkout({ attempts: [attempt('failed')], payments: [payment(400)] }),
    checkout({ lifecycle: { state: 'completed', at: T }, payments: [payment(1_200)] }),
    checkout({
      lifecycle: { state: 'expired', at: T, by: 'time' },
      payments: [payment(1_000, { late: true })],
    }),
    checkout({
      lifecycle: { state: 'expired', at: T, by: 'merchant' },
      payments: [payment(10, { late: true })],
    }),
    checkout({ currency: 'EUR', attempts: [transfer('local_bank_transfer_eur', { iban: DE_IBAN })] }),
    checkout({ currency: 'INR', attempts: [transfer('upi_inr', { currency: 'INR', upi: 'acme@okbank' })] }),
    checkout({
      lifecycle: { state: 'completed', at: T },
      payments: [payment(1_000)],
      refunds: [refund(10), refund(20, { id: 'rfd_b', status: 'succeeded' })],
      reversals: [reversal(30)],
    }),
  ];
  const inEnglish = sentences(english.messages);
  for (const language of languages) {
    const own = sentences(language.messages);
    assert.deepEqual(own.keys, inEnglish.keys, language.id);
    for (const [index, text] of own.texts.entries())
      assert.ok(text.trim() !== '', `${language.id} ${own.keys[index]}`);
    const untranslated = own.texts.filter(
      (text, index) => text === inEnglish.texts[index] && /\s\w+\s/.test(text),
    );
    if (language !== english) assert.deepEqual(untranslated, [], language.id);
    for (const session of sessions) {
      const shown = visit({ checkout: session, locale: localeOf(undefined, language.id) });
      const page = pageOf(shown, '');
      assert.ok(page.includes(`<html lang="${language.tag}" dir="${language.direction}"`));
      assert.doesNotMatch(page, /undefined|\[object|=>/, `${language.id} ${stateOf(shown)}`);
      if (session.payments.length > 0)
        assert.doesNotMatch(receiptOf(shown, ''), /undefined|\[object/, language.id);
      const elsewhere = visit({
        locale: localeOf(undefined, language.id),
        checkout: checkout({ attempts: [attempt('requires_action', { rail: 'stripe' })] }),
        leavesPage: true,
      });
      assert.ok(pageOf(elsewhere, '').includes(language.messages.goOn), language.id);
    }
  }
});

/** All sentences with something filled in, and where they stand. */
function sentences(messages: object, prefix = ''): { keys: string[]; texts: string[] } {
  const result = { keys: [] as string[], texts: [] as string[] };
  for (const [key, value] of Object.entries(messages).sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (typeof value === 'object') {
      const inner = sentences(value, `${prefix}${key}.`);
      result.keys.push(...inner.keys);
      result.texts.push(...inner.texts);
      continue;
    }
    const text = typeof value === 'function' ? value('ONE', 'TWO') : value;
    if (typeof value === 'function') assert.match(text, /ONE/, `${prefix}${key}`);
    if (typeof value === 'function' && value.length > 1) assert.match(text, /TWO/, `${prefix}${key}`);
    result.keys.push(`${prefix}${key}`);
    result.texts.push(text);
  }
  return result;
}

test('a logo takes the place of the letter on the page of its mode, and stands on the receipt', () => {
  const header = (page: string) => /<div class="payee">\n(.*)\n<h1/.exec(page)?.[1];
  const letter = '<span class="mark" aria-hidden="true">A</span>';
  const image = `<img class="logo" src="/transaction/token1/logo/${LOGO}" alt="" width="320" height="96">`;
  const inTest = { ...account, logos: { test: LOGO, live: null } };
  const inLive = { ...account, logos: { test: null, live: LOGO } };
  assert.equal(header(pageOf(visit(), '')), letter);
  assert.equal(header(pageOf(visit({ account: inTest }), '')), image);
  assert.equal(header(pageOf(visit({ account: inLive }), '')), letter);
  const paid = checkout({ lifecycle: { state: 'completed', at: T }, payments: [payment(1_500)] });
  assert.ok(receiptOf(visit({ account: inTest, checkout: paid }), '').includes(image));
  assert.doesNotMatch(receiptOf(visit({ account: inLive, checkout: paid }), ''), /<img|logo|mark/);
});

/** Page of a look at a session, among those that are kept. */
function keptPages() {
  const pages = createRenderedPages((opened) => opened as Visit, '');
  return (look: Visit): string => Buffer.from(pages.of(look), 'latin1').toString();
}

test('a page that is kept has a new one-time value for every look, and changes with what it shows', () => {
  const renderedPage = keptPages();
  const once = (page: string) => /name="once" value="([0-9a-z]{26})"/.exec(page)?.[1];
  const session = checkout({
    description: 'name="once" value="aaaaaaaaaaaaaaaaaaaaaaaaaa"',
    token: 'token-of-rendered',
  });
  const [first, second] = [1, 2].map(() => renderedPage(visit({ checkout: session })));
  assert.notEqual(once(first ?? ''), once(second ?? ''));
  assert.equal(first?.replace(once(first) ?? '', ''), second?.replace(once(second) ?? '', ''));
  assert.ok(first?.includes('<bdi>name=&quot;once&quot; value=&quot;aaaaaaaaaaaaaaaaaaaaaaaaaa&quot;</bdi>'));
  const orange = { ...account, settings: { ...account.settings, test: inOrange } };
  const others = [
    // Right behind the usual look of the same session, whose page is kept.
    visit({ checkout: session, account: orange }),
    // Right behind the same without it.
    visit({ checkout: session, account: { ...orange, logos: { test: LOGO, live: null } } }),
    visit({ checkout: session, account: { ...account }, payee: 'Other' }),
    visit({ checkout: session, account: { ...account }, offers: [] }),
    visit({ checkout: session, account: { ...account }, offers: [], missing: ['Card: a key'] }),
    visit({ checkout: session, locale: localeOf('de', undefined) }),
    visit({ checkout: session, locale: localeOf('de', 'de') }),
    visit({ checkout: { ...session, version: session.version + 1, amount: 2_000 } }),
  ];
  const pages = others.map((other) => renderedPage(other).replace(/value="[0-9a-z]{26}"/, ''));
  assert.equal(new Set(pages).size, others.length);
  for (const [index, other] of others.entries()) {
    assert.equal(pages[index], pageOf(other, '').replace(/value="[0-9a-z]{26}"/, ''));
  }
});

test('a page that is kept has its one-time value in its place, whatever stands before it', () => {
  const renderedPage = keptPages();
  const session = checkout({ description: 'Œuvre – 日本 🛒', token: 'token-of-characters' });
  for (let look = 1; look <= 3; look++) {
    const page = renderedPage(visit({ checkout: session }));
    const fresh = pageOf(visit({ checkout: session }), '');
    assert.equal(page.replace(/value="[0-9a-z]{26}"/, ''), fresh.replace(/value="[0-9a-z]{26}"/, ''));
  }
});

test('refunds and reversals are shown as they stand, but not those that came to nothing', () => {
  const paid = { lifecycle: { state: 'completed', at: T }, payments: [payment(1_500)] } as const;
  const refunds = [
    refund(100, { id: 'rfd_1' }),
    refund(200, { id: 'rfd_2', status: 'succeeded' }),
    refund(400, { id: 'rfd_3', status: 'failed' }),
  ];
  const reversals = [
    reversal(11),
    reversal(22, { reference: 'dp_2', status: 'lost', kind: 'return' }),
    reversal(44, { reference: 'dp_3', status: 'won' }),
  ];
  const shown = visit({ checkout: checkout({ ...paid, refunds, reversals }) });
  for (const page of [pageOf(shown, ''), receiptOf(shown, '')]) {
    const text = page.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
    const back = text.slice(text.indexOf(' Refunds '));
    assert.match(back, /In progress .*\$1\.00/);
    assert.match(back, /Refunded .*\$2\.00/);
    assert.match(back, /Taken back by the bank .*\$0\.11/);
    assert.match(back, /Taken back by the bank .*\$0\.22/);
    assert.doesNotMatch(back, /\$4\.00|\$0\.44|dispute|fraud/i);
    assert.match(
      text,
      /Paid \$15\.00 Refunded \$2\.00 Taken back by the bank \$0\.33 Paid in excess \$2\.67/,
    );
  }
  // Too much by 5.00, of which 3.00 is on its way back and 0.33 was taken back.
  assert.match(pageOf(shown, ''), /You have paid \$1\.67 too much/);
  for (const back of [{ refunds: [refund(500)] }, { reversals: [reversal(500, { status: 'lost' })] }]) {
    assert.doesNotMatch(pageOf(visit({ checkout: checkout({ ...paid, ...back }) }), ''), /too much/);
  }
});

test('a payer whose session has expired hears of what is left of the payments', () => {
  const said = (given: Partial<Checkout>) => {
    const expired = { lifecycle: { state: 'expired', at: T, by: 'time' }, payments: [payment(600)] } as const;
    return pageOf(visit({ checkout: checkout({ ...expired, ...given }) }), '');
  };
  assert.match(said({}), /You have already paid \$6\.00\./);
  assert.match(
    said({ refunds: [refund(100)], reversals: [reversal(200)] }),
    /You have already paid \$3\.00\./,
  );
  assert.doesNotMatch(said({ reversals: [reversal(600, { status: 'lost' })] }), /already paid/);
  assert.doesNotMatch(said({ reversals: [reversal(600, { status: 'lost' })] }), /Still to pay/);
});

test('a receipt is confirmed with what was paid and what went back, if anything did', async () => {
  const confirmed = async (refunds: readonly Refund[], reversals: readonly Reversal[] = []) => {
    const paid = checkout({ id: `chk_${'0'.repeat(26)}`, payments: [payment(1_500)], refunds, reversals });
    const store = { checkouts: { fetch: async () => paid }, accounts: { fetch: async () => account } };
    const dependencies = { store: store as unknown as Store };
    const page = await verifiedReceipt(dependencies, receiptCode(paid), localeOf('en', undefined), '');
    return (page ?? '').replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
  };
  const whole = await confirmed([]);
  assert.match(whole, /This receipt is genuine .*Acme .*Paid \$15\.00 .*Payments .*\$15\.00/);
  assert.doesNotMatch(whole, /Refund/);
  const part = await confirmed([refund(400, { status: 'succeeded' })]);
  assert.match(part, /Paid \$15\.00 Refunded \$4\.00 .*Refunds .*\$4\.00/);
  const taken = await confirmed([], [reversal(1_500, { status: 'lost' })]);
  assert.match(taken, /Paid \$15\.00 Taken back by the bank \$15\.00 .*Refunds .*\$15\.00/);
});

test('missing settings are named in test mode alone', () => {
  const missing = ['Card: STRIPE_LIVE_SECRET_KEY and <b>'];
  const said = (given: Partial<Visit>) =>
    pageOf(visit({ missing, ...given }), '').includes('Not set up yet:');
  const live = checkout({ tenant: { account: 1, mode: 'live' } });
  assert.ok(said({}));
  for (const offers of [undefined, []]) {
    const page = pageOf(visit({ missing, checkout: live, ...(offers && { offers }) }), '');
    assert.ok(!page.includes('Not set up') && !page.includes('STRIPE'));
  }
  assert.ok(!said({ missing: [] }));
  const page = pageOf(visit({ missing, offers: [] }), '');
  assert.ok(page.includes('<li>Card: STRIPE_LIVE_SECRET_KEY and &lt;b&gt;</li>'));
});

test('a page behind a proxy with a path of its own keeps to that path', () => {
  const page = pageOf(visit({ path: '/shop/pay/transaction/token1' }), '/shop/pay');
  for (const [, address = ''] of page.matchAll(/(?:href|src|action)="(\/[^"]*)"/g)) {
    assert.match(address, /^\/shop\/pay\//);
  }
});

test('a session whose time is over is shown so before anybody has written it down', async () => {
  const database = await freshTestDatabase();
  let nowMs = Date.now();
  const config = readConfig({ DATABASE_URL: database.url, LOG_LEVEL: 'silent' });
  // The service is not started: no worker runs, so only the page can notice.
  const service = await createService(config, { realNow: () => nowMs });
  const { number } = await createAccount(service.store, 'Acme', nowMs);
  const tenant = { account: number, mode: 'test' } as const;
  const { secret } = await createApiKey(service.store, {
    tenant,
    permissions: allPermissions,
    name: '',
    nowMs,
  });
  const created = await service.app.inject({
    method: 'POST',
    url: '/v3/checkout',
    headers: { authorization: `Bearer ${secret}` },
    payload: { invoice_currency: 'EUR', amount: 100, expires_at: new Date(nowMs + 60_000).toISOString() },
  });
  const { pathname } = new URL(created.json().data.url);
  const look = async () => /data-state="(\w+)"/.exec((await service.app.inject(pathname)).body)?.[1];
  nowMs += 59_999;
  assert.equal(await look(), 'payable');
  nowMs += 1;
  assert.equal(await look(), 'expired');
  const stored = await service.store.checkouts.fetch(tenant, created.json().data.id);
  assert.deepEqual(stored?.lifecycle, { state: 'expired', at: nowMs, by: 'time' });
  await service.stop();
  await database.remove();
});

test('a list of more than six items is folded', () => {
  const page = (count: number) => {
    const items = Array.from({ length: count }, () => ({ name: 'Tea', quantity: 1, unitPrice: 100 }));
    return pageOf(visit({ checkout: checkout({ items }) }), '');
  };
  assert.ok(!page(6).includes('All items'));
  assert.ok(page(7).includes('<summary>All items (7)</summary>'));
});

test('a text of a merchant keeps its lines', () => {
  const items = [{ name: 'Widget', quantity: 1, unitPrice: 1000, description: 'Blue\r\n<Large>\n' }];
  const page = pageOf(visit({ checkout: checkout({ items, description: 'For\nyou' }) }), '');
  assert.ok(page.includes('<bdi>Blue<br>&lt;Large&gt;<br></bdi>'));
  assert.ok(page.includes('<bdi>For<br>you</bdi>'));
});
