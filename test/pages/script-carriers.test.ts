/**
 * Scripts of others: whatever names, texts, addresses and metadata carry is shown as text on every page that shows it, and
 * nothing of it runs, not even in a browser that ignores the policy of the page.
 */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { evidence } from '../support/evidence.ts';
import { scaled } from '../support/scale.ts';
import { seed } from '../support/seed.ts';
import { refusedAddresses, storedAddresses, texts } from './script-carriers.ts';
import { openTill, type Session, type Till } from './till.ts';

/**
 * Carriers that take pages of their own: `npm test` tries this many, others each time; longer runs try all.
 */
const PAGES = scaled(1);
const MOST_ITEMS = 100;

const figures = { tried: 0, pages: 0, stored: 0, run: 0, run_where_nothing_escapes: 0 };

let till: Till;
before(async () => {
  till = await openTill({ payee: `Shop ${texts.slice(0, 3).join(' ')}` });
});
after(() => till.close());

/** A part of them that differs from run to run. */
function someOf<T>(all: readonly T[], count = PAGES): readonly T[] {
  const from = seed % all.length;
  return [...all.slice(from), ...all.slice(0, from)].slice(0, count);
}

/** Does to every element what a handler may wait for, but for going away. */
const TOUCH_ALL = `
  addEventListener('click', (event) => event.preventDefault(), true);
  addEventListener('submit', (event) => event.preventDefault(), true);
  for (const element of document.querySelectorAll('*'))
    for (const deed of ['mouseover', 'pointerenter', 'focus', 'click', 'keydown', 'toggle', 'animationstart'])
      element.dispatchEvent(new Event(deed, { bubbles: true, cancelable: true }));`;

/** Elements and attributes by which something could run. */
const CARRIERS = `
  Array.from(document.querySelectorAll('*')).flatMap((element) => {
    const ours = element.matches('script[src^="/assets/"]:empty, link[rel=icon]');
    const isElement = /^(script|style|iframe|frame|object|embed|base|img|image|video|audio|portal)$/i.test(element.localName);
    const bad = Array.from(element.attributes).filter(({ name, value }) =>
      /^(on|style$|srcdoc|srcset)/i.test(name) ||
      (/^(href|src|action|formaction|xlink:href|data)$/i.test(name) &&
        !/^(https?:[/][/]|[/](transaction|assets|docs)\\b|[?]lang=)/.test(value)));
    return !ours && (isElement || bad.length > 0) ? element.outerHTML : [];
  })`;

type Watched = { readonly page: Page; runs(): number; close(): Promise<void> };

/** A page in a browser that runs whatever stands there: the policy of our pages would hide what is not escaped. */
async function watchedPage(options: BrowserContextOptions = {}): Promise<Watched> {
  const page = await till.page({ bypassCSP: true, ...options });
  const context = page.context();
  let runs = 0;
  await context.exposeBinding('hacked', () => {
    runs++;
  });
  // Requests to other hosts end here; a script that is loaded from elsewhere is seen as well.
  await context.route(
    ({ origin }) => origin !== till.base,
    (route) => route.fulfill({ contentType: 'text/javascript', body: 'hacked()' }),
  );
  return { page, runs: () => runs, close: () => context.close() };
}

/** Says the text of the page on which the browser is: nothing on it could run, and nothing has. */
async function harmless({ page, runs }: Watched, what: string): Promise<string> {
  const carriers = await page.evaluate(CARRIERS);
  const text = (await page.locator('html').textContent()) ?? '';
  await page.evaluate(TOUCH_ALL);
  figures.pages++;
  figures.run += runs();
  assert.equal(runs(), 0, `${what}: a script has run`);
  assert.deepEqual(carriers, [], what);
  return text;
}

/** Pages that show the session, each with these texts. */
async function assertShown(watched: Watched, session: Session, shown: readonly string[]): Promise<void> {
  for (const rest of ['', '?lang=ar', '/receipt']) {
    await watched.page.goto(session.url + rest);
    const text = await harmless(watched, rest);
    for (const each of shown) assert.ok(text.includes(each), `${rest} does not show ${each}`);
  }
}

