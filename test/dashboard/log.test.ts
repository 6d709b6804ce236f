/** The log of changes in the dashboard. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { createEndpoint } from '../api/endpoint.ts';
import { createSession } from '../api/shop.ts';
import { texts } from '../pages/script-carriers.ts';
import { type Page, signedInVisitor, textOf } from '../support/dashboard.ts';
import { startService } from '../support/service.ts';
import { changeUser } from '../support/users.ts';
import { assertNotElsewhere, assertSameShape, visitorsOf } from './roles.ts';

const PATH = '/dashboard/1/test/log';

const service = await startService({ after });
const visitors = await visitorsOf(service);
const { owner, read_only: reader } = visitors;

const rowsIn = ({ html }: Page): string[] =>
  [...html.matchAll(/<tr><td>([\s\S]*?)<\/tr>/g)].map(([, row = '']) => textOf({ html: row }));
const hrefIn = ({ html }: Page, text: string): string => {
  const [, href = ''] = new RegExp(`<a href="([^"]*)">${text}</a>`).exec(html) ?? assert.fail(`no ${text}`);
  return href.replaceAll('&amp;', '&');
};

suite('the log', () => {
  test('says who changed what: users by their names, keys by their ids', async () => {
    const { visitor, user } = await signedInVisitor(service, {
      email: 'grace@example.com',
      name: 'Grace Hopper',
    });
    const endpoint = await createEndpoint(service);
    const form = await visitor.get(`/dashboard/1/test/webhooks/endpoints/${endpoint.id}`);
    await visitor.submit(form, endpoint.id, { description: 'changed' });
    const page = await reader.get(PATH);
    const [changed = '', made = ''] = rowsIn(page);
    assert.match(changed, new RegExp(`Grace Hopper update endpoint ${endpoint.id} req_`));
    assert.match(made, new RegExp(`${service.key.id} create endpoint ${endpoint.id} req_`));
    const hers = await reader.get(hrefIn(page, 'Grace Hopper'));
    assert.equal(rowsIn(hers).length, 1);
    assert.match(hers.html, new RegExp(`name="actor"[^>]* value="${user.id}"`));
  });

  test('is filtered by action, subject and day', async () => {
    const session = await createSession(service);
    await service.call('POST', `/v3/checkout/${session.id}/expire`);
    const page = await reader.get(PATH);
    assert.deepEqual(rowsIn(await reader.get(hrefIn(page, session.id))).length, 2);
    const expired = rowsIn(await reader.get(hrefIn(page, 'expire')));
    assert.equal(expired.length, 1);
    assert.match(expired[0] ?? '', new RegExp(`expire ${session.id}`));
    assert.match(textOf(await reader.get(`${PATH}?before=2020-01-01`)), /There is no such change\./);
    assert.ok(rowsIn(await reader.get(`${PATH}?from=2020-01-01`)).length > 2);
  });

  test('says what is wrong with a filter, beside it', async () => {
    const page = await reader.get(`${PATH}?from=soon&action=${'x'.repeat(65)}`);
    assert.equal(page.status, 422);
    assert.match(page.html, /id="field-from-wrong">created_at\[gte\] must/);
    assert.match(page.html, /id="field-action-wrong">action must have at most 64/);
    assert.match(page.html, /name="from"[^>]* value="soon"/);
  });

  test('comes in pages that keep the filters', async () => {
    for (let i = 0; i < 21; i++) await createSession(service);
    const first = await reader.get(`${PATH}?action=create`);
    const second = await reader.get(hrefIn(first, 'Older'));
    assert.equal(rowsIn(first).length, 20);
    const both = [...rowsIn(first), ...rowsIn(second)];
    assert.ok(both.length >= 21 && new Set(both).size === both.length);
    assert.ok(
      both.every((row) => / create chk_/.test(row)),
      both.join('\n'),
    );
    assert.equal(hrefIn(second, 'Newest'), `${PATH}?action=create`);
  });

  test('is there for every role, in its own account and mode', async () => {
    for (const visitor of Object.values(visitors)) assert.equal((await visitor.get(PATH)).status, 200);
    await assertNotElsewhere(owner, [{ method: 'GET', path: PATH }]);
    const live = await owner.get(PATH.replace('/test/', '/live/'));
    assert.doesNotMatch(textOf(live), /chk_/);
  });

  test('shows names as texts, whatever is in them', async () => {
    const { visitor, user } = await signedInVisitor(service, { email: 'carrier@example.com', name: 'plain' });
    const endpoint = await createEndpoint(service);
    const form = await visitor.get(`/dashboard/1/test/webhooks/endpoints/${endpoint.id}`);
    await visitor.submit(form, endpoint.id, { description: 'changed' });
    const plain = await reader.get(`${PATH}?actor=${user.id}`);
    const { email } = user;
    for (const name of texts.filter(({ length }) => length <= 100).slice(0, 30)) {
      await changeUser(service.service.store, user.id, { type: 'rename_user', name, email, now: Date.now() });
      const page = await reader.get(`${PATH}?actor=${user.id}`);
      assertSameShape(page, plain, name);
      assert.ok(textOf(page).includes(name.replaceAll(/\s+/g, ' ')), name);
    }
    for (const text of texts) {
      const page = await reader.get(`${PATH}?${new URLSearchParams({ subject: text })}`);
      assertSameShape(
        page,
        await reader.get(`${PATH}?subject=${text.length > 128 ? 'x'.repeat(129) : 'nothing'}`),
        text,
      );
    }
  });
});
