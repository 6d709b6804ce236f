/** A service with a browser in front of it: sessions are made through the API, pages are looked at as payers do. */
import assert from 'node:assert/strict';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { createAccount } from '../../src/keys.ts';
import { launchBrowser } from '../support/browser.ts';
import { startService } from '../support/service.ts';

export type Session = { readonly id: string; readonly url: string; readonly [field: string]: unknown };

export type Till = Awaited<ReturnType<typeof openTill>>;

type Options = { readonly payee?: string; readonly browser?: boolean; readonly rateLimit?: number };

export async function openTill({
  payee = 'Acme Coffee',
  browser: withBrowser = true,
  rateLimit = 0,
}: Options = {}) {
  const ends: Array<() => Promise<void>> = [];
  const { service, url, createKey, call } = await startService(
    { after: (hook) => ends.push(hook) },
    { env: { RATE_LIMIT: String(rateLimit) } },
  );
  const { number: account } = await createAccount(service.store, payee, Date.now());
  const testKey = await createKey({ account });
  const liveKey = await createKey({ account, mode: 'live' });
  const browser = withBrowser ? await launchBrowser() : null;

  async function api(method: string, path: string, body?: object, key = testKey): Promise<Session> {
    const { authorization } = key;
    const answer = await call(method, `/v3${path}`, {
      headers: { authorization },
      ...(body ? { body } : {}),
    });
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.json.data;
  }

  return {
    base: url,
    api,
    /** A new session over two coffees and a bag, 42.50 EUR, unless told otherwise. */
    session: (fields: object = {}, mode: 'test' | 'live' = 'test') =>
      api('POST', '/checkout', { ...order, ...fields }, mode === 'live' ? liveKey : testKey),
    fetch: (id: string) => api('GET', `/checkout/${id}`),
    pay: (id: string, fields: object = {}) => api('POST', `/test_helpers/checkout/${id}/pay`, fields),
    advance: (seconds: number) => api('POST', '/test_helpers/clock/advance', { seconds }),
    /** A page in a browser of its own, with no memory of others. */
    async page(options: BrowserContextOptions = {}): Promise<Page> {
      assert.ok(browser, 'this till was opened without a browser');
      const context = await browser.newContext({ locale: 'en-US', ...options });
      return context.newPage();
    },
    async close(): Promise<void> {
      await browser?.close();
      for (const end of ends) await end();
    },
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