const itemOf = (text: string) => ({
  name: text,
  description: `${text}\n${text}`,
  quantity: 1,
  unit_price: 9,
});

/** All other fields of a session, with the text wherever it fits. */
function writtenWith(text: string): object {
  const short = text.slice(0, 32);
  const address = { line1: text, line2: text, city: text.slice(0, 100), state: short, postal_code: short };
  const contact = { name: text, label: text.slice(0, 100), phone: { number: short }, address };
  const details = { billing_details: contact, shipping_details: contact };
  return {
    ...details,
    customer_details: { name: text, email: 'ada@example.com', phone: { number: short }, ...details },
    transaction_description: text,
    reference_id: text.slice(0, 128),
    metadata: { note: text, [text]: { [text]: [text] } },
    success_url: `https://shop.example/?${encodeURIComponent(text)}`,
    cancel_url: `https://shop.example/#${encodeURIComponent(text)}`,
  };
}

suite('scripts of others', () => {
  test('run where nothing escapes them, so that the other tests would see it', async () => {
    const watched = await watchedPage();
    const ran = new Set<string>();
    await watched.page.context().exposeBinding('ran', (_source, name: string) => {
      ran.add(name);
    });
    await watched.page.goto(`${till.base}/livez`);
    for (const text of new Set(['<script>hacked()</script>', ...someOf(texts, 10 * PAGES)])) {
      await watched.page.evaluate(
        `document.body.innerHTML = '<iframe>';
        const inner = document.querySelector('iframe').contentWindow;
        inner.hacked = () => ran(${JSON.stringify(text)});
        inner.document.write('<body>' + ${JSON.stringify(text)});
        inner.document.close();
        inner.eval(${JSON.stringify(TOUCH_ALL)});
        new Promise((resolve) => setTimeout(resolve, 20));`,
      );
    }
    await watched.close();
    figures.run_where_nothing_escapes = ran.size;
    assert.ok(ran.has('<script>hacked()</script>'));
  });

  test('are text where a session consists of them', async () => {
    const watched = await watchedPage();
    for (let from = 0; from < texts.length; from += MOST_ITEMS) {
      const some = texts.slice(from, from + MOST_ITEMS);
      const session = await till.session({ ...writtenWith(some[0] ?? ''), items: some.map(itemOf) });
      await till.pay(session.id, { amount: 1, payment_id: some[0] });
      await assertShown(watched, session, some);
      figures.tried += some.length;
    }
    await watched.close();
  });

  test('are text wherever a session has one of them', async () => {
    const watched = await watchedPage();
    for (const text of someOf(texts)) {
      const session = await till.session({ ...writtenWith(text), amount: 500, items: undefined });
      await till.pay(session.id, { amount: 1, payment_id: `alone ${text}` });
      await assertShown(watched, session, [text]);
      figures.tried++;
    }
    await watched.close();
  });

  test('are text where they come while somebody looks', async () => {
    const watched = await watchedPage();
    const { page } = watched;
    const session = await till.session();
    await page.goto(session.url);
    const some = someOf(texts, MOST_ITEMS);
    await till.api('PUT', `/checkout/${session.id}`, { items: some.map(itemOf) });
    // The name of the shop is one of the texts, too: what was there before has to go.
    await page.waitForFunction('!document.querySelector("main").textContent.includes("Canvas bag")');
    const text = await harmless(watched, 'a page that is open');
    for (const each of some) assert.ok(text.includes(each), each);
    figures.tried += some.length;
    await watched.close();
  });

  test('are no document where a browser asks for answers of the API', async () => {
    const { authorization } = till;
    const watched = await watchedPage({ extraHTTPHeaders: { authorization } });
    for (const text of someOf(texts)) {
      const session = await till.session({ ...writtenWith(text), items: [itemOf(text)] });
      for (const path of [
        `checkout/${session.id}`,
        `checkout?${encodeURIComponent(text)}=1`,
        'event?limit=1',
      ]) {
        await watched.page.goto(`${till.base}/v3/${path}`);
        await watched.page.evaluate(TOUCH_ALL);
        assert.equal(
          await watched.page.locator('body > :not(pre, .json-formatter-container)').count(),
          0,
          path,
        );
        assert.equal(watched.runs(), 0, path);
      }
      figures.tried++;
    }
    await watched.close();
  });

  test('are not even on pages whose address has them', async () => {
    const watched = await watchedPage();
    const session = await till.session();
    for (const text of someOf(texts)) {
      const part = encodeURIComponent(text);
      for (const path of [`/transaction/${part}`, `/receipt/${part}`, `/transaction/none/${part}`]) {
        await watched.page.goto(till.base + path);
        assert.ok(!(await harmless(watched, path)).includes(text), path);
      }
      await watched.page.goto(`${session.url}?lang=${part}&${part}=${part}#${part}`);
      await harmless(watched, 'query');
      figures.tried++;
    }
    await watched.close();
  });

  test('are not even on the answer to a form that has them', async () => {
    const watched = await watchedPage();
    const { page } = watched;
    const session = await till.session();
    for (const text of someOf(texts)) {
      for (const action of ['pay', 'step', 'cancel_attempt']) {
        await page.goto(session.url);
        const fields = Object.fromEntries(
          ['method', 'outcome', 'once', 'seen', 'attempt', text].map((name) => [name, text]),
        );
        await Promise.all([
          page.waitForEvent('load'),
          page.evaluate(`{
            const form = document.createElement('form');
            Object.assign(form, { method: 'post', action: ${JSON.stringify(`${session.url}/${action}`)} });
            for (const [name, value] of Object.entries(${JSON.stringify(fields)}))
              form.append(Object.assign(document.createElement('input'), { name, value }));
            document.body.append(form);
            form.submit();
          }`),
        ]);
        await harmless(watched, action);
      }
      figures.tried++;
    }
    await watched.close();
  });
});

