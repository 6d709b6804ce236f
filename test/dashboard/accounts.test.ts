/** Accounts and the log of the installation in the dashboard of its operators. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { createAccount } from '../../src/accounts/account.ts';
import { texts } from '../pages/script-carriers.ts';
import { looks, violationsOf } from '../support/axe.ts';
import { launchBrowser } from '../support/browser.ts';
import {
  createVisitor,
  formIn,
  type Page,
  signedInVisitor,
  textOf,
  type Visitor,
} from '../support/dashboard.ts';
import { startService } from '../support/service.ts';
import { changeUser, inviteUser } from '../support/users.ts';
import { assertSameShape } from './roles.ts';

const PATH = '/dashboard/accounts';
const LOG = '/dashboard/installation-log';
const OWN = '/dashboard/profile/accounts';

let clock = Date.now();
const service = await startService({ after }, { realNow: () => clock });
const { url } = service;
const { store } = service.service;
const { visitor: operator, user } = await signedInVisitor(service, {
  ...{ role: 'read_only', name: 'Olga Operator', email: 'olga@example.com', isOperator: true },
});
const { visitor: owner } = await signedInVisitor(service, { name: 'Owen', email: 'owen@example.com' });

const rowsIn = ({ html }: Page): string[] =>
  [...html.matchAll(/<tr><td>([\s\S]*?)<\/tr>/g)].map(([, row = '']) => textOf({ html: row }));

async function create(visitor: Visitor, name: string): Promise<Page> {
  return visitor.submit(await visitor.get(PATH), PATH, { name });
}

async function numberNamed(name: string): Promise<number> {
  const all = await store.accounts.list();
  return all.find((account) => account.name === name)?.number ?? assert.fail(`no account ${name}`);
}

suite('accounts', () => {
  test('are listed with the role that one has, and lead there', async () => {
    const page = await operator.get(PATH);
    assert.match(rowsIn(page).at(-1) ?? '', /^Test Shop 1 Read only 20\d\d-\d\d-\d\d \d\d:\d\d Rename$/);
    assert.match(page.html, /<a href="\/dashboard\/1\/live\/sessions">Test Shop<\/a>/);
    const other = await operator.get('/dashboard/1/live/sessions');
    assert.match(other.html, /<a href="\/dashboard\/accounts">Installation<\/a>/);
  });

  test('are created, and belong to whoever has made them', async () => {
    const made = await create(operator, 'Second Shop');
    const number = await numberNamed('Second Shop');
    assert.equal(made.location, `/dashboard/${number}/live/settings?done=account-created`);
    const settings = await operator.follow(made);
    assert.match(textOf(settings), /The account is created, and you are its owner\./);
    const stored = await store.dashboardUsers.fetch(user.id);
    assert.deepEqual(stored?.roles, { 1: 'read_only', [number]: 'owner' });
    assert.match(rowsIn(await operator.get(PATH))[0] ?? '', /^Second Shop \d+ Owner /);
    // Whoever is an owner sees in the log of the account how it came to be.
    const log = rowsIn(await operator.get(`/dashboard/${number}/live/log`));
    assert.match(
      log.join('\n'),
      /Olga Operator own account Olga Operator[\s\S]*Olga Operator create account account/,
    );
  });

  test('are created once by a form that is sent twice', async () => {
    const form = formIn(await operator.get(PATH), PATH);
    const send = () => operator.post(form.action, { ...form.fields, name: 'Sent Twice' });
    const [first, second] = [await send(), await send()];
    assert.equal(first.location, second.location);
    assert.equal((await store.accounts.list()).filter(({ name }) => name === 'Sent Twice').length, 1);
  });

  test('are not created without a name, and say so beside what was typed', async () => {
    const count = (await store.accounts.list()).length;
    for (const name of ['', '   ', 'x'.repeat(300)]) {
      const page = await create(operator, name);
      assert.equal(page.status, 422);
      assert.match(page.html, /id="field-name-wrong"/);
      assert.equal(formIn(page, PATH).fields.name, name);
    }
    assert.equal((await store.accounts.list()).length, count);
  });

  test('are renamed, also those that one has no role on', async () => {
    await store.accounts.create(
      { name: 'Foreign', webhookSecrets: service.account.webhookSecrets, testClockOffsetMs: 0 },
      clock,
    );
    const number = await numberNamed('Foreign');
    assert.equal((await operator.get(`/dashboard/${number}/live/sessions`)).status, 404);
    const page = await operator.get(`${PATH}/${number}`);
    const done = await operator.follow(operator.submit(page, `${PATH}/${number}`, { name: 'Known' }));
    assert.match(textOf(done), /The account has a new name\./);
    const same = await operator.get(`${PATH}/${number}`);
    const asItIs = await operator.follow(operator.submit(same, `${PATH}/${number}`));
    assert.match(textOf(asItIs), /There was nothing left to change\./);
    assert.equal((await store.accounts.fetch(number))?.name, 'Known');
    for (const name of ['', ' '.repeat(3)]) {
      const wrong = await operator.submit(await operator.get(`${PATH}/${number}`), `${PATH}/${number}`, {
        name,
      });
      assert.equal(wrong.status, 422);
      assert.match(wrong.html, /id="field-name-wrong"/);
    }
    for (const id of ['999', 'x', '0', '-1']) assert.equal((await operator.get(`${PATH}/${id}`)).status, 404);
  });

  test('that somebody else has renamed meanwhile are not overwritten', async () => {
    await create(operator, 'Contested');
    const number = await numberNamed('Contested');
    const page = await operator.get(`${PATH}/${number}`);
    await operator.submit(await operator.get(`${PATH}/${number}`), `${PATH}/${number}`, { name: 'Theirs' });
    const answer = await operator.submit(page, `${PATH}/${number}`, { name: 'Mine' });
    assert.equal(answer.status, 422);
    assert.match(textOf(answer), /Theirs/);
    assert.equal((await store.accounts.fetch(number))?.name, 'Theirs');
  });

  test('are created and renamed only by whoever proves anew who they are', async () => {
    clock += 11 * 60_000;
    const count = (await store.accounts.list()).length;
    const page = await create(operator, 'Unproved');
    assert.match(textOf(page), /Is it you\?/);
    assert.equal((await store.accounts.list()).length, count);
    const asked = await operator.submit(page, PATH, { confirm_password: 'wrong' });
    assert.equal(asked.status, 422);
    const done = await operator.submit(asked, PATH, { confirm_password: 'four words of a test' });
    assert.equal(
      done.location,
      `/dashboard/${await numberNamed('Unproved')}/live/settings?done=account-created`,
    );
  });

  test('have names that are texts, whatever is in them', async () => {
    await create(operator, 'plain');
    const number = await numberNamed('plain');
    const plain = {
      list: await operator.get(`${PATH}?limit=1`),
      one: await operator.get(`${PATH}/${number}`),
    };
    for (const name of texts.filter((text) => text.length <= 250 && text.trim() !== '').slice(0, 30)) {
      await operator.submit(await operator.get(`${PATH}/${number}`), `${PATH}/${number}`, { name });
      assertSameShape(await operator.get(`${PATH}?limit=1`), plain.list, name);
      assertSameShape(await operator.get(`${PATH}/${number}`), plain.one, name);
    }
  });
});

test('somebody with many accounts has the first of them on each screen, and all on one of its own', async () => {
  const { visitor, user: many } = await signedInVisitor(service, {
    ...{ role: 'support', name: 'Mona', email: 'many@example.com' },
  });
  const numbers: number[] = [];
  for (let count = 1; count <= 120; count++) {
    const { number } = await createAccount(store, `Many ${count}`, clock);
    await changeUser(store, many.id, { type: 'own_account', account: number, now: clock });
    numbers.push(number);
    if (count === 49) assert.doesNotMatch((await visitor.get('/dashboard/1/live/log')).html, /All your/);
  }
  const listed = ({ html }: Page) =>
    [...html.matchAll(/<li><a href="\/dashboard\/(\d+)\/live\/log"[^>]*>(?:Many|Test Shop)/g)].map(
      ([, each]) => Number(each),
    );
  const first = [1, ...numbers.slice(0, 49)];
  const [last = 0] = numbers.slice(-1);
  assert.deepEqual(listed(await visitor.get(`/dashboard/${numbers[0]}/live/log`)), first);
  const page = await visitor.get(`/dashboard/${last}/live/log`);
  assert.deepEqual(listed(page), [...first, last]);
  assert.match(page.html, /<a href="\/dashboard\/profile\/accounts">All your accounts<\/a>/);
  const all = await visitor.get(OWN);
  assert.deepEqual(rowsIn(all).slice(0, 2), ['Test Shop 1 Support', `Many 1 ${numbers[0]} Owner`]);
  assert.equal(rowsIn(all).length, 100);
  const next = /href="([^"]*accounts\?after=\d+)"/.exec(all.html)?.[1] ?? assert.fail(all.html);
  const rest = await visitor.get(next);
  assert.deepEqual([rowsIn(rest).length, rowsIn(rest).at(-1)], [21, `Many 120 ${last} Owner`]);
  assert.doesNotMatch(rest.html, /More accounts/);
  assert.equal((await visitor.get('/dashboard/profile/accounts?after=x')).status, 200);
});

suite('the log of the installation', () => {
  test('names people, and tells of accounts, members and refused sign-ins', async () => {
    const guest = createVisitor(url);
    const form = await guest.get('/dashboard/sign-in');
    await guest.submit(form, '/sign-in', { email: 'owen@example.com', password: 'wrong' });
    await create(operator, 'In the log');
    for (let looks = 0; ; looks++) {
      const rows = rowsIn(await operator.get(LOG)).join('\n');
      // The wrong password is counted behind the answer to it.
      if (looks < 100 && !/Owen sign in failed Owen/.test(rows)) continue;
      assert.match(rows, /Owen sign in failed Owen/);
      assert.match(rows, new RegExp(`Olga Operator create account ${await numberNamed('In the log')} req_`));
      break;
    }
    const hers = rowsIn(await operator.get(`${LOG}?actor=${user.id}&action=create_account`));
    assert.ok(hers.length > 0 && hers.every((row) => /Olga Operator create account/.test(row)));
    const wrong = await operator.get(`${LOG}?from=soon`);
    assert.equal(wrong.status, 422);
    assert.match(wrong.html, /id="field-from-wrong"/);
  });

  test('is not for owners, who have what concerns their members in their own', async () => {
    assert.equal((await owner.get(LOG)).status, 403);
    assert.doesNotMatch((await owner.get('/dashboard/1/live/log')).html, /installation-log|\/accounts"/);
    const member = await inviteUser(store, { account: 1, role: 'support', name: 'Mia Member', email: '' });
    await changeUser(store, member.id, { type: 'set_role', account: 1, role: 'finance', now: clock });
    const rows = rowsIn(await owner.get(`/dashboard/1/live/log?subject=${member.id}`));
    assert.equal(rows.length, 2);
    assert.match(rows.join('\n'), /the operator, on the command line set role Mia Member/);
  });
});

test('an operator without a role on any account begins with the accounts', async () => {
  const { visitor, user: other } = await signedInVisitor(service, {
    ...{ role: 'support', email: 'alone@example.com', isOperator: true },
  });
  await changeUser(store, other.id, { type: 'remove_role', account: 1, now: clock });
  const home = await visitor.follow(visitor.get('/dashboard'));
  assert.match(textOf(home), /Accounts of the installation/);
  assert.match(home.html, /aria-current="page">Accounts</);
  // What somebody may do is looked up anew each time.
  await changeUser(store, other.id, { type: 'set_operator', isOperator: false, now: clock });
  assert.equal((await visitor.get(PATH)).status, 401);
});

suite('axe finds nothing', () => {
  let browser: Browser;
  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser.close());

  for (const { colorScheme, width } of looks(process.env.OPENTILL_TEST_DATABASE))
    test(`${colorScheme}, ${width} px`, async () => {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
      const [name = '', value = ''] = operator.cookie().split('=', 2);
      const secure = { url: url.replace('http:', 'https:'), secure: true, httpOnly: true };
      await context.addCookies([{ name, value, ...secure, sameSite: 'Lax' }]);
      const page = await context.newPage();
      for (const [place, path] of [PATH, `${PATH}/1`, LOG, OWN, '/dashboard/1/live/log'].entries()) {
        await page.goto(url + path);
        const folder = process.env.OPENTILL_TEST_PICTURES;
        if (folder)
          await page.screenshot({ path: `${folder}/accounts-${place}-${colorScheme}-${width}.png` });
        assert.deepEqual(await violationsOf(page), [], path);
        const isWide = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
        assert.equal(isWide, false, `${path} is wider than the window`);
      }
      await context.close();
    });
});
