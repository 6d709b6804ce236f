/** A service with a browser in front of it: sessions are made through the API, pages are looked at as payers do. */

import assert from 'node:assert/strict';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { createAccount } from '../../src/accounts/account.ts';
import { type AccountSettings, defaultSettings } from '../../src/accounts/settings.ts';
import type { CheckoutId } from '../../src/checkout/ids.ts';
import { decimalAmount } from '../../src/checkout/money.ts';
import type { Mode } from '../../src/checkout/tenant.ts';
import { until } from '../api/shop.ts';
import { launchBrowser } from '../support/browser.ts';
import { configureAccount } from '../support/configure.ts';
import { startService } from '../support/service.ts';
import type { StripeStandIn } from '../support/stripe-stand-in.ts';

export type Session = { readonly id: CheckoutId; readonly url: string; readonly [field: string]: unknown };

export type Till = Awaited<ReturnType<typeof openTill>>;

type Options = {
  readonly payee?: string;
  readonly browser?: boolean;
  readonly rateLimit?: number;
  /** Takes cards in both modes. */
  readonly stripe?: StripeStandIn;
};

/** The number of the account with the pages; the service has one before. */
const ACCOUNT = 2;

export async function openTill({
  payee = 'Acme Coffee',
  browser: withBrowser = true,
  rateLimit = 0,
  stripe,
}: Options = {}) {
  const ends: Array<() => Promise<void>> = [];
  const { service, url, createKey, call } = await startService(
    { after: (hook) => ends.push(hook) },
    { env: { ADDRESS_RATE_LIMIT: String(rateLimit), ...(stripe ? stripeSettings(stripe) : {}) } },
  );
  const { number: account } = await createAccount(service.store, payee, Date.now());
  assert.equal(account, ACCOUNT);
  const testKey = await createKey({ account });
  const liveKey = await createKey({ account, mode: 'live' });
  const browser = withBrowser ? await launchBrowser() : null;

  const ask = (method: string, path: string, body?: object, { authorization } = testKey) =>
    call(method, `/v3${path}`, { headers: { authorization }, ...(body ? { body } : {}) });

  async function api(method: string, path: string, body?: object, key = testKey): Promise<Session> {
    const answer = await ask(method, path, body, key);
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.json.data;
  }

  let statements = 0;

  return {
    base: url,
    /** Credentials of the account in test mode. */
    authorization: testKey.authorization,
    api,
    /** The same for what may be refused. */
    ask,
    /** Changes the account's settings in this mode. */
    async configure(settings: Partial<AccountSettings>, mode: Mode = 'test'): Promise<void> {
      const tenant = { account, mode };
      assert.ok(await configureAccount(service.store, tenant, { ...defaultSettings, ...settings }));
    },
    /** A statement of the bank comes in that shows a transfer in EUR with this text. */
    async transfer(amount: number, text: string): Promise<void> {
      statements += 1;
      const { authorization } = testKey;
      const body = statementOf(`B${statements}`, amount, text);
      const headers = { authorization, 'content-type': 'text/plain' };
      const answer = await call('POST', '/v3/bank_statement', { body, headers });
      assert.ok(answer.status < 300, answer.text);
    },
    /** A new session over two coffees and a bag, 42.50 EUR, unless told otherwise. */
    session: (fields: object = {}, mode: 'test' | 'live' = 'test') =>
      api('POST', '/checkout', { ...order, ...fields }, mode === 'live' ? liveKey : testKey),
    fetch: (id: string) => api('GET', `/checkout/${id}`),
    pay: (id: string, fields: object = {}) => api('POST', `/test_helpers/checkout/${id}/pay`, fields),
    advance: (seconds: number) => api('POST', '/test_helpers/clock/advance', { seconds }),
    /** Looks at the address until its page says this: what the worker does takes a moment. */
    async until(address: string, pattern: RegExp): Promise<void> {
      await until(async () => pattern.test(await (await fetch(address)).text()));
    },
    /** A page in a browser of its own, with no memory of others. */
    async page(options: BrowserContextOptions = {}): Promise<Page> {
      assert.ok(browser, 'this till was opened without a browser');
      const context = await browser.newContext({ locale: 'en-US', ...options });
      return context.newPage();
    },
    /** Closes the pages of a test: those that are open go on asking for their sessions. */
    async closePages(): Promise<void> {
      await Promise.all((browser?.contexts() ?? []).map((context) => context.close()));
    },
    async close(): Promise<void> {
      await browser?.close();
      for (const end of ends) await end();
    },
  };
}

/** MT940 with one entry, whose reference of the bank is `name`. */
function statementOf(name: string, amount: number, text: string): string {
  const figures = decimalAmount(amount, 'EUR').replace('.', ',');
  return [
    `:20:${name}`,
    ':25:DE89370400440532013000',
    ':28C:1/1',
    ':60F:C300115EUR0,00',
    `:61:3001150115C${figures}NTRFNONREF//${name}`,
    `:86:${text}`,
    `:62F:C300115EUR${figures}`,
    '-',
    '',
  ].join('\r\n');
}

function stripeSettings({ url, keys }: StripeStandIn): NodeJS.ProcessEnv {
  return {
    STRIPE_TEST_SECRET_KEY: keys.test.secretKey,
    STRIPE_TEST_WEBHOOK_SECRET: keys.test.webhookSecret,
    STRIPE_LIVE_SECRET_KEY: keys.live.secretKey,
    STRIPE_LIVE_WEBHOOK_SECRET: keys.live.webhookSecret,
    STRIPE_ACCOUNT: String(ACCOUNT),
    STRIPE_API_URL: url,
  };
}

/** The text of the one element that the selector names. */
export async function textIn(page: Page, selector: string): Promise<string> {
  return (await page.locator(selector).textContent()) ?? '';
}

export const order = {
  invoice_currency: 'EUR',
  items: [
    {
      name: 'Filter coffee, Ethiopia Yirgacheffe',
      quantity: 2,
      unit_price: 1450,
      description: '250 g, whole beans',
    },
    { name: 'Canvas bag', quantity: 1, unit_price: 1350 },
  ],
  success_url: 'https://shop.example/thanks',
  cancel_url: 'https://shop.example/basket',
};
