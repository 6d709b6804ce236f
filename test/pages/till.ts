/** A service with a browser in front of it: sessions are made through the API, pages are looked at as payers do. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { readConfig } from '../../src/config.ts';
import { createAccount, createApiKey, keyScopes } from '../../src/keys.ts';
import { createService, type Service } from '../../src/main.ts';
import { launchBrowser } from '../support/browser.ts';

export type Session = { readonly id: string; readonly url: string; readonly [field: string]: unknown };

export type Till = Awaited<ReturnType<typeof openTill>>;

type Options = { readonly payee?: string; readonly browser?: boolean; readonly rateLimit?: number };

export async function openTill({
  payee = 'Acme Coffee',
  browser: withBrowser = true,
  rateLimit = 0,
}: Options = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'opentill-pages-'));
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const config = readConfig({
    PORT: String(port),
    DATABASE_URL: `sqlite:${join(directory, 'till.db')}`,
    LOG_LEVEL: 'silent',
    RATE_LIMIT: String(rateLimit),
  });
  const service: Service = await createService(config);
  const account = await createAccount(service.store, payee, Date.now());
  const [testKey, liveKey] = await Promise.all(
    (['test', 'live'] as const).map((mode) =>
      createApiKey(service.store, {
        scope: { account: account.number, mode },
        scopes: keyScopes,
        name: 'pages',
        nowMs: Date.now(),
      }),
    ),
  );
  await service.start();
  const browser: Browser | null = withBrowser ? await launchBrowser() : null;

  async function api(method: string, path: string, body?: object, key = testKey): Promise<Session> {
    const response = await fetch(`${base}/v3${path}`, {
      method,
      headers: { authorization: `Bearer ${key?.secret}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const answer = (await response.json()) as { data: Session };
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer.data;
  }

  return {
    base,
    service,
    account,
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
      await service.stop();
      await rm(directory, { recursive: true });
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

/** Addresses in answers need the port before the service listens. */
async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}
