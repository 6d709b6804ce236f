/** Saved views of the list of sessions. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { installation } from '../../src/users/user.ts';
import { MAX_VIEWS } from '../../src/users/views.ts';
import { createSession, order } from '../api/shop.ts';
import { formIn, textOf } from '../support/dashboard.ts';
import { startService } from '../support/service.ts';
import { changeUser } from '../support/users.ts';
import { visitorsOf } from './roles.ts';

const PATH = '/dashboard/1/test/sessions';
/** The usual columns, as a view keeps them. */
const COLUMNS = '&columns=created_at%2Cdescription%2Cpayer%2Camount%2Camount_paid%2Cstatus%2Cpayment_status';

const service = await startService({ after });
const { owner, read_only: reader } = await visitorsOf(service);
await createSession(service, { ...order, reference_id: 'first' });
const expired = await createSession(service, { ...order, reference_id: 'second' });
await service.call('POST', `/v3/checkout/${expired.id}/expire`);

suite('a saved view', () => {
  test('shows the filters again by one click, to its user alone, and is removed where it is shown', async () => {
    const page = await reader.get(`${PATH}?status=expired&q=second&metadata[order_id]=7`);
    const done = await reader.follow(reader.submit(page, '/views', { view: ' Gone <b> ' }));
    assert.match(textOf(done), /The view is saved/);
    assert.match(
      done.html,
      new RegExp(
        `href="${PATH}\\?status=expired${COLUMNS.replace('&', '&amp;')}" aria-current="true">Gone &lt;b&gt;<`,
      ),
    );
    assert.doesNotMatch(done.html, /value="second"|metadata\[order_id\]/);
    const list = await reader.get(PATH);
    assert.match(list.html, /sessions\?status=expired&amp;columns=[^"]*">Gone/);
    assert.match(textOf(list), /first/);
    assert.doesNotMatch((await owner.get(PATH)).html, /Gone/);
    // In the other mode as well.
    assert.match(
      (await reader.get('/dashboard/1/live/sessions')).html,
      /live\/sessions\?status=expired&amp;columns=[^"]*">Gone/,
    );
    const shown = await reader.get(`${PATH}?status=expired`);
    assert.match(textOf(shown), /second/);
    const removed = await reader.follow(reader.submit(shown, '/views/remove'));
    assert.doesNotMatch(removed.html, /Gone/);
  });

  test('is not offered where there is nothing that it would keep', async () => {
    for (const query of ['', '?q=ada', '?customer=cus_1', '?reference_id=first&metadata[a]=b'])
      assert.doesNotMatch((await reader.get(PATH + query)).html, /Save as a view/, query);
  });

  test('needs a name; the list stays with what was typed', async () => {
    const page = await reader.get(`${PATH}?status=expired&q=sec`);
    const refused = await reader.submit(page, '/views', { view: 'n'.repeat(51) });
    assert.equal(refused.status, 422);
    assert.match(refused.html, /id="field-view-wrong">The name must have 1 to 50/);
    assert.equal(formIn(refused, '/views').fields.view, 'n'.repeat(51));
    assert.equal(formIn(refused, '/views').fields.query, `q=sec&status=expired${COLUMNS}`);
    assert.equal(/name="q"[^>]* value="([^"]*)"/.exec(refused.html)?.[1], 'sec');
    assert.match(textOf(refused), /second/);
    assert.doesNotMatch(textOf(refused), /first/);
  });

  test('is removed by itself, also where another one has the same filters', async () => {
    const page = await reader.get(`${PATH}?status=completed`);
    // In two windows.
    for (const view of ['One', 'Two']) await reader.submit(page, '/views', { view });
    const both = await reader.get(`${PATH}?status=completed`);
    assert.match(textOf(both), /Remove the view “One”.*Remove the view “Two”/);
    const { action, fields } = formIn(both, '/views/remove');
    await reader.post(action, { ...fields, view: 'Two' });
    const left = textOf(await reader.get(`${PATH}?status=completed`));
    assert.match(left, /Remove the view “One”/);
    assert.doesNotMatch(left, /Two/);
  });

  test('is shown and removed as any other, though it names what the list no longer has', async () => {
    const users = service.service.store.dashboardUsers;
    const [user] = (await users.list(installation, { account: 1 }, { limit: 10 })).rows.filter(
      ({ roles }) => roles['1'] === 'read_only',
    );
    assert.ok(user);
    const queries = {
      'No columns': 'status=expired',
      'Gone columns': `x_gone=1&status=expired${COLUMNS}%2Cx_gone`,
      'Gone filter': 'x_gone=1',
    };
    for (const [name, query] of Object.entries(queries)) {
      const view = { account: 1, name, query };
      await changeUser(service.service.store, user.id, { type: 'save_view', view, now: Date.now() });
    }
    const shown = await reader.get(`${PATH}?status=expired`);
    const current = [...shown.html.matchAll(/aria-current="true">([^<]* columns)</g)].map(([, name]) => name);
    assert.deepEqual(current, ['Gone columns', 'No columns']);
    assert.doesNotMatch(shown.html, /Save as a view/);
    for (const name of Object.keys(queries)) {
      const page = await reader.get(PATH);
      assert.ok(page.html.includes(`name="view" value="${name}">Remove the view “${name}”</button>`), name);
      const { action, fields } = formIn(page, '/views/remove');
      assert.equal(
        (await reader.post(action, { ...fields, view: name })).location,
        `${PATH}?done=view-removed`,
      );
    }
    assert.doesNotMatch((await reader.get(PATH)).html, /No columns|Gone columns|Gone filter/);
  });

  test('is one of fifty, which is said of the views and not of the name', async () => {
    const page = await owner.get(`${PATH}?status=active`);
    for (let number = 1; number <= MAX_VIEWS; number++)
      assert.equal((await owner.submit(page, '/views', { view: `View ${number}` })).status, 303);
    const refused = await owner.submit(page, '/views', { view: 'More' });
    assert.equal(refused.status, 422);
    assert.match(
      refused.html,
      /id="field-view-wrong">Your views are 50 on the account already: remove one first\./,
    );
    assert.match(textOf(refused), /Remove the view “View 50”/);
    const { action, fields } = formIn(page, '/views');
    const personal = await owner.post(action, { ...fields, query: 'q=ada', view: 'Ada' });
    assert.match(personal.html, /id="field-view-wrong">The view needs filters/);
  });

  test('has no line in a log, which anybody could fill with them', async () => {
    const { rows } = await service.service.store.audit.list(installation, {}, { limit: 100 });
    assert.ok(rows.length > 0);
    assert.deepEqual(
      rows.filter(({ action }) => action.endsWith('_view')),
      [],
    );
  });

  test('keeps of a query only filters that there are', async () => {
    const page = await reader.get(`${PATH}?status=active`);
    const query = 'status=active&q=ada&evil=1&after=chk_1';
    const done = await reader.submit(page, '/views', { view: 'Own', query });
    assert.equal(done.location, `${PATH}?status=active${COLUMNS}&done=view-saved`);
  });
});
