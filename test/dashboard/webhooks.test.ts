/** Deliveries of webhooks in the dashboard: found, looked at, and sent again. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { createEndpoint, deliveries, settled, updateEndpoint } from '../api/endpoint.ts';
import { type Receiver, startReceiver } from '../api/receiver.ts';
import { advance, createSession, type Data, until } from '../api/shop.ts';
import { texts } from '../pages/script-carriers.ts';
import { formIn, type Page, textOf } from '../support/dashboard.ts';
import { startService } from '../support/service.ts';
import {
  assertForbidden,
  assertNotElsewhere,
  assertSameShape,
  assertTokenNeeded,
  visitorsOf,
} from './roles.ts';

const LIST = '/dashboard/1/test/webhooks';
const SECRET = /whsec_[\w+/=-]+/;

const service = await startService({ after });
const visitors = await visitorsOf(service);
const { owner, support, read_only: reader, finance } = visitors;

/** An endpoint whose receiver answers as it is told to, by default with an error. */
async function failingEndpoint(t: { after(hook: () => void): void }, body = 'out of order') {
  const state = { status: 503, body };
  const receiver = await startReceiver(t, () => state);
  const endpoint = await createEndpoint(service, { url: receiver.url, events: ['checkout.created'] });
  return { state, receiver, endpoint };
}

/** A delivery to it that has failed for good: an endpoint that is disabled gives up what is pending. */
async function failedDelivery({ receiver, endpoint }: { receiver: Receiver; endpoint: Data }) {
  const { length } = receiver.deliveries;
  const session = await createSession(service);
  await receiver.received(length + 1);
  await until(async () => (await deliveries(service, `&checkout=${session.id}`))[0]?.attempts === 1);
  await updateEndpoint(service, endpoint.id, { status: 'disabled' });
  const ofSession = () => deliveries(service, `&status=failed&checkout=${session.id}`);
  await until(async () => (await ofSession()).length === 1);
  await updateEndpoint(service, endpoint.id, { status: 'enabled' });
  const [delivery] = await ofSession();
  return { session, delivery };
}

const remove = (endpoint: Data) => service.call('DELETE', `/v3/webhook_endpoint/${endpoint.id}`);
const hrefIn = ({ html }: Page, pattern: RegExp): string =>
  (pattern.exec(html)?.[1] ?? assert.fail(`no ${pattern}`)).replaceAll('&amp;', '&');

