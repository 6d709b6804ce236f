/** Members of an account in the dashboard. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { installation } from '../../src/users/user.ts';
import {
  createVisitor,
  formIn,
  PASSWORD,
  type Page,
  signedInVisitor,
  textOf,
  type Visitor,
} from '../support/dashboard.ts';
import { startService } from '../support/service.ts';
import { acceptedUser, inviteUser, join } from '../support/users.ts';

let clock = Date.now();
const service = await startService({ after }, { realNow: () => clock });
const { url } = service;
const { store } = service.service;
const account = service.account.number;
const path = (mode = 'live') => `/dashboard/${account}/${mode}/members`;

let count = 0;
const owner = () => signedInVisitor(service, { account, email: `owner${++count}@example.com`, name: 'Olga' });

async function invited(visitor: Visitor, fields: Record<string, string>, mode = 'live'): Promise<string> {
  const answer = await visitor.submit(await visitor.get(path(mode)), path(mode), fields);
  assert.equal(answer.status, 200, textOf(answer));
  return /<code class="secret">([^<]+)</.exec(answer.html)?.[1] ?? assert.fail(textOf(answer));
}

const omitted = (fields: Record<string, string>, left: string): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => name !== left));

suite('members', () => {
  test('are invited by a link that is shown once, and listed; also from the view of test mode', async () => {
    for (const mode of ['live', 'test']) {
      const { visitor, user } = await owner();
      const link = await invited(visitor, { role: 'finance', name: `Ada <${mode}>` }, mode);
      const page = await visitor.get(path(mode));
      assert.ok(textOf(page).includes(`Ada <${mode}>`) && !page.html.includes(link.split('.').at(-1) ?? ''));
      const guest = createVisitor(url);
      const welcome = await guest.get(link);
      const given = { name: 'Ada', email: `ada.${mode}@example.com`, password: PASSWORD };
      assert.equal((await guest.submit(welcome, new URL(link).pathname, given)).status, 303);
      const filter = { action: 'invite_user', actor: user.id };
      assert.equal((await store.audit.list(installation, filter, { limit: 9 })).rows.length, 1);
    }
  });

  test('are all found, from page to page', async () => {
    const crowd = await store.accounts.create(
      { name: 'Crowd', webhookSecrets: service.account.webhookSecrets, testClockOffsetMs: 0 },
      clock,
    );
    const { visitor } = await signedInVisitor(service, { account: crowd.number, email: 'crowd@example.com' });
    for (let made = 0; made < 100; made++)
      await inviteUser(store, { account: crowd.number, role: 'support', name: `Member ${made}`, email: '' });
    const first = await visitor.get(`/dashboard/${crowd.number}/live/members`);
    assert.ok(textOf(first).includes('Member 99') && !textOf(first).includes('Olga'));
    const [, older = ''] = /<a href="([^"]+)">Invited before</.exec(first.html) ?? [];
    const second = await visitor.get(older);
    assert.ok(textOf(second).includes('Owner') && !second.html.includes('Invited before'), textOf(second));
    assert.equal(second.html.match(/<span id="usr_/g)?.length, 1);
    const [, query = ''] = older.split('?');
    const { action, fields } = formIn(second, `/role?${query}`);
    const seen = JSON.stringify({ role: 'support' });
    const late = await visitor.post(action, { ...fields, seen, role: 'finance' });
    assert.match(textOf(late), /Ada Lovelace: Somebody has changed this meanwhile, to Owner\./);
    assert.equal(formIn(late, `/role?${query}`).fields.role, 'finance', 'the form is there');
    const changed = await visitor.post(action, fields);
    assert.equal(changed.location, `/dashboard/${crowd.number}/live/members?${query}&done=unchanged`);
  });

  test('who are removed, or get a new link, leave their page of the list, unless it is gone', async () => {
    const crowd = await store.accounts.create(
      { name: 'Another crowd', webhookSecrets: service.account.webhookSecrets, testClockOffsetMs: 0 },
      clock,
    );
    const invite = (name: string) =>
      inviteUser(store, { account: crowd.number, role: 'support', name, email: '' });
    const eldest = await invite('Eldest');
    const elder = await invite('Elder');
    for (let made = 0; made < 99; made++) await invite(`Member ${made}`);
    const { visitor } = await signedInVisitor(service, { account: crowd.number, email: 'young@example.com' });
    const list = `/dashboard/${crowd.number}/live/members`;
    const [, older = ''] = /<a href="([^"]+)">Invited before</.exec((await visitor.get(list)).html) ?? [];
    const query = older.slice(older.indexOf('?'));
    assert.match(query, /^\?after=usr_/);
    const act = async (action: string, id: string) => {
      const form = formIn(await visitor.get(older), `/${action}${query}`);
      return visitor.post(form.action, { ...form.fields, id });
    };
    const wrong = await visitor.submit(await visitor.get(older), `${list}${query}`, { role: 'king' });
    assert.equal(wrong.status, 422);
    assert.deepEqual(wrong.html.match(/<span id="usr_\w+/g)?.length, 2, 'the page that was seen');
    const link = await act('link', elder.id);
    assert.ok(link.html.includes(`<a class="button" href="${list}${query}">`), textOf(link));
    const first = await visitor.follow(act('remove', eldest.id));
    assert.match(textOf(first), /The member has no role on the account any more\./);
    assert.deepEqual(first.html.match(/<span id="usr_\w+/g), [`<span id="${elder.id}`]);
    const second = await act('remove', elder.id);
    assert.equal(second.location, `${list}?done=removed`, 'the page is gone');
  });

  test('that are invited wrongly are told with what was typed', async () => {
    const { visitor } = await owner();
    const page = await visitor.get(path());
    const answer = await visitor.submit(page, path(), {
      role: 'king',
      email: 'no address',
      name: 'Typed & kept',
    });
    assert.equal(answer.status, 422);
    assert.match(answer.html, /value="Typed &amp; kept"/);
    assert.match(answer.html, /id="field-email-wrong"/);
    assert.match(answer.html, /id="field-role-wrong"/);
  });

  test('are invited once by a form that is sent twice, which does not show the link again', async () => {
    const { visitor } = await owner();
    const page = await visitor.get(path());
    const fields = { role: 'support', name: `Twice ${count}` };
    const answers = await Promise.all([1, 2].map(() => visitor.submit(page, path(), fields)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    );
    assert.deepEqual(answers.map(({ html }) => html.includes('/dashboard/link/')).sort(), [false, true]);
    const repeated = answers.find(({ html }) => !html.includes('/dashboard/link/')) ?? assert.fail();
    assert.match(textOf(repeated), /sent twice, and has invited Twice \d+ once/);
    const listed = await visitor.get(path());
    assert.equal(listed.html.split(`>${fields.name}</span>`).length - 1, 1);
    await invited(visitor, fields);
    assert.equal((await visitor.get(path())).html.split(`>${fields.name}</span>`).length - 1, 2);
  });

  test('get another role, a new link, and go; the last owner stays', async () => {
    const { visitor, user } = await owner();
    const member = await acceptedUser(store, { account, role: 'support', email: `m${count}@example.com` });
    const changed = await visitor.post(`${path()}/role`, {
      ...formIn(await visitor.get(path()), '/role').fields,
      id: member.id,
      role: 'finance',
    });
    assert.equal(changed.status, 303, textOf(changed));
    assert.deepEqual((await store.dashboardUsers.fetch(member.id))?.roles, { [account]: 'finance' });
    const token = formIn(await visitor.get(path()), '/remove').fields;
    const link = await visitor.post(`${path()}/link`, { form_token: token.form_token ?? '', id: member.id });
    assert.match(link.html, new RegExp(`/dashboard/link/${member.id}\\.`));
    const gone = await visitor.follow(
      visitor.post(`${path()}/remove`, { form_token: token.form_token ?? '', id: member.id }),
    );
    assert.ok(textOf(gone).includes('The member has no role on the account any more.'), textOf(gone));
    assert.equal(await store.dashboardUsers.fetch(member.id), null);
    for (const { id, roles } of (await store.dashboardUsers.list(installation, { account }, { limit: 100 }))
      .rows)
      if (roles[account] === 'owner' && id !== user.id)
        await visitor.post(`${path()}/remove`, { form_token: token.form_token ?? '', id });
    const last = await visitor.post(`${path()}/remove`, { form_token: token.form_token ?? '', id: user.id });
    assert.equal(last.status, 409);
    assert.ok(textOf(last).includes('The account would have no owner left.'));
  });

  test('get a role from one of two who change it at once, and the second is told which', async () => {
    const { visitor } = await owner();
    const made = { account, role: 'support', name: 'Grace Hopper' } as const;
    const member = await acceptedUser(store, { ...made, email: `grace${++count}@example.com` });
    const rolesOf = async () => (await store.dashboardUsers.fetch(member.id))?.roles[account];
    /** The form of this member in the list, as its page has it. */
    const roleFormIn = (page: Page) => {
      const forms = page.html.match(/<form [^>]*\/role".*?<\/form>/gs) ?? [];
      const html = forms.find((each) => each.includes(`value="${member.id}"`)) ?? assert.fail(textOf(page));
      return {
        ...formIn({ ...page, html }, '/role').fields,
        shown: /value="(\w+)" selected/.exec(html)?.[1],
      };
    };
    const send = async ({ shown, ...fields }: ReturnType<typeof roleFormIn>, role: string) =>
      visitor.post(`${path()}/role`, { ...fields, role });
    const [first, second] = [roleFormIn(await visitor.get(path())), roleFormIn(await visitor.get(path()))];
    assert.equal(first.shown, 'support');
    assert.equal((await send(first, 'finance')).status, 303);
    const late = await send(second, 'owner');
    assert.equal(late.status, 422);
    assert.match(
      textOf(late),
      /Grace Hopper: Somebody has changed this meanwhile, to Finance\. Send the form again to have it as you typed it\./,
    );
    assert.equal(await rolesOf(), 'finance');
    const again = roleFormIn(late);
    assert.equal(again.shown, 'owner', 'what was chosen is kept');
    assert.equal((await send(again, 'owner')).status, 303);
    assert.equal(await rolesOf(), 'owner');
    // Who wants what the other one has made of it has nothing to be told.
    assert.equal((await send(second, 'owner')).status, 303);
    // A form that was opened, and sent as it was, takes nothing back, and is not told to have changed anything.
    const asItWas = await send(second, 'support');
    assert.equal(asItWas.status, 422);
    assert.match(
      textOf(asItWas),
      /Grace Hopper: Somebody has changed the role meanwhile, to Owner\. It stays so\./,
    );
    assert.doesNotMatch(textOf(asItWas), /The role is changed/);
    assert.equal(await rolesOf(), 'owner');
    const now = roleFormIn(asItWas);
    assert.equal(now.shown, 'owner', 'what it is now is shown');
    assert.equal((await send(now, 'support')).status, 303);
    assert.equal(await rolesOf(), 'support');
    const actions = async () =>
      (await store.audit.list(installation, { subject: member.id }, { limit: 99 })).rows.length;
    const before = await actions();
    const unchanged = await visitor.follow(send(roleFormIn(await visitor.get(path())), 'support'));
    assert.match(textOf(unchanged), /There was nothing left to change\./);
    assert.doesNotMatch(textOf(unchanged), /The role is changed/);
    assert.equal(await actions(), before);
    const { shown: _, ...fields } = roleFormIn(await visitor.get(path()));
    const bare = await visitor.post(`${path()}/role`, omitted(fields, 'role'));
    assert.equal(bare.status, 400);
    assert.match(textOf(bare), /role is required\./);
    assert.equal(await rolesOf(), 'support');
  });

  test('whose role somebody has changed are not removed, and get no link, by who has not seen it', async () => {
    const { visitor } = await owner();
    const made = { account, role: 'support', name: 'Barbara Liskov' } as const;
    const member = await acceptedUser(store, { ...made, email: `barbara${++count}@example.com` });
    /** The form of this member in the list. */
    const formOf = (page: Page, action: string) => {
      const forms = page.html.match(new RegExp(`<form [^>]*${action}".*?</form>`, 'gs')) ?? [];
      const html = forms.find((each) => each.includes(`value="${member.id}"`)) ?? assert.fail(textOf(page));
      return formIn({ ...page, html }, action).fields;
    };
    const seen = await visitor.get(path());
    // Another owner, in another window.
    const roleForm = { ...formOf(seen, '/role'), role: 'owner' };
    assert.equal((await visitor.post(`${path()}/role`, roleForm)).status, 303);
    for (const [action, stays] of [
      ['/remove', 'The member was not removed.'],
      ['/link', 'There is no new link.'],
    ] as const) {
      const late = await visitor.post(path() + action, formOf(seen, action));
      assert.equal(late.status, 422, action);
      assert.ok(
        textOf(late).includes(
          `Barbara Liskov: Somebody has changed the role meanwhile: see what it is now. ${stays}`,
        ),
        textOf(late),
      );
      assert.match(JSON.stringify(formOf(late, '/role')), /owner/, 'what it is now');
      const now = await store.dashboardUsers.fetch(member.id);
      assert.deepEqual([now?.roles, now?.link], [{ [account]: 'owner' }, null]);
    }
    const now = await visitor.get(path());
    assert.match(textOf(await visitor.post(`${path()}/link`, formOf(now, '/link'))), /A link to send/);
    const removal = formOf(now, '/remove');
    const removed = await visitor.follow(visitor.post(`${path()}/remove`, removal));
    assert.match(textOf(removed), /The member has no role on the account any more\./);
    assert.equal(await store.dashboardUsers.fetch(member.id), null);
    const again = await visitor.follow(visitor.post(`${path()}/remove`, removal));
    assert.match(textOf(again), /There was nothing left to change\./, 'they are removed already');
  });

  test('of several accounts cannot be brought back by one of them', async () => {
    const { visitor } = await owner();
    const other = await store.accounts.create(
      { name: 'Other', webhookSecrets: service.account.webhookSecrets, testClockOffsetMs: 0 },
      clock,
    );
    const member = await acceptedUser(store, { account, role: 'support', email: `two${count}@example.com` });
    await join(store, member, other.number, 'support');
    const { fields } = formIn(await visitor.get(path()), '/link');
    const answer = await visitor.post(`${path()}/link`, { ...fields, id: member.id });
    assert.equal(answer.status, 409);
    assert.ok(!answer.html.includes('/dashboard/link/'));
  });

  test('are changed by who proves it anew, with the form as it was', async () => {
    const { visitor } = await owner();
    const page = await visitor.get(path());
    clock += 11 * 60_000;
    const asked = await visitor.submit(page, path(), { role: 'support', name: 'Typed before' });
    assert.ok(textOf(asked).includes('Is it you?'));
    const done = await visitor.submit(asked, path(), { confirm_password: PASSWORD });
    assert.ok(textOf(done).includes('Send this link to Typed before'), textOf(done));
    clock = Date.now();
  });
});
