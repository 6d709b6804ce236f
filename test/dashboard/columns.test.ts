/** Columns of the list of sessions, which each user chooses for each account. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { installation } from '../../src/users/user.ts';
import { createSession, order } from '../api/shop.ts';
import { formIn, type Page, textOf } from '../support/dashboard.ts';
import { startService } from '../support/service.ts';
import { visitorsOf } from './roles.ts';

const PATH = '/dashboard/1/test/sessions';

const service = await startService({ after });
const { owner, support, read_only: reader } = await visitorsOf(service);
const customer_details = { name: 'Emmy Noether', email: 'emmy@example.com', country: 'DE' };
const session = await createSession(service, { ...order, reference_id: 'first', customer_details });

const heads = ({ html }: Page) => Array.from(html.matchAll(/<th[^>]*>([^<]*)<\/th>/g), ([, name]) => name);
const USUAL = ['Created (UTC)', 'Reference and payer', 'Amount', 'Paid', 'Status', 'Payment'];
const only = (page: Page, names: readonly string[]) => {
  const { action, fields } = formIn(page, '/columns');
  const others = Object.entries(fields).filter(([name]) => !name.startsWith('columns.'));
  return {
    action,
    fields: {
      ...Object.fromEntries(others),
      ...Object.fromEntries(names.map((name) => [`columns.${name}`, 'on'])),
    },
  };
};

suite('columns', () => {
  test('are chosen by a form, and stay for the user and the account, with the filters that were set', async () => {
    const page = await reader.get(`${PATH}?status=active&q=first`);
    assert.deepEqual(heads(page), USUAL);
    const { action, fields } = only(page, ['email', 'id', 'amount', 'evil']);
    const done = await reader.follow(reader.post(action, fields));
    assert.match(textOf(done), /The list has these columns from now on/);
    assert.deepEqual(heads(done), ['Reference', 'E-mail', 'Amount', 'Id']);
    assert.match(textOf(done), new RegExp(`first emmy@example\\.com .*${session.id}`));
    assert.doesNotMatch(textOf(done), /Emmy Noether/);
    assert.match(done.html, /name="q"[^>]* value="first"/);
    assert.deepEqual(heads(await reader.get(PATH)), ['Reference', 'E-mail', 'Amount', 'Id']);
    assert.deepEqual(heads(await reader.get('/dashboard/1/live/sessions')), []);
    assert.deepEqual(heads(await owner.get(PATH)), USUAL);
    const chosen = Object.keys(formIn(done, '/columns').fields).filter((name) => name.startsWith('columns.'));
    assert.deepEqual(chosen, ['columns.email', 'columns.amount', 'columns.id']);
  });

  test('are the usual ones again by one button', async () => {
    const page = await reader.get(PATH);
    const done = await reader.follow(reader.submit(page, '/columns', { usual: 'on' }));
    assert.deepEqual(heads(done), USUAL);
  });

  test('may be none but the reference, which leads to the session', async () => {
    const { action, fields } = only(await support.get(PATH), []);
    const done = await support.follow(support.post(action, fields));
    assert.deepEqual(heads(done), ['Reference']);
    assert.match(done.html, new RegExp(`href="${PATH}/${session.id}">first</a></td></tr>`));
  });

  test('go with a saved view, which shows them again whatever was chosen since', async () => {
    const first = only(await owner.get(PATH), ['payer', 'expires_at']);
    await owner.post(first.action, first.fields);
    const page = await owner.get(`${PATH}?status=active`);
    await owner.submit(page, '/views', { view: 'Late' });
    const then = only(await owner.get(PATH), ['status']);
    await owner.post(then.action, then.fields);
    const list = await owner.get(PATH);
    assert.deepEqual(heads(list), ['Reference', 'Status']);
    const [, address = ''] = /class="chip" href="([^"]*)">Late</.exec(list.html) ?? [];
    const view = await owner.get(address.replaceAll('&amp;', '&'));
    assert.deepEqual(heads(view), ['Reference and payer', 'Expires (UTC)']);
    assert.match(view.html, /aria-current="true">Late</);
    assert.match(textOf(view), /Remove the view “Late”/);
    // The ways from there keep them: a filter less, and a search.
    assert.match(view.html, /class="chip" href="[^"]*\?columns=payer%2Cexpires_at">Status/);
    assert.match(view.html, /<form class="finder"[\s\S]*name="columns" value="payer,expires_at"/);
    // With other columns it is another view.
    const other = await owner.get(`${PATH}?status=active`);
    assert.doesNotMatch(other.html, /aria-current="true">Late/);
  });

  test('have no line in a log, which anybody could fill with them', async () => {
    const { rows } = await service.service.store.audit.list(installation, {}, { limit: 100 });
    assert.ok(rows.length > 0);
    assert.ok(rows.every(({ action }) => action !== 'choose_columns'));
  });

  test('of an address are those that there are', async () => {
    assert.deepEqual(heads(await support.get(`${PATH}?columns=id,evil,%3Cb%3E,amount`)), [
      'Reference',
      'Amount',
      'Id',
    ]);
    const page = await support.get(`${PATH}?columns=id&limit=1`);
    assert.doesNotMatch(page.html, /sessions\.csv[^"]*columns/);
  });

  test('are all of them in an export, whatever was chosen', async () => {
    const { action, fields } = only(await support.get(PATH), ['id']);
    await support.post(action, fields);
    const [first] = (await support.get(`${PATH}.csv`)).html.split('\r\n');
    assert.match(first ?? '', /created_at,id,reference_id,description,.*,payment_status,expires_at,url/);
  });
});
