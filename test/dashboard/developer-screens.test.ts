/** Screens for developers, of people and of settings, in a browser: everyone can use them, at 320 px and wide, light and dark. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createEndpoint, deliveries, updateEndpoint } from '../api/endpoint.ts';
import { startReceiver } from '../api/receiver.ts';
import { createSession, until } from '../api/shop.ts';
import { providerEvent, write } from '../store/build.ts';
import { looks, overflowOf, violationsOf } from '../support/axe.ts';
import { launchBrowser } from '../support/browser.ts';
import { formIn, signedInVisitor } from '../support/dashboard.ts';
import { startService } from '../support/service.ts';

const BASE = '/dashboard/1/test';
/** A folder for pictures of all screens, for people to look at. */
const { OPENTILL_TEST_PICTURES: pictures } = process.env;

const service = await startService({ after }, { requestLogMs: 1 });
const { visitor } = await signedInVisitor(service);
const browser = await launchBrowser();
after(() => browser.close());

/** Something on every screen: a receiver that fails, a delivery that was given up, an account, credentials. */
async function furnish() {
  const receiver = await startReceiver({ after }, () => ({
    status: 503,
    body: 'Out of order.\nCome again.',
  }));
  const endpoint = await createEndpoint(service, { url: receiver.url, description: 'Order system' });
  await createEndpoint(service, { url: 'https://shop.example.com/webhooks/opentill', events: ['refund.*'] });
  const session = await createSession(service);
  await until(async () => (await deliveries(service, `&checkout=${session.id}`))[0]?.attempts === 1);
  await updateEndpoint(service, endpoint.id, { status: 'disabled' });
  await until(async () => (await deliveries(service, '&status=failed')).length > 0);
  await updateEndpoint(service, endpoint.id, { status: 'enabled' });
  await createSession(service);
  const account = {
    currency: 'EUR',
    holder: { name: 'Muster Handels GmbH', country: 'DE' },
    iban: 'DE89370400440532013000',
  };
  await service.call('PUT', '/v3/receiving_account/eur', { body: account });
  const secrets = { secret_key: 'rk_test_own0key0of0a0shop', webhook_secret: 'whsec_own0secret0of0a0shop' };
  await service.call('PUT', '/v3/rail_credentials/stripe', { body: secrets });
  const [delivery] = await deliveries(service, '&status=failed');
  const ada = {
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    billing: [{ address: { line1: '12 St James’s Square' } }],
  };
  const { json: customer } = await service.call('POST', '/v3/customer', { body: ada });
  const person = customer.data.id;
  const request = {
    body: { items: [{ name: '', quantity: 0 }] },
    headers: { 'x-request-id': 'req_shown-1' },
  };
  await service.call('POST', '/v3/checkout', request);
  await until(async () => (await service.call('GET', '/v3/request?status=400')).json.data.length > 0);
  const event = providerEvent('evt_1', {
    state: 'open',
    dueAt: null,
    tries: 9,
    reason: 'no_session',
    body: '{"type":"charge.failed"}',
  });
  await write(service.service.store, { account: 1, mode: 'test' }, { providerEvent: event });
  await createSession(service, { customer: person });
  return { endpoint, delivery, person };
}

const { endpoint, delivery, person } = await furnish();

const screens: Readonly<Record<string, string>> = {
  overview: '/overview',
  'first-hour': '/../live/overview',
  keys: '/keys',
  webhooks: '/webhooks',
  filtered: '/webhooks?status=failed&checkout=nonsense',
  'new-endpoint': '/webhooks/new-endpoint',
  endpoint: `/webhooks/endpoints/${endpoint.id}`,
  delivery: `/webhooks/deliveries/${delivery.id}`,
  people: '/people',
  person: `/people/${person}`,
  nobody: '/people?email=nobody@example.com',
  log: '/log',
  requests: '/requests?status=4xx',
  request: '/requests/req_shown-1',
  'provider-events': '/provider-events',
  settings: '/settings',
  retention: '/settings/retention?webhook_log_days=4',
  'new-receiving-account': '/settings/new-receiving-account',
  'receiving-account': '/settings/receiving-accounts/eur',
  credentials: '/settings/credentials/stripe',
};

async function pageWith(
  width: number,
  colorScheme: 'light' | 'dark',
  javaScriptEnabled = true,
): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme,
    javaScriptEnabled,
    locale: 'en-US',
  });
  const [name = '', value = ''] = visitor.cookie().split(/=(.*)/s);
  await context.addCookies([{ name, value, domain: '127.0.0.1', path: '/', secure: true }]);
  return context.newPage();
}

for (const { colorScheme, width } of looks(process.env.OPENTILL_TEST_DATABASE))
  test(`axe finds nothing at ${width} px, ${colorScheme}`, async () => {
    const page = await pageWith(width, colorScheme);
    const look = async (name: string) => {
      for (const each of await page.locator('main details summary').all()) await each.click();
      if (pictures !== undefined)
        await page.screenshot({
          path: join(pictures, `${name}-${width}-${colorScheme}.png`),
          fullPage: true,
        });
      assert.deepEqual(await violationsOf(page), [], name);
      assert.equal(await overflowOf(page), 0, `${name} is too wide`);
    };
    for (const [name, path] of Object.entries(screens)) {
      const answer = await page.goto(service.url + BASE + path);
      assert.notEqual(answer?.status(), 404, name);
      await look(name);
    }
    await page.goto(`${service.url + BASE}/keys`);
    await page.getByRole('button', { name: 'Create the key' }).click();
    await page.getByText('permissions must have at least 1 element.').waitFor();
    await look('mistakes');
    await page.getByLabel('Name', { exact: true }).fill(`Till ${width}`);
    await page.getByLabel(/^read:/).check();
    await page.getByRole('button', { name: 'Create the key' }).click();
    await page.getByRole('heading', { name: 'Your new key' }).waitFor();
    await look('new-key');
    await page.context().close();
  });

test('a failed delivery is sent again with two clicks, without JavaScript', async () => {
  const page = await pageWith(1280, 'light', false);
  await page.goto(`${service.url + BASE}/log`);
  await page.getByRole('link', { name: 'Webhooks' }).click();
  const row = page.locator('tr', { has: page.locator(`a[href$="${delivery.id}"]`) });
  await row.getByRole('button', { name: 'Resend' }).click();
  await page.getByText('The event is sent again.').waitFor();
  await page.context().close();
});

test('what the browser sends is what the tests without one send', async () => {
  const path = `${BASE}/webhooks/endpoints/${endpoint.id}`;
  const page = await pageWith(1280, 'light');
  await page.goto(service.url + path);
  const sent = await page.evaluate(
    `Object.fromEntries(new FormData(document.querySelector('form[action$="${endpoint.id}"]')))`,
  );
  const { form_token: _, ...fields } = formIn(await visitor.get(path), endpoint.id).fields;
  const { form_token: _token, ...real } = Object(sent);
  assert.deepEqual(real, fields);
  await page.context().close();
});