suite('deliveries', () => {
  test('that have failed are sent again with two clicks from the first screen', async (t) => {
    const failing = await failingEndpoint(t);
    const { delivery } = await failedDelivery(failing);
    failing.state.status = 200;
    const first = await support.follow(support.get('/dashboard/1/test/log'));
    const list = await support.get(hrefIn(first, /<a href="([^"]*)"[^>]*>Webhooks</));
    const page = await support.follow(support.submit(list, `/deliveries/${delivery.id}/resend`));
    assert.match(textOf(page), /The event is sent again\./);
    await failing.receiver.received(2);
    await settled(service);
    const [resent] = await deliveries(service, `&event=${delivery.event}`);
    assert.deepEqual([resent.id, resent.status], [delivery.id, 'delivered']);
    await remove(failing.endpoint);
  });

  test('are sent again once by a form that is sent twice', async (t) => {
    const failing = await failingEndpoint(t);
    const { delivery } = await failedDelivery(failing);
    const list = await support.get(LIST);
    const action = `/deliveries/${delivery.id}/resend`;
    await support.submit(list, action);
    await failing.receiver.received(2);
    await until(async () => (await deliveries(service, `&event=${delivery.event}`))[0]?.attempts === 2);
    assert.equal((await support.submit(list, action)).status, 303);
    const [once] = await deliveries(service, `&event=${delivery.event}`);
    assert.equal(once.attempts, 2);
    await remove(failing.endpoint);
  });

  test('show their attempts, what was sent and what was answered', async (t) => {
    const failing = await failingEndpoint(t, 'No room at the <b>inn</b>');
    const { session, delivery } = await failedDelivery(failing);
    const list = await reader.get(`${LIST}?checkout=${session.id}`);
    const page = await reader.get(hrefIn(list, /<a href="([^"]*\/deliveries\/[^"]*)"/));
    const text = textOf(page);
    for (const part of [delivery.id, delivery.event, session.id, failing.receiver.url, 'status 503'])
      assert.ok(text.includes(part), part);
    assert.ok(text.includes('No room at the <b>inn</b>'));
    assert.ok(!page.html.includes('<b>inn'));
    assert.ok(text.includes('"type": "checkout.created"'));
    assert.doesNotMatch(page.html, SECRET);
    await remove(failing.endpoint);
    const deleted = await reader.get(`${LIST}/deliveries/${delivery.id}`);
    assert.match(textOf(deleted), /Receiver a deleted endpoint/);
  });

  test('are found by their state, endpoint, session, event and day', async (t) => {
    const failing = await failingEndpoint(t);
    const { session, delivery } = await failedDelivery(failing);
    const other = await failedDelivery(failing);
    const idsIn = async (query: string) => {
      const page = await reader.get(`${LIST}?${query}`);
      assert.equal(page.status, 200, textOf(page));
      return [...page.html.matchAll(/<a href="[^"]*\/deliveries\/(whd_\w+)"/g)].map(([, id]) => id);
    };
    const both = [other.delivery.id, delivery.id];
    const ofEndpoint = `endpoint=${failing.endpoint.id}`;
    assert.deepEqual(await idsIn(ofEndpoint), both);
    assert.deepEqual(await idsIn(`${ofEndpoint}&status=failed&checkout=&event=&from=&before=`), both);
    assert.deepEqual(await idsIn(`${ofEndpoint}&status=delivered`), []);
    assert.deepEqual(await idsIn(`checkout=${session.id}`), [delivery.id]);
    assert.deepEqual(await idsIn(`event=${delivery.event}`), [delivery.id]);
    const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    assert.deepEqual(await idsIn(`${ofEndpoint}&from=${day(-1)}&before=${day(2)}`), both);
    assert.deepEqual(await idsIn(`${ofEndpoint}&from=${day(2)}`), []);
    assert.deepEqual(await idsIn(`${ofEndpoint}&before=${day(-1)}`), []);
    await remove(failing.endpoint);
  });

  test('are not found by filters that mean nothing, which stay in their fields', async () => {
    const page = await reader.get(`${LIST}?checkout=nonsense&from=2026-02-30&status=failed`);
    assert.equal(page.status, 422);
    assert.match(page.html, /id="field-checkout-wrong">checkout has characters/);
    assert.match(page.html, /id="field-from-wrong">created_at\[gte\] must be a real date/);
    assert.match(page.html, /name="checkout"[^>]* value="nonsense"/);
    assert.match(page.html, /<option value="failed" selected>/);
    assert.equal((await reader.get(`${LIST}?status=lost`)).status, 422);
    const lost = await reader.get(`${LIST}?after=nonsense`);
    assert.equal(lost.status, 422);
    assert.match(lost.html, /<div class="alert" role="alert"><p>after has characters/);
  });

  test('come in pages that keep the filters', async (t) => {
    const receiver = await startReceiver(t);
    const endpoint = await createEndpoint(service, { url: receiver.url, events: ['checkout.created'] });
    for (let i = 0; i < 21; i++) await createSession(service);
    await settled(service);
    const first = await reader.get(`${LIST}?endpoint=${endpoint.id}`);
    const second = await reader.get(hrefIn(first, /<a href="([^"]*)">Older</));
    const count = ({ html }: Page) => html.match(/<a href="[^"]*\/deliveries\//g)?.length;
    assert.deepEqual([count(first), count(second)], [20, 1]);
    assert.equal(hrefIn(second, /<a href="([^"]*)">Newest</), `${LIST}?endpoint=${endpoint.id}`);
    await remove(endpoint);
  });

  test('that are sent again leave the list as it was filtered, on its page', async (t) => {
    const failing = await failingEndpoint(t);
    for (let made = 0; made < 21; made++) await createSession(service);
    await updateEndpoint(service, failing.endpoint.id, { status: 'disabled' });
    await until(async () => (await deliveries(service, '&status=pending')).length === 0);
    failing.state.status = 200;
    await updateEndpoint(service, failing.endpoint.id, { status: 'enabled' });
    const first = await support.get(`${LIST}?endpoint=${failing.endpoint.id}&status=failed`);
    const older = hrefIn(first, /<a href="([^"]*)">Older</);
    const second = await support.get(older);
    const [, id = ''] = /deliveries\/(whd_\w+)/.exec(second.html) ?? assert.fail('no delivery');
    const sent = await support.submit(second, `/deliveries/${id}/resend`);
    assert.equal(sent.location, `${older}&done=delivery-resent`);
    const screen = `${LIST}/deliveries/${id}`;
    await settled(service);
    const own = await support.submit(await support.get(screen), '/resend');
    assert.equal(own.location, `${screen}?done=delivery-resent`, 'the screen of one stays');
    const all = await support.submit(second, `/resend${older.slice(older.indexOf('?'))}`);
    assert.equal(all.location, `${older}&done=deliveries-resent`);
    await settled(service);
    const elsewhere = {
      ...formIn(second, `/deliveries/${id}/resend`).fields,
      list: '?status=failed&x=//evil',
    };
    const led = await support.post(`${screen}/resend`, { ...elsewhere, once: '' });
    assert.equal(led.location, `${LIST}?status=failed&done=delivery-resent`);
    await settled(service);
    await remove(failing.endpoint);
  });

  test('that have failed are all sent again, to all or to one endpoint', async (t) => {
    const [one, other] = [await failingEndpoint(t), await failingEndpoint(t)];
    for (const each of [one, other]) {
      await failedDelivery(each);
      each.state.status = 200;
    }
    const failed = async () =>
      (await deliveries(service, `&status=failed&endpoint=${one.endpoint.id}`)).length;
    assert.ok((await failed()) > 0);
    const form = await support.get(LIST);
    const none = await support.follow(support.submit(form, '/webhooks/resend', { since: '2999-01-01' }));
    assert.match(textOf(none), /No failed delivery can be sent again\./);
    const page = await support.follow(
      support.submit(await support.get(LIST), '/webhooks/resend', { to: one.endpoint.id }),
    );
    assert.match(textOf(page), /The failed deliveries are sent again\./);
    await settled(service);
    assert.equal(await failed(), 0);
    assert.ok((await deliveries(service, `&status=failed&endpoint=${other.endpoint.id}`)).length > 0);
    await support.submit(await support.get(LIST), '/webhooks/resend');
    await settled(service);
    assert.equal((await deliveries(service, `&status=failed&endpoint=${other.endpoint.id}`)).length, 0);
    for (const { endpoint } of [one, other]) await remove(endpoint);
  });

  test('that have failed are sent again in several steps where they are many', async (t) => {
    const { state, endpoint } = await failingEndpoint(t);
    for (let i = 0; i < 11; i++) await Promise.all(Array.from({ length: 50 }, () => createSession(service)));
    await updateEndpoint(service, endpoint.id, { status: 'disabled' });
    const failed = async () => (await deliveries(service, `&status=failed&endpoint=${endpoint.id}`)).length;
    await until(async () => (await deliveries(service, '&status=pending')).length === 0);
    state.status = 200;
    await updateEndpoint(service, endpoint.id, { status: 'enabled' });
    const first = await support.submit(await support.get(LIST), '/webhooks/resend', { to: endpoint.id });
    assert.match(textOf(first), /There are more 500 deliveries are sent again so far\./);
    const { after: next = '', to } = formIn(first, '/webhooks/resend').fields;
    assert.match(next, /^whd_\w+$/, 'it goes on where the first one has ended');
    assert.equal(to, endpoint.id);
    const page = await support.follow(support.submit(first, '/webhooks/resend'));
    assert.match(textOf(page), /The failed deliveries are sent again\./);
    assert.equal(await failed(), 0);
    await remove(endpoint);
  });

  test('are sent again since a day that is one', async () => {
    const page = await support.submit(await support.get(LIST), '/webhooks/resend', { since: 'yesterday' });
    assert.equal(page.status, 422);
    assert.match(page.html, /id="field-since-wrong">since must be a real date/);
    assert.equal(formIn(page, '/webhooks/resend').fields.since, 'yesterday');
  });

  test('show the state of the circuit breaker of an endpoint', async (t) => {
    const failing = await failingEndpoint(t);
    await createSession(service);
    await failing.receiver.received(1);
    const says = async (pattern: RegExp) => until(async () => pattern.test(textOf(await reader.get(LIST))));
    await says(/failing checkout\.created status 503 –/);
    await advance(service, 3600);
    await says(/suspended checkout\.created status 503 \d{4}-/);
    const page = await reader.get(`${LIST}/endpoints/${failing.endpoint.id}`);
    assert.match(
      textOf(page),
      /State suspended .* Failures in a row [3-9] Last error status 503 Next probe \d{4}-/,
    );
    await remove(failing.endpoint);
  });

  test('are sent again by owners and support alone, in their own account', async (t) => {
    const failing = await failingEndpoint(t);
    const { delivery } = await failedDelivery(failing);
    const one = `${LIST}/deliveries/${delivery.id}`;
    const actions = [
      { method: 'POST', path: `${one}/resend` },
      { method: 'POST', path: `${LIST}/resend` },
    ] as const;
    for (const visitor of [finance, reader]) {
      for (const path of [LIST, one]) {
        const page = await visitor.get(path);
        assert.equal(page.status, 200);
        assert.doesNotMatch(page.html, /resend"/);
      }
      for (const action of actions) await assertForbidden(visitor, action);
    }
    for (const visitor of [owner, support]) formIn(await visitor.get(one), '/resend');
    const all = [{ method: 'GET', path: LIST }, { method: 'GET', path: one }, ...actions] as const;
    await assertNotElsewhere(owner, all);
    for (const { path } of actions) await assertTokenNeeded(support, path);
    const live = one.replace('/test/', '/live/');
    assert.equal((await owner.get(live)).status, 404);
    const { fields } = formIn(await owner.get(one), '/resend');
    assert.equal((await owner.post(`${live}/resend`, fields)).status, 404);
    assert.equal((await deliveries(service, `&event=${delivery.event}`))[0].status, 'failed');
    await remove(failing.endpoint);
  });

  test('show what receivers answer as texts, whatever is in them', async (t) => {
    const failing = await failingEndpoint(t, 'plain');
    failing.state.status = 410;
    const shown = async (body: string) => {
      failing.state.body = body;
      await updateEndpoint(service, failing.endpoint.id, { status: 'enabled' });
      const { id } = await createSession(service);
      await until(async () => (await deliveries(service, `&checkout=${id}`))[0]?.status === 'failed');
      const [delivery] = await deliveries(service, `&checkout=${id}`);
      return reader.get(`${LIST}/deliveries/${delivery.id}`);
    };
    const plain = await shown('plain');
    for (const text of texts.slice(0, 25)) {
      const page = await shown(text);
      assertSameShape(page, plain, text);
      assert.ok(textOf(page).includes(text.replaceAll(/\s+/g, ' ')), text);
    }
    await remove(failing.endpoint);
  });
});
