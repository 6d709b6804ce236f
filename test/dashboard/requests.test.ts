/** The screens of the log of requests: the list, one request with its changes, and the ways between them and other screens. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { createSession, type Data, pay, until, WELL_FORMED_ID } from '../api/shop.ts';
import { type Page, textOf, type Visitor } from '../support/dashboard.ts';
import { startService } from '../support/service.ts';
import { visitorsOf } from './roles.ts';

const PATH = '/dashboard/1/test/requests';

const service = await startService({ after }, { requestLogMs: 1 });
const { call, key } = service;
const { owner, read_only: reader } = await visitorsOf(service);

/** Waits until the log has the request. */
async function logged(id: string): Promise<void> {
  await until(async () => (await call('GET', `/v3/request?request_id=${id}`)).json.data.length > 0);
}

async function shown(visitor: Visitor, path: string): Promise<Page> {
  const page = await visitor.get(path);
  assert.equal(page.status, 200, textOf(page));
  return page;
}

test('an empty list says what will be in it', async () => {
  assert.match(
    textOf(await shown(reader, '/dashboard/1/live/requests')),
    /No request yet\. Call the API with a key/,
  );
});

suite('the log of requests', async () => {
  const made = await createSession(service, {}, { 'x-request-id': 'made-1' });
  await pay(service, made.id);
  const headers = { 'x-request-id': 'refused-1', 'idempotency-key': 'k' };
  await call('POST', `/v3/checkout/${made.id}/expire`, { headers });
  await call('POST', '/v3/checkout', { body: { amount: -1 }, headers: { 'x-request-id': 'refused-2' } });
  await logged('refused-2');

  test('lists requests with their refusals, the way to what they are about, and to each', async () => {
    const page = await shown(reader, PATH);
    const text = textOf(page);
    assert.match(text, /409 CHECKOUT\.EXPIRE Only an active session can be expired\./);
    assert.match(text, /400 CHECKOUT\.CREATE A field is missing, unknown or invalid\./);
    assert.match(text, /201 CHECKOUT\.CREATE/);
    assert.match(page.html, new RegExp(`href="/dashboard/1/test/sessions/${made.id}"`));
    assert.match(page.html, new RegExp(`href="${PATH}/refused-1"`));
  });

  test('is filtered, and each filter that is set is removed by a chip', async () => {
    const page = await shown(reader, `${PATH}?status=4xx&operation=CHECKOUT.EXPIRE`);
    assert.match(textOf(page), /Status: 4xx/);
    assert.match(page.html, new RegExp(`class="chip" href="${PATH}\\?status=4xx"`));
    assert.match(textOf(page), /409 CHECKOUT\.EXPIRE/);
    assert.doesNotMatch(textOf(page), /400 CHECKOUT\.CREATE/);
    assert.match(
      textOf(await shown(reader, `${PATH}?request=none`)),
      /No request matches\. Show all requests/,
    );
    const refused = await reader.get(`${PATH}?status=many`);
    assert.equal(refused.status, 422);
    assert.match(refused.html, /id="field-status-wrong">/);
    assert.match(refused.html, /name="status"[^>]* value="many"/);
  });

  test('says of one why it was refused, where, and what to do', async () => {
    const text = textOf(await shown(reader, `${PATH}/refused-2`));
    assert.match(text, /Request POST \/v3\/checkout /);
    assert.match(
      text,
      /A field is missing, unknown or invalid\. Code 15502 (invoice_currency , amount|amount , invoice_currency)/,
    );
    assert.equal(text.match(/Correct them and send the request again/g)?.length, 1);
    assert.match(text, /Changes It has changed nothing\./);
    const other = textOf(await shown(reader, `${PATH}/refused-1`));
    assert.match(other, new RegExp(`Request POST /v3/checkout/${made.id}/expire `));
    assert.match(other, /Idempotency key given/);
  });

  test('leads to the key only those who may see keys', async () => {
    const toKeys = new RegExp(`href="/dashboard/1/test/keys"><code>${key.id}`);
    assert.match((await shown(owner, `${PATH}/made-1`)).html, toKeys);
    const page = await shown(reader, `${PATH}/made-1`);
    assert.doesNotMatch(page.html, toKeys);
    assert.match(textOf(page), new RegExp(key.id));
  });

  test('has the changes of the request, and the log of changes and the session lead back to it', async () => {
    const page = await shown(reader, `${PATH}/made-1`);
    assert.match(textOf(page), new RegExp(`create ${made.id} made-1`));
    const log = await shown(reader, '/dashboard/1/test/log?request=made-1');
    assert.match(log.html, new RegExp(`href="${PATH}/made-1"`));
    assert.doesNotMatch(textOf(log), /clock|pay /);
    const session = await shown(reader, `/dashboard/1/test/sessions/${made.id}`);
    assert.match(session.html, new RegExp(`href="${PATH}/made-1"`));
  });

  test('says of a request that it does not have why that may be, whatever the address says', async () => {
    for (const id of ['none', 'a%20b%3Cscript%3E', 'x'.repeat(64)]) {
      const page = await shown(reader, `${PATH}/${id}`);
      assert.match(textOf(page), /The log has nothing about this request\./);
      assert.doesNotMatch(page.html, /<script>/);
    }
    assert.equal((await reader.get(`${PATH}/${'x'.repeat(65)}`)).status, 404);
  });

  test('has what people change in the dashboard, in their names, and not what screens look for', async () => {
    assert.equal((await owner.get(`/dashboard/1/test/sessions/chk_${WELL_FORMED_ID}`)).status, 404);
    const open = await createSession(service);
    const path = `/dashboard/1/test/sessions/${open.id}`;
    await owner.submit(await shown(owner, path), '/expire');
    const ofUsers = async () =>
      (await call('GET', '/v3/request?limit=100')).json.data.filter(({ actor }: Data) =>
        String(actor).startsWith('usr_'),
      );
    await until(async () => (await ofUsers()).length > 0);
    assert.deepEqual(
      (await ofUsers()).filter(({ method }: Data) => method === 'GET'),
      [],
    );
  });

  test('goes on behind a full page', async () => {
    for (let count = 0; count < 51; count++)
      await call('GET', `/v3/checkout/chk_${WELL_FORMED_ID}`, {
        headers: { 'x-request-id': `many-${count}` },
      });
    await logged('many-50');
    const first = await shown(reader, `${PATH}?status=404`);
    assert.match(textOf(first), /many-50/);
    const next = /href="([^"]*after=[^"]*)">Older/.exec(first.html)?.[1]?.replaceAll('&amp;', '&') ?? '';
    assert.match(textOf(await shown(reader, next)), /many-0/);
  });
});
