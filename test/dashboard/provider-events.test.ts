/** The screen of provider events that wait, and the way to it from the overview. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Tenant } from '../../src/checkout/tenant.ts';
import { attempt, providerEvent, session, write } from '../store/build.ts';
import { textOf } from '../support/dashboard.ts';
import { startService } from '../support/service.ts';
import { visitorsOf } from './roles.ts';

const PATH = '/dashboard/1/test/provider-events';

const service = await startService({ after });
const { store } = service.service;
const { read_only: reader, support } = await visitorsOf(service);
const tenant: Tenant = { account: service.account.number, mode: 'test' };
const open = { state: 'open', dueAt: null, tries: 9, reason: 'no_session' } as const;

test('an empty list says when there will be one', async () => {
  assert.match(textOf(await reader.get(PATH)), /No provider event waits for a person\. One comes here when/);
  assert.match(textOf(await reader.get(`${PATH}?status=waiting`)), /No provider event is looked at again/);
});

test('the overview leads to those that wait, which say why, and to the session', async () => {
  const made = session(tenant, { attempts: [attempt('cs_known', { rail: 'stripe' })] });
  await write(store, tenant, { checkout: { before: null, after: made } });
  const body = '{"type":"charge.failed","email":"zebulon@example.com"}';
  await write(store, tenant, {
    providerEvent: providerEvent('evt_known', {
      ...open,
      reason: 'key_refused',
      attemptReference: 'cs_known',
      body,
    }),
  });
  await write(store, tenant, {
    providerEvent: providerEvent('evt_since', { ...open, attemptReference: 'cs_known' }),
  });
  await write(store, tenant, {
    providerEvent: providerEvent('evt_none', { ...open, paymentReference: 'pi_2' }),
  });
  await write(store, tenant, {
    providerEvent: providerEvent('evt_later', { dueAt: Date.now() + 9e6 }),
  });
  const overview = await reader.get('/dashboard/1/test/overview');
  assert.match(overview.html, new RegExp(`href="${PATH}">3 provider events</a> matched nothing`));
  const page = await reader.get(PATH);
  const text = textOf(page);
  assert.match(text, /stripe charge\.failed evt_known The rail refused the key, or there was none\./);
  assert.match(text, /evt_since No session had its payment then\. One has it now\./);
  assert.match(text, /stripe – evt_none No session had its payment\. cs_1 pi_2 9 –/);
  assert.doesNotMatch(text, /zebulon|evt_later/);
  assert.match(page.html, new RegExp(`href="/dashboard/1/test/sessions/${made.id}"`));
  assert.match(textOf(await reader.get(`${PATH}?status=waiting`)), /evt_later It was not looked at yet\./);
  assert.equal((await reader.get(`${PATH}?status=done`)).status, 422);
});

test('whoever supports payers has one looked at again, and stays in the list', async () => {
  const event = providerEvent('evt_again', { ...open, attemptReference: 'cs_2' });
  await write(store, tenant, { providerEvent: event });
  const before = await support.get(PATH);
  assert.match(textOf(before), /evt_again .* Look again/);
  assert.doesNotMatch(textOf(await reader.get(PATH)), /Look again/);
  const sent = await support.submit(before, `${event.id}/retry`);
  assert.equal(sent.location, `${PATH}?done=provider-event-retried`);
  assert.match(textOf(await support.get(`${PATH}?done=provider-event-retried`)), /The rail is asked again\./);
});

test('whoever has one looked at again that waits no longer is told so, in the list where they were', async () => {
  const event = providerEvent('evt_gone', { ...open, attemptReference: 'cs_3' });
  await write(store, tenant, { providerEvent: event });
  const before = await support.get(`${PATH}?status=open`);
  await write(store, tenant, { providerEvent: { ...event, state: 'done', dueAt: null } });
  const sent = await support.submit(before, `${event.id}/retry?status=open`);
  assert.equal(sent.location ?? textOf(sent), `${PATH}?status=open&done=provider-event-gone`);
  const text = textOf(await support.follow(Promise.resolve(sent)));
  assert.match(text, /The event waits no longer, and the rail was not asked again\./);
  assert.doesNotMatch(text, /evt_gone/);
});

test('whoever has one looked at again stays on the page of the list', async () => {
  for (const status of ['open', 'waiting']) {
    for (let made = 0; made < 21; made++)
      await write(store, tenant, {
        providerEvent: providerEvent(`evt_${status}_${made}`, {
          ...(status === 'open' ? open : { tries: 2, reason: 'no_answer' as const, dueAt: Date.now() + 9e6 }),
          attemptReference: `cs_${made}`,
        }),
      });
    const first = await support.get(`${PATH}?status=${status}`);
    const [, older = ''] = /<a href="([^"]*)">Older</.exec(first.html) ?? assert.fail(textOf(first));
    const next = older.replaceAll('&amp;', '&');
    const second = await support.get(next);
    const [, action = ''] =
      /action="[^"]*(\/pev_\w+\/retry\?[^"]*)"/.exec(second.html) ?? assert.fail(second.html);
    const sent = await support.submit(second, action.replaceAll('&amp;', '&'));
    assert.equal(sent.location, `${next}&done=provider-event-retried`);
    assert.match(textOf(await support.follow(Promise.resolve(sent))), /The rail is asked again\./);
  }
});

test('a page whose events have all gone says so, and leads to the others', async () => {
  const page = await support.get(`${PATH}?after=pev_${'0'.repeat(26)}`);
  assert.match(textOf(page), /No provider event is left on this page\. Newest/);
});