suite('addresses that carry scripts', () => {
  const fields = ['success_url', 'cancel_url', 'webhook_url'];

  test('are refused in every field, and nothing is stored', async () => {
    const countOf = async (path: string) => (await till.ask('GET', `/${path}?limit=100`)).json.data.length;
    const session = await till.session({}, 'test');
    const before = [await countOf('checkout'), await countOf('webhook_endpoint')];
    for (const address of refusedAddresses) {
      for (const field of fields) {
        const { status, json } = await till.ask('POST', '/checkout', {
          invoice_currency: 'EUR',
          amount: 100,
          [field]: address,
        });
        if (status !== 400) figures.stored++;
        assert.equal(status, 400, `${field} ${address}`);
        assert.deepEqual(
          json.errors.map(({ remarks }: { remarks: string }) => remarks),
          [`/${field}`],
        );
      }
      for (const [path, body] of [
        ['/webhook_endpoint', { url: address }],
        ['/refund', { payin: session.id, webhook_url: address }],
      ] as const) {
        const { status } = await till.ask('POST', path, body);
        assert.equal(status, 400, `${path} ${address}`);
      }
      figures.tried++;
    }
    assert.deepEqual([await countOf('checkout'), await countOf('webhook_endpoint')], before);
  });

  test('stay one address where they are a good one', async () => {
    const watched = await watchedPage();
    for (const address of someOf(storedAddresses)) {
      const session = await till.session({ success_url: address, cancel_url: address });
      for (const paid of [false, true]) {
        if (paid) await till.pay(session.id);
        await watched.page.goto(session.url);
        await harmless(watched, address);
        const links = await watched.page.evaluate('Array.from(document.links, ({ href }) => href)');
        assert.ok(Array.isArray(links) && links.includes(new URL(address).href), `${address} in ${links}`);
      }
      figures.tried++;
    }
    await watched.close();
  });
});

test('no script was stored as an address, and none has run', (t) => {
  const payloads = texts.length + refusedAddresses.length + storedAddresses.length;
  assert.equal(new Set([...texts, ...refusedAddresses, ...storedAddresses]).size, payloads);
  assert.ok(payloads >= 100);
  evidence(t, 'hostile-pages', { payloads, ...figures });
  assert.equal(figures.run + figures.stored, 0);
});
