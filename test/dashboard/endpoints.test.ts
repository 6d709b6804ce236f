/** Webhook endpoints in the dashboard. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { createEndpoint, fetchEndpoint } from '../api/endpoint.ts';
import { assertSigned, startReceiver } from '../api/receiver.ts';
import { createSession, type Data } from '../api/shop.ts';
import { storedAddresses, texts } from '../pages/script-carriers.ts';
import { formIn, PASSWORD, signedInVisitor, textOf } from '../support/dashboard.ts';
import { startService } from '../support/service.ts';
import {
  assertForbidden,
  assertNotElsewhere,
  assertSameShape,
  assertTokenNeeded,
  visitorsOf,
} from './roles.ts';

const LIST = '/dashboard/1/test/webhooks';
const NEW = `${LIST}/new-endpoint`;
const SECRET = /whsec_[\w+/=-]+/;

let realNow = Date.now;
const service = await startService({ after }, { realNow: () => realNow() });
const visitors = await visitorsOf(service);
const { owner } = visitors;

const endpoints = async (): Promise<Data[]> =>
  (await service.call('GET', '/v3/webhook_endpoint?limit=100')).json.data;
const screenOf = ({ id }: Data) => `${LIST}/endpoints/${id}`;

suite('webhook endpoints', () => {
  test('are added with what was chosen, and the secret that signs is in one answer alone', async (t) => {
    const receiver = await startReceiver(t);
    const form = await owner.get(NEW);
    assert.equal(formIn(form, '/new-endpoint').fields['events.*'], 'on');
    const made = await owner.submitWithout(form, '/new-endpoint', ['events.*'], {
      url: receiver.url,
      description: 'Order system',
      'events.checkout.created': 'on',
      'events.payin.*': 'on',
    });
    assert.equal(made.status, 200, textOf(made));
    assert.equal(made.headers.get('cache-control'), 'no-store');
    const [secret = ''] = SECRET.exec(made.html) ?? assert.fail(textOf(made));
    const [endpoint] = await endpoints();
    assert.deepEqual(
      [endpoint.url, endpoint.description, new Set(endpoint.events)],
      [receiver.url, 'Order system', new Set(['payin.*', 'checkout.created'])],
    );
    await createSession(service);
    const [delivery] = await receiver.received(1);
    assertSigned(delivery ?? assert.fail(), secret);
    for (const path of [LIST, screenOf(endpoint)]) {
      const page = await owner.get(path);
      assert.ok(page.html.includes(receiver.url) && textOf(page).includes('healthy'), path);
      assert.doesNotMatch(page.html, SECRET);
    }
    await service.call('DELETE', `/v3/webhook_endpoint/${endpoint.id}`);
  });

  test('are added once by a form that is sent twice', async () => {
    const form = await owner.get(NEW);
    const { length } = await endpoints();
    const fields = { url: 'https://shop.example.com/twice' };
    const first = await owner.submit(form, '/new-endpoint', fields);
    const second = await owner.submit(form, '/new-endpoint', fields);
    assert.equal(SECRET.exec(second.html)?.[0], SECRET.exec(first.html)?.[0], 'the same answer');
    assert.equal((await endpoints()).length, length + 1);
  });

  test('say beside the fields what is wrong, and keep what was typed', async () => {
    const { length } = await endpoints();
    const typed = { url: 'ftp://shop.example.com/', description: 'D'.repeat(251) };
    const page = await owner.submitWithout(await owner.get(NEW), '/new-endpoint', ['events.*'], {
      ...typed,
      'events.payin.*': 'on',
    });
    assert.equal(page.status, 422);
    assert.match(page.html, /id="field-url-wrong">url must be an absolute https URL/);
    assert.match(page.html, /id="field-description-wrong">description must have at most 250/);
    const { fields } = formIn(page, '/new-endpoint');
    assert.deepEqual(
      [fields.url, fields.description, fields['events.payin.*'], fields['events.*']],
      [typed.url, typed.description, 'on', undefined],
    );
    const none = await owner.submitWithout(page, '/new-endpoint', ['events.payin.*'], { url: 'x' });
    assert.match(none.html, /id="field-events-wrong">events must have at least 1 element/);
    assert.equal((await endpoints()).length, length);
  });

  test('are changed in what was changed alone', async () => {
    const endpoint = await createEndpoint(service, { events: ['checkout.*'], description: 'Before' });
    const form = await owner.get(screenOf(endpoint));
    assert.equal(formIn(form, endpoint.id).fields.description, 'Before');
    // Somebody else changes another field meanwhile.
    await service.call('PUT', `/v3/webhook_endpoint/${endpoint.id}`, {
      body: { url: 'https://shop.example.com/moved' },
    });
    const page = await owner.follow(owner.submit(form, endpoint.id, { description: 'After' }));
    assert.match(textOf(page), /Your changes are saved\./);
    const { url, description, events } = await fetchEndpoint(service, endpoint.id);
    assert.deepEqual([url, description, events], ['https://shop.example.com/moved', 'After', ['checkout.*']]);
  });

  test('say so when somebody else has changed the same meanwhile', async () => {
    const endpoint = await createEndpoint(service, { description: 'Before' });
    const form = await owner.get(screenOf(endpoint));
    await service.call('PUT', `/v3/webhook_endpoint/${endpoint.id}`, { body: { description: 'Theirs' } });
    const page = await owner.submit(form, endpoint.id, { description: 'Mine' });
    assert.equal(page.status, 422);
    assert.match(page.html, /id="field-description-wrong">Somebody has changed this meanwhile, to Theirs\./);
    assert.equal(formIn(page, endpoint.id).fields.description, 'Mine');
    assert.equal((await fetchEndpoint(service, endpoint.id)).description, 'Theirs');
    assert.equal((await owner.submit(page, endpoint.id)).status, 303);
    assert.equal((await fetchEndpoint(service, endpoint.id)).description, 'Mine');
  });

  test('are not told to be changed by a form that was sent as it was', async () => {
    const endpoint = await createEndpoint(service, { description: 'As it was' });
    const before = await fetchEndpoint(service, endpoint.id);
    const page = await owner.follow(owner.submit(await owner.get(screenOf(endpoint)), endpoint.id));
    assert.match(textOf(page), /There was nothing left to change\./);
    assert.deepEqual(await fetchEndpoint(service, endpoint.id), before);
  });

  test('that somebody else has changed are not deleted, switched off or given a secret by who has not seen it', async () => {
    const endpoint = await createEndpoint(service);
    const form = await owner.get(screenOf(endpoint));
    await service.call('PUT', `/v3/webhook_endpoint/${endpoint.id}`, { body: { description: 'Theirs' } });
    const before = await fetchEndpoint(service, endpoint.id);
    for (const action of ['/delete', '/status', '/secret']) {
      const late = await owner.submit(form, action);
      assert.equal(late.status, 422, action);
      assert.match(
        textOf(late),
        /Somebody has changed the endpoint meanwhile: see what it is now\. Nothing was done to it\./,
      );
      assert.equal(formIn(late, endpoint.id).fields.description, 'Theirs', 'what it is now');
      assert.deepEqual(await fetchEndpoint(service, endpoint.id), before, action);
    }
    const late = await owner.submit(form, '/delete');
    assert.equal((await owner.submit(late, '/delete')).status, 303);
    assert.equal((await owner.get(screenOf(endpoint))).status, 404);
  });

  test('refuse an address that is no good, with the mistake beside it', async () => {
    const endpoint = await createEndpoint(service);
    const page = await owner.submit(await owner.get(screenOf(endpoint)), endpoint.id, { url: 'nowhere' });
    assert.equal(page.status, 422);
    assert.match(page.html, /id="field-url-wrong">url must be/);
    assert.equal(formIn(page, endpoint.id).fields.url, 'nowhere');
  });

  test('cannot lose their address or description, and say so', async () => {
    const endpoint = await createEndpoint(service, { description: 'Before' });
    const form = await owner.get(screenOf(endpoint));
    const page = await owner.submit(form, endpoint.id, { url: ' ', description: '' });
    assert.equal(page.status, 422);
    assert.match(page.html, /id="field-url-wrong">url can be changed, but not be emptied\./);
    assert.match(page.html, /id="field-description-wrong">description can be changed, but not/);
    const none = await owner.submitWithout(form, endpoint.id, ['events.*']);
    assert.match(none.html, /id="field-events-wrong">events must have at least 1 element/);
    assert.deepEqual((await fetchEndpoint(service, endpoint.id)).events, ['*']);
  });

  test('are disabled and enabled', async () => {
    const endpoint = await createEndpoint(service);
    const disabled = await owner.follow(owner.submit(await owner.get(screenOf(endpoint)), '/status'));
    assert.match(textOf(disabled), /The endpoint is disabled\. .* State disabled/);
    assert.equal((await fetchEndpoint(service, endpoint.id)).status, 'disabled');
    const enabled = await owner.follow(owner.submit(disabled, '/status'));
    assert.match(textOf(enabled), /The endpoint is enabled\. .* State healthy/);
    assert.equal((await fetchEndpoint(service, endpoint.id)).status, 'enabled');
  });

  test('are told to be disabled and enabled by a form that is sent twice as well', async () => {
    const endpoint = await createEndpoint(service);
    for (const status of ['disabled', 'enabled']) {
      const form = await owner.get(screenOf(endpoint));
      for (const time of ['first', 'second']) {
        const page = await owner.follow(owner.submit(form, '/status'));
        assert.ok(textOf(page).includes(`The endpoint is ${status}.`), `${time}: ${textOf(page)}`);
        assert.equal((await fetchEndpoint(service, endpoint.id)).status, status, time);
      }
    }
  });

  test('get a new secret, beside which the one before signs for as long as was chosen', async () => {
    const endpoint = await createEndpoint(service);
    const form = await owner.get(screenOf(endpoint));
    const made = await owner.submit(form, '/secret', { overlap_seconds: '3600' });
    const [secret = ''] = SECRET.exec(made.html) ?? assert.fail(textOf(made));
    assert.notEqual(secret, endpoint.secret);
    const { previous_secret_expires_at: until } = await fetchEndpoint(service, endpoint.id);
    assert.ok(Math.abs(Date.parse(until) - Date.now() - 3_600_000) < 120_000);
    const again = await owner.submit(form, '/secret', { overlap_seconds: '3600' });
    assert.equal(SECRET.exec(again.html)?.[0], secret, 'the form that is sent twice makes one');
    assert.doesNotMatch((await owner.get(screenOf(endpoint))).html, SECRET);
    const wrong = await owner.submit(await owner.get(screenOf(endpoint)), '/secret', {
      overlap_seconds: '99999999',
    });
    assert.equal(wrong.status, 422);
    assert.match(textOf(wrong), /overlap_seconds must be/);
  });

  test('are deleted', async () => {
    const endpoint = await createEndpoint(service);
    const form = await owner.get(screenOf(endpoint));
    const page = await owner.follow(owner.submit(form, '/delete'));
    assert.match(textOf(page), /The endpoint is deleted\./);
    assert.equal((await owner.get(screenOf(endpoint))).status, 404);
    for (const action of ['/status', '/secret', endpoint.id])
      assert.equal((await owner.submit(form, action)).status, 404, action);
    const again = await owner.follow(owner.submit(form, '/delete'));
    assert.match(textOf(again), /There was nothing left to change\./, 'it is deleted already');
  });

  test('are there for all to see, and for owners to change', async () => {
    const endpoint = await createEndpoint(service);
    const screen = screenOf(endpoint);
    const actions = [
      { method: 'GET', path: NEW },
      { method: 'POST', path: NEW, fields: { url: 'https://shop.example.com/' } },
      { method: 'POST', path: screen, fields: { url: 'https://shop.example.com/' } },
      { method: 'POST', path: `${screen}/status`, fields: { status: 'disabled' } },
      { method: 'POST', path: `${screen}/secret` },
      { method: 'POST', path: `${screen}/delete` },
    ] as const;
    const before = await endpoints();
    for (const role of ['finance', 'support', 'read_only'] as const) {
      const page = await visitors[role].get(screen);
      assert.equal(page.status, 200);
      assert.doesNotMatch(page.html, /<form[^>]*webhooks/);
      assert.doesNotMatch((await visitors[role].get(LIST)).html, /new-endpoint/);
      for (const action of actions) await assertForbidden(visitors[role], action);
    }
    await assertNotElsewhere(owner, [{ method: 'GET', path: screen }, ...actions]);
    for (const { method, path } of actions) if (method === 'POST') await assertTokenNeeded(owner, path);
    assert.equal((await owner.get(screen.replace('/test/', '/live/'))).status, 404);
    assert.deepEqual(await endpoints(), before);
  });

  test('ask anew who somebody is before they change', async (t) => {
    const endpoint = await createEndpoint(service, { description: 'Before' });
    const { visitor } = await signedInVisitor(service, { email: 'later@example.com' });
    realNow = () => Date.now() + 11 * 60_000;
    t.after(() => {
      realNow = Date.now;
    });
    const form = await visitor.get(screenOf(endpoint));
    assert.equal(form.status, 200);
    const asks: ReadonlyArray<[action: string, fields: Record<string, string>]> = [
      [endpoint.id, { description: 'After', 'events.payin.*': 'on' }],
      ['/status', {}],
      ['/secret', {}],
      ['/delete', {}],
    ];
    for (const [action, fields] of asks)
      assert.match(textOf(await visitor.submit(form, action, fields)), /Is it you\?/, action);
    const askedFirst = await visitor.get(NEW);
    assert.match(textOf(askedFirst), /Is it you\?/);
    const asked = await visitor.submit(form, endpoint.id, { description: 'After', 'events.payin.*': 'on' });
    await visitor.submit(asked, endpoint.id, { confirm_password: PASSWORD });
    const blank = await visitor.submit(askedFirst, '/new-endpoint', { confirm_password: PASSWORD });
    assert.equal(blank.status, 200, 'the form that was wanted, without mistakes');
    formIn(blank, '/new-endpoint');
    const { description, events } = await fetchEndpoint(service, endpoint.id);
    assert.deepEqual([description, events], ['After', ['*', 'payin.*']]);
  });

  test('show addresses and descriptions as texts, whatever is in them', async () => {
    const plain = await createEndpoint(service, { url: 'https://shop.example/x', description: 'plain' });
    const page = await owner.get(screenOf(plain));
    const carriers = [
      ...storedAddresses.filter((url) => !url.includes('#')).map((url) => ({ url, description: 'plain' })),
      ...texts
        .filter((text) => !/[\u2028]/.test(text))
        .slice(0, 60)
        .map((description) => ({ url: 'https://shop.example/x', description })),
    ];
    for (const carrier of carriers) {
      const { call } = service;
      const answer = await call('PUT', `/v3/webhook_endpoint/${plain.id}`, { body: carrier });
      assert.equal(answer.status, 200, answer.text);
      const shown = await owner.get(screenOf(plain));
      assertSameShape(shown, page, carrier.description);
      const { fields } = formIn(shown, plain.id);
      assert.deepEqual([fields.url, fields.description], [answer.json.data.url, carrier.description]);
      assert.equal((await owner.get(LIST)).status, 200);
    }
  });
});
